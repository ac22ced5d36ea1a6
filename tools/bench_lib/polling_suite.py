"""Ranks that poll where they could wait: a number that goes around them, found by each manner of asking, and HPL's way
of handing on panels while it computes. FMPL's MPI beside those that are installed. docs/performance.md says what is
expected."""
from bench_lib.contenders import Contender, Suite, installed_mpis
from bench_lib.figures import RANKS, Figure, UncrowdedStep, times_faster

PROGRAMS = {kind: f"mpi-bench.{kind}" for kind in ("mpi", "openmpi", "mpich")}
MANNERS = {"test": "MPI_Test, a hop", "testany": "MPI_Testany, a hop", "testsome": "MPI_Testsome, a hop",
           "iprobe": "MPI_Iprobe, a hop",
           "improbe": "MPI_Improbe, a hop", "ibarrier": "MPI_Test on MPI_Ibarrier", "panels": "panels by MPI_Iprobe",
           "short-panels": "panels of 64 B, MPI_Iprobe",
           "updates": "an update, MPI_Testany"}


class PollingStep(UncrowdedStep):
    """All manners on so many ranks."""

    def __init__(self, ranks):
        figures = [Figure(f"{manner}-{ranks}", f"{words}, {ranks} ranks", "manner", manner, expectation=times_faster(1))
                   for manner, words in MANNERS.items()]
        super().__init__("polling", ranks, PROGRAMS, ["polling"], figures)


def steps(quick, _peers):
    return [PollingStep(ranks) for ranks in ((2, 4, 16) if quick else (RANKS[0], 3, *RANKS[1:]))]


SUITE = Suite(
    "ranks that poll, over FMPL's MPI and the installed MPIs",
    [Contender("mpi", "MPI over FMPL", "mpi", "fmplrun"),
     Contender("mpi-heap", "MPI over FMPL, --rdma heap", "mpi", "fmplrun", options=["--rdma", "heap"])],
    installed_mpis(), steps, quick="2, 4 and 16 ranks")
