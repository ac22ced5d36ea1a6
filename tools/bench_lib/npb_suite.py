"""The NAS kernels of npb_kernels: the same source over FMPL, FMPL's MPI and the installed MPIs, and beside them, where
the user has compiled them, NPB's own programs over Open MPI. docs/performance.md says what is expected.

A run is timed from the first rank's start to the last one's end of the timed iterations. Communication is the time that
a rank spends in the calls of npb_kernels/common/communication.hpp, waiting included, the mean of the ranks. A program
fails when its result is not the reference. Where each rank has a CPU, the time of the rank that spends least there is
told, too: it waits least for ranks that happen to compute longer, and says more of the library.

Where ranks outnumber CPUs, FMPL runs all ranks of a kernel in one process (fmplrun --ranks-as auto). A rank of an MPI
is a process, and what of its waiting and of its computation is that of others depends on time slices; so communication
is compared with FMPL's ranks as processes, which are measured for that.
"""
import re
import statistics

from bench_lib.contenders import Contender, Suite, installed_mpis, mpi_of
from bench_lib.figures import CPUS, RANKS, Expectation, Figure, Step
from bench_lib.tables import aligned, met_words, ratio_cell

KERNELS = ("ft", "mg", "is", "cg")
CLASSES = ("A", "B")
CLASS_B_SHARE = 0.4  # of the rounds
TIMES_ORIGINAL = 1.2  # at two ranks
GROWTH = 1.15  # of the seconds of two ranks, where more ranks share the CPUs
ORIGINAL = "original"
PROCESSES = "fmpl-processes"
PROGRAM_WORDS = "ft.A.x or bin/ft.A.x, nor another kernel's or class's"
# MPICH's ranks spin while they wait: where they share CPUs, each message takes time slices of the system.
CROWDED_SECONDS = 60


def original_program(folder, kernel, problem_class):
    """NPB's makefile puts it into bin. None where there is none."""
    names = [folder / part / f"{kernel}.{problem_class}.x" for part in ("bin", ".")]
    return next((str(name.resolve()) for name in names if name.is_file()), None)


def has_programs(folder):
    return any(original_program(folder, kernel, letter) for kernel in KERNELS for letter in CLASSES)


def read_npb(text):
    """Seconds that a program of NPB's prints. ValueError where it did not verify."""
    verified = re.search(r"^ *Verification *= *(\w+)", text, re.M)
    seconds = re.search(r"^ *Time in seconds *= *([\d.]+)", text, re.M)
    if not verified or verified.group(1) != "SUCCESSFUL":
        raise ValueError("did not verify its result")
    if not seconds:
        raise ValueError("printed no time")
    return float(seconds.group(1))


class KernelStep(Step):
    """One kernel of one class on so many ranks."""

    def __init__(self, kernel, problem_class, ranks, quick, peers, original):
        name = f"{kernel}-{problem_class}"
        expectation = Expectation(times_another=TIMES_ORIGINAL, another=ORIGINAL) if ranks == 2 else \
            Expectation(growth=GROWTH, than=f"{name}-2", growth_words=f"<= {GROWTH:g} of 2 ranks")
        figure = Figure(f"{name}-{ranks}", f"{kernel.upper()}, class {problem_class}", "class", problem_class,
                        expectation=expectation)
        programs = {kind: f"{kernel}.{kind}" for kind in ("fmpl", "mpi", *peers) if kind != ORIGINAL}
        if ranks > CPUS:
            programs[PROCESSES] = programs["fmpl"]
        if original and ORIGINAL in peers:
            programs[ORIGINAL] = original_program(original, kernel, problem_class)
        super().__init__(kernel, ranks, programs, ["--class", problem_class], [figure],
                         name=f"{kernel}.{problem_class}")
        self.problem_class, self.quick = problem_class, quick

    def program_of(self, contender):
        """By name alone: NPB's programs are run over Open MPI too."""
        if self.is_crowded(contender) and (self.quick or self.problem_class != CLASSES[0]):
            return None
        return self.programs.get(contender.name)

    def watches_distance(self):
        return False

    def is_bracketed(self):
        return self.ranks == CPUS

    def words_for(self, contender, _effort):
        return [] if contender.other_source else self.arguments

    def share_of_rounds(self, contender):
        return 0 if self.is_crowded(contender) else 1 if self.problem_class == CLASSES[0] else CLASS_B_SHARE

    def seconds_limit(self, contender, effort):
        return min(effort.timeout, CROWDED_SECONDS) if self.is_crowded(contender) else effort.timeout

    def writes_file(self, contender):
        return not contender.other_source

    def read(self, contender, document):
        result = {"class": self.problem_class, "reps": 1}
        if contender.other_source:
            seconds, document = read_npb(document), {"library": "NPB's own programs"}
        else:
            if not document["verified"]:
                raise ValueError("did not verify its result")
            seconds = document["seconds"]
            communication = statistics.mean(document["communication_seconds"])
            result.update(comm_seconds=communication, comm_share=communication / seconds)
            if self.ranks <= CPUS:
                result.update(comm_least_seconds=min(document["communication_seconds"]))
        result["seconds"] = {"median": seconds, "samples": [seconds]}
        return {**document, "results": [result]}


# ---- The table -------------------------------------------------------------------------------------------------------

def communication_of(row, contender, kind):
    shown = row["contenders"].get(contender.name) if contender else None
    return shown.get(kind) if shown else None


def communication_quotients(row, contenders, kind):
    """Seconds in communication: FMPL's MPI's over FMPL's, with ranks as processes both, and the best peer's over FMPL's
    MPI's. More than 1 is expected of both. Without figures None."""
    processes = next((contender for contender in contenders if contender.name == PROCESSES), None)
    own = communication_of(row, processes if row["ranks"] > CPUS else contenders[0], kind)
    of_mpi = communication_of(row, mpi_of(contenders), kind)
    of_peers = [seconds for seconds in (communication_of(row, c, kind) for c in contenders if c.is_peer()) if seconds]
    return {"mpi_over_fmpl": of_mpi / own if own and of_mpi else None,
            "best_peer_over_mpi": min(of_peers) / of_mpi if of_peers and of_mpi else None}


def compare_communication(rows, contenders):
    for row in rows:
        row["communication"] = communication_quotients(row, contenders, "comm_seconds")
        row["least_communication"] = communication_quotients(row, contenders, "comm_least_seconds")
        shown, original = row["contenders"].get(contenders[0].name), row["contenders"].get(ORIGINAL)
        row["times_original"] = original["median"] / shown["median"] if shown and original else None


def seconds_words(seconds):
    return f"{seconds:.3f}" if seconds < 10 else f"{seconds:.1f}"


def rounds_words(count):
    return f"{count} round{'' if count == 1 else 's'}"


def seconds_cell(row, contender, most_rounds):
    """Says so where the contender was measured in fewer rounds than others."""
    shown = row["contenders"].get(contender.name)
    if not shown:
        return "-"
    text = f"{seconds_words(shown['median'])} ({seconds_words(shown['quartile1'])}-{seconds_words(shown['quartile3'])})"
    rounds = len(shown["rounds"])
    return text if rounds == most_rounds else f"{text}, {rounds_words(rounds)}"


def communication_cell(row, contender):
    shown = row["contenders"].get(contender.name)
    return (f"{seconds_words(shown['comm_seconds'])}, {shown['comm_share']:.1%}" if shown and "comm_seconds" in shown
            else "-")


def least_communication_cell(row, contender):
    shown = row["contenders"].get(contender.name)
    return seconds_words(shown["comm_least_seconds"]) if shown and "comm_least_seconds" in shown else "-"


def quotient_cell(quotient):
    return f"{quotient:.2f}" if quotient else "-"


def kernel_table(rows, contenders):
    """A column for each number of ranks. Lines of dashes only are left out."""
    rounds = max(len(shown["rounds"]) for row in rows for shown in row["contenders"].values() if shown)
    lines = [[f"{rows[0]['label']}, {rounds_words(rounds)}", *(f"{row['ranks']} ranks" for row in rows)]]

    def add(title, cells, empty="-"):
        cells = list(cells)
        if any(text != empty for text in cells):
            lines.append([title, *cells])

    for contender in contenders:
        add(f"{contender.title}, s", (seconds_cell(row, contender, rounds) for row in rows))
    add("best peer / FMPL", (ratio_cell(row) for row in rows))
    add("best peer / MPI over FMPL", (ratio_cell(row["mpi"]) if row["mpi"] else "-" for row in rows))
    add("original / FMPL", (quotient_cell(row["times_original"]) for row in rows))
    add("  expected of FMPL", (row["expected"] or "" for row in rows), empty="")
    add("  met", (met_words(row) for row in rows), empty="")
    for cell, title, name in ((communication_cell, "communication", "communication"),
                              (least_communication_cell, "least of the ranks", "least_communication")):
        for contender in contenders:
            add(f"{contender.title}, {title}", (cell(row, contender) for row in rows))
        add("  MPI over FMPL / FMPL, expected > 1", (quotient_cell(row[name]["mpi_over_fmpl"]) for row in rows))
        add("  best peer / MPI over FMPL, expected > 1",
            (quotient_cell(row[name]["best_peer_over_mpi"]) for row in rows))
    return aligned(lines)


def write_table(rows, contenders):
    """A table for each kernel and class that was measured."""
    tables = {}
    for row in rows:
        if any(row["contenders"].values()):
            tables.setdefault(row["label"], []).append(row)
    text = "\n\n".join(kernel_table(of_one, contenders) for of_one in tables.values())
    return f"{text}\n\nCommunication: seconds in its calls, waiting included, and their share; the mean of the " \
           "ranks. Where each has a CPU, also of the rank that spends least there, since it waits least for others " \
           "that compute longer."


# ---- The suite -------------------------------------------------------------------------------------------------------

def suite(original=None):
    """original: a folder with NPB's own programs."""
    def steps(quick, peers):
        return [KernelStep(kernel, letter, ranks, quick, peers, original) for kernel in KERNELS
                for letter in (CLASSES[:1] if quick else CLASSES) for ranks in ((2, 4, 16) if quick else RANKS)]

    peers = installed_mpis()
    if original:
        peers.append(Contender(ORIGINAL, "NPB's own on Open MPI", "openmpi", "mpirun.openmpi",
                               ("openmpi-bin", "libopenmpi-dev"), "ompi-c", other_source=True))
    return Suite(
        "the NAS kernels FT, MG, IS and CG over FMPL, FMPL's MPI and the installed MPIs",
        [Contender("fmpl", "FMPL", "fmpl", "fmplrun"),
         Contender(PROCESSES, "FMPL, ranks as processes", "fmpl", "fmplrun", options=["--ranks-as", "processes"]),
         Contender("mpi", "MPI over FMPL", "mpi", "fmplrun", options=["--rdma", "heap"])],
        peers, steps, quick="class A at 2, 4 and 16 ranks, MPICH at 2 alone; about two minutes",
        write_table=write_table, unit="seconds", has_batches=False, complete=compare_communication)


SUITE = suite()
