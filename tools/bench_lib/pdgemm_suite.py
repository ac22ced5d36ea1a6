"""PDGEMM, the paper's table 5 for this machine: FMPL's by each of its algorithms, ScaLAPACK's over BLACS-FMPL and over
MPIs, FMPL's among them, and FMPL's program over these, beside OpenBLAS's dgemm in one process, which is the limit.
docs/performance.md says what is expected.

All programs time a repetition from the last process's entry to the last one's return, after one that is not timed.
"""
from bench_lib.contenders import Contender, Suite, mpi_of
from bench_lib.figures import CPUS, RANKS, Expectation, Figure, Step
from bench_lib.openblas import openblas_variables
from bench_lib.tables import aligned, cell, met_words, ratio_cell

ALGORITHMS = {"fmpl": "auto", "fmpl-summa": "summa", "fmpl-direct": "direct"}
# MPICH's ranks spin while they wait: where they share CPUs, each message takes time slices of the system.
CROWDED_REPETITIONS = 2


class Size:
    """repetitions: so many that one run takes a few seconds at most, and in quick runs. share: of the rounds that it is
    measured in. ranks, quick_ranks: of the job. expected: {ranks: least rate, of the limit's}. crowded: whether MPICH
    with more ranks than CPUs is measured; whole: whether MPICH and FMPL's program over other libraries are."""

    def __init__(self, order, block, repetitions, quick_repetitions, share, ranks, quick_ranks, expected, crowded=False,
                 whole=True):
        self.order, self.block, self.share, self.expected = order, block, share, expected
        self.repetitions, self.quick_repetitions = repetitions, quick_repetitions
        self.ranks, self.quick_ranks = ranks, quick_ranks
        self.crowded, self.whole = crowded, whole


SIZES = [
    Size(640, 40, 40, 20, 1, (1, *RANKS), (2, 4, 16), {2: 0.9, 4: 0.88, 8: 0.85, 16: 0.8}, crowded=True),
    Size(2048, 64, 3, 3, 0.4, (1, *RANKS), (), {}),
    Size(4096, 64, 1, 1, 0.6, (2, 4, 16), (2, 16), {2: 0.95, 4: 0.95, 16: 0.9}, whole=False),
]


class ProductStep(Step):
    """One size on so many ranks."""

    def __init__(self, size, ranks, quick, peers):
        expectation = Expectation(of_limit=size.expected[ranks]) if ranks in size.expected else None
        figure = Figure(f"pdgemm-{size.order}-{size.block}-{ranks}", f"M=N=K={size.order}, block {size.block}", "order",
                        size.order, expectation=expectation, flops=2 * size.order**3)
        super().__init__(str(size.order), ranks, self.programs_for(size, ranks, peers), [], [figure],
                         environment=openblas_variables)
        self.size = size
        self.repetitions = size.quick_repetitions if quick else size.repetitions

    @staticmethod
    def programs_for(size, ranks, peers):
        """By the contender's name."""
        programs = {**dict.fromkeys(ALGORITHMS, "pdgemm.fmpl"), "dgemm": "dgemm-limit"}
        if size.whole:
            programs["pdgemm-mpi"] = "pdgemm.mpi"
            if "mpich" in peers:
                programs["scalapack-mpi"] = "scalapack-pdgemm.mpich"
        scalapacks = {name: f"scalapack-pdgemm.{name}" for name in ("openmpi", "mpich") if name in peers}
        if scalapacks:
            programs["scalapack-fmpl"] = next(iter(scalapacks.values()))
        for mpi in ("openmpi", "mpich"):
            if mpi == "mpich" and (not size.whole or ranks > CPUS and not size.crowded):
                continue
            if mpi in scalapacks:
                programs[mpi] = scalapacks[mpi]
            if f"pdgemm-{mpi}" in peers and size.whole:
                programs[f"pdgemm-{mpi}"] = f"pdgemm.{mpi}"
        return programs

    def watches_distance(self):
        return False

    def program_of(self, contender):
        return self.programs.get(contender.name)

    def variables(self, contender):
        """The limit has as many CPUs as the ranks have."""
        threads = {"OPENBLAS_NUM_THREADS": str(min(self.ranks, CPUS))} if contender.kind == "alone" else {}
        return {**super().variables(contender), **threads}

    def words_for(self, contender, _effort):
        order, block = str(self.size.order), str(self.size.block)
        repetitions = str(CROWDED_REPETITIONS if self.is_crowded(contender) else self.repetitions)
        program = self.program_of(contender)
        if program == "dgemm-limit":
            return ["--order", order, "--samples", repetitions]
        if program.startswith("scalapack-pdgemm"):
            return ["--order", order, "--block", block, "--warmup", "1", "--reps", "1", "--samples", repetitions]
        algorithm = ["--algorithm", ALGORITHMS[contender.name]] if contender.name in ALGORITHMS else []
        return ["--m", order, "--n", order, "--k", order, "--nb", block, *algorithm, "--reps", repetitions]

    def share_of_rounds(self, contender):
        return 0 if self.is_crowded(contender) else self.size.share

    def read(self, contender, document):
        """pdgemm.<comm> writes a single result, as the document itself."""
        if not self.program_of(contender).startswith("pdgemm."):
            return document
        result = {"order": document["m"], "reps": 1, "comm_share": document["comm_share"],
                  "seconds": {"median": document["seconds_median"], "samples": document["seconds"]}}
        return {**document, "results": [result]}


def steps(quick, peers):
    return [ProductStep(size, ranks, quick, peers) for size in SIZES
            for ranks in (size.quick_ranks if quick else size.ranks)]


# ---- The table -------------------------------------------------------------------------------------------------------

def rounds_words(count):
    return f"{count} round{'' if count == 1 else 's'}"


def rate_cell(row, contender, most_rounds):
    """Says so where the contender was measured in fewer rounds than others."""
    shown = row["contenders"].get(contender.name)
    text = cell(shown, flops=row["flops"])
    rounds = len(shown["rounds"]) if shown else most_rounds
    return text if rounds == most_rounds else f"{text}, {rounds_words(rounds)}"


def share_cell(row, contender):
    shown = row["contenders"].get(contender.name)
    return f"{shown['comm_share']:.1%}" if shown and "comm_share" in shown else "-"


def size_table(rows, contenders):
    """A column for each number of ranks, the limit in the first line. Lines of dashes only are left out."""
    rounds = max(len(shown["rounds"]) for row in rows for shown in row["contenders"].values() if shown)
    lines = [[f"{rows[0]['label']}, {rounds_words(rounds)}",
              *(f"{row['ranks']} rank{'' if row['ranks'] == 1 else 's'}" for row in rows)]]

    def add(title, cells, empty="-"):
        cells = list(cells)
        if any(text != empty for text in cells):
            lines.append([title, *cells])

    for contender in sorted(contenders, key=lambda contender: contender.kind != "alone"):
        add(f"{contender.title}, GFlop/s", (rate_cell(row, contender, rounds) for row in rows))
    for contender in contenders:
        ratios = [row["of_limit"].get(contender.name) for row in rows]
        add(f"{contender.title}, of dgemm", (f"{ratio:.2f}" if ratio else "-" for ratio in ratios))
        if contender is contenders[0]:
            add("  expected", (row["expected"] or "" for row in rows), empty="")
            add("  met", (met_words(row) for row in rows), empty="")
            add("  times the best on an MPI", (ratio_cell(row) for row in rows))
        elif contender is mpi_of(contenders):
            add("  times the best on an installed MPI", (ratio_cell(row["mpi"]) for row in rows))
    for contender in contenders:
        add(f"{contender.title}, communication", (share_cell(row, contender) for row in rows))
    return aligned(lines)


def write_table(rows, contenders):
    """A table for each size that was measured."""
    sizes = {}
    for row in rows:
        if any(row["contenders"].values()):
            sizes.setdefault(row["label"], []).append(row)
    return "\n\n".join(size_table(of_one, contenders) for of_one in sizes.values())


SUITE = Suite(
    "FMPL's PDGEMM beside ScaLAPACK's, and OpenBLAS's dgemm as the limit",
    [Contender("fmpl", "pdgemm.fmpl", "fmpl", "fmplrun"),
     Contender("fmpl-summa", "pdgemm.fmpl, summa", "fmpl", "fmplrun"),
     Contender("fmpl-direct", "pdgemm.fmpl, direct", "fmpl", "fmplrun"),
     Contender("scalapack-fmpl", "ScaLAPACK on BLACS-FMPL", "fmpl", "fmplrun", options=["--blacs", "--pdgemm", "none"]),
     Contender("pdgemm-mpi", "pdgemm.mpi", "mpi", "fmplrun"),
     Contender("scalapack-mpi", "ScaLAPACK on MPI over FMPL", "mpi", "fmplrun", options=["--mpi", "--rdma", "heap"])],
    [Contender("openmpi", "ScaLAPACK on Open MPI", "openmpi", "mpirun.openmpi",
               ("openmpi-bin", "libopenmpi-dev", "libscalapack-openmpi-dev"), "scalapack-openmpi", "ompi-c"),
     Contender("mpich", "ScaLAPACK on MPICH", "mpich", "mpiexec.mpich",
               ("mpich", "libmpich-dev", "libscalapack-mpich-dev"), "scalapack-mpich", "mpich"),
     Contender("pdgemm-openmpi", "pdgemm.openmpi", "openmpi", "mpirun.openmpi", ("openmpi-bin", "libopenmpi-dev"),
               "ompi-c"),
     Contender("pdgemm-mpich", "pdgemm.mpich", "mpich", "mpiexec.mpich", ("mpich", "libmpich-dev"), "mpich")],
    steps, quick="640 at 2, 4 and 16 ranks, 4096 at 2 and 16", limit=Contender("dgemm", "dgemm", "alone"),
    write_table=write_table, unit="GFlop/s", has_batches=False)
