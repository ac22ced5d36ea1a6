"""What programs call of an MPI: every collective call, with the root fixed and in turn, with computation between the calls, and
windows of nonblocking messages. FMPL's MPI, with and without its heap in remote-DMA memory, beside those that are installed. The
summary names the lines that are behind."""
import statistics

from bench_lib.contenders import Contender, Suite, installed_mpis
from bench_lib.figures import KIB, Figure, Step, list_of, size_words
from bench_lib.rounds import quotient_beside
from bench_lib.tables import aligned, cell

CPUS = 2
BEHIND = 1 / 1.05  # of the best peer's time over ours
PROGRAMS = {kind: f"mpi-bench.{kind}" for kind in ("mpi", "openmpi", "mpich")}
ROOTED = ("bcast", "gather", "gatherv", "scatter", "scatterv", "reduce")
CALLS = (*ROOTED, "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "neighbor_allgather", "neighbor_alltoall",
         "allreduce", "reduce_scatter_block", "reduce_scatter", "scan", "exscan")
OWN = [Contender("mpi", "MPI over FMPL", "mpi", "fmplrun"),
       Contender("mpi-heap", "MPI over FMPL, --rdma heap", "mpi", "fmplrun", options=["--rdma", "heap"])]


class CallsStep(Step):
    """One run, whose results have a `line` each."""

    def program_of(self, contender):
        """MPICH's ranks spin: where they share CPUs each call takes time slices of the system."""
        return None if contender.kind == "mpich" and self.ranks > CPUS else super().program_of(contender)


def calls_step(group, ranks, calls, sizes, words):
    both = [name for call in calls for name in (call, f"i{call}")]
    figures = [Figure(f"{group}-{name}-{size}-{ranks}", f"{group}: {name} {size_words(size)}, {ranks} ranks", "line",
                      f"{name}-{size}") for size in sizes for name in both]
    if "barrier" in calls:
        figures = [figure for figure in figures if not figure.value.startswith(("barrier", "ibarrier"))] + [
            Figure(f"{group}-{name}-{ranks}", f"{group}: {name}, {ranks} ranks", "line", f"{name}-0")
            for name in ("barrier", "ibarrier")]
    return CallsStep(group, ranks, PROGRAMS, ["collectives", "--calls", ",".join(both), "--sizes", list_of(sizes), *words],
                     figures)


def windows_step(ranks, sizes):
    figures = [Figure(f"windows-{manner}-{size}-{ranks}", f"windows: {words} {size_words(size)}, {ranks} ranks", "line",
                      f"{manner}-{size}")
               for size in sizes for manner, words in (("stream", "one way"), ("both", "both ways"))]
    return CallsStep("windows", ranks, PROGRAMS, ["windows", "--sizes", list_of(sizes), *(["--pairs"] if ranks > 2 else [])],
                     figures)


def steps(quick, _peers):
    sizes = (8, 4 * KIB) if quick else (8, 256, 4 * KIB, 64 * KIB)
    found = []
    for ranks in ((2, 4) if quick else (2, 3, 4, 8, 16)):
        few = sizes if ranks in (2, 4) else (8, 4 * KIB)
        found.append(calls_step("row", ranks, ("barrier", *CALLS), few, ["--root", "fixed"]))
        if ranks in (2, 4):
            found.append(calls_step("turn", ranks, ROOTED, sizes, ["--root", "turn"]))
            found.append(calls_step("computing", ranks, CALLS, (8, 4 * KIB), ["--root", "fixed", "--between", "20"]))
        if ranks in (2, 4, 8):
            found.append(windows_step(ranks, (8, 4 * KIB) if quick else (8, 512, 4 * KIB, 64 * KIB, 256 * KIB)))
    return found


def summary(rows, contenders):
    """By group and ranks: geometric means, and whom they are of; and each line that is behind."""
    own = [contender for contender in contenders if not contender.is_peer()]
    lines = [["group", "ranks", "lines", *(f"best peer / {contender.title}" for contender in own),
              *(f"behind, {contender.title}" for contender in own)]]
    behind = []
    for group, ranks in dict.fromkeys((row["group"], row["ranks"]) for row in rows):
        shown = [row for row in rows if (row["group"], row["ranks"]) == (group, ranks)]
        means, counts = [], []
        for contender in own:
            ratios = [(quotient_beside(row["contenders"].get(row["best_peer"]), row["contenders"][contender.name]), row)
                      for row in shown]
            ratios = [(ratio, row) for ratio, row in ratios if ratio]
            means.append(f"{statistics.geometric_mean([ratio for ratio, _ in ratios]):.2f}" if ratios else "-")
            late = [(ratio, row["label"], contender.title) for ratio, row in ratios if ratio < BEHIND]
            counts.append(str(len(late)))
            behind += late
        lines.append([group, str(ranks), str(len(shown)), *means, *counts])
    text = aligned(lines)
    if behind:
        text += f"\n\nmore than 5 % behind the best peer:\n" + "\n".join(
            f"  {ratio:.2f}  {label}: {title}" for ratio, label, title in sorted(behind))
    return text


def write_table(rows, contenders):
    lines = [["figure", *(contender.title for contender in contenders), "best peer / MPI over FMPL"]]
    lines += [[row["label"], *(cell(row["contenders"][contender.name]) for contender in contenders),
               f"{row['ratio']:.2f}" if row["ratio"] else "-"] for row in rows]
    return aligned(lines) + "\n\n" + summary(rows, contenders)


SUITE = Suite("every collective call and windows of messages, over FMPL's MPI and the installed MPIs", OWN, installed_mpis(),
              steps, quick="2 and 4 ranks, 8 B and 4 KiB", write_table=write_table)
