"""A program's runs over FMPL and over its own MPI, in turn, and what comes of them."""
import pathlib
import statistics
import tempfile

from app_test_lib.running import NotPrepared, TITLES, prepare, ranks_of, run_over_fmpl, run_over_own

SAME, DIFFERS, FAILS, OWN_FAILS = "same results", "OTHER RESULTS", "FAILS", "ITS OWN MPI FAILS"
ENDS = "ends"  # and has no results to be compared, or nothing that they were compared with
NOT_YET, NOT_RUN, SKIPPED = "not yet", "NOT RUN", "skipped"
GOOD = (SAME, ENDS, NOT_YET, SKIPPED)


class Comparison:
    """verdict: one of the words above. why: what went wrong, or what is missing."""

    def __init__(self, program, ranks, verdict=None, why=""):
        self.program, self.ranks, self.verdict, self.why = program, ranks, verdict, why
        self.ours, self.theirs = [], []

    @property
    def good(self):
        return self.verdict in GOOD

    def judge(self, only_fmpl):
        problem = next((run.problem for run in self.ours if run.problem), None)
        of_own = next((run.problem for run in self.theirs if run.problem), None)
        if problem:
            self.verdict, self.why = (NOT_YET if self.program.not_yet else FAILS), problem
        elif of_own:
            self.verdict, self.why = OWN_FAILS, of_own
        elif only_fmpl or not self.program.results:
            self.verdict = ENDS
        else:
            self.why = next(filter(None, map(self.difference, self.ours)), "")
            self.verdict = DIFFERS if self.why else SAME

    def difference(self, run):
        for lines, ours, theirs in zip(self.program.results, run.results, self.theirs[0].results):
            words = lines.difference(ours, theirs)
            if words:
                return words
        return None

    # ---- Times and figures: medians over the rounds; None where there is none ----

    @staticmethod
    def median(runs, value=lambda run: run.seconds):
        values = [value(run) for run in runs if not run.problem and value(run) is not None]
        return statistics.median(values) if values else None

    def seconds(self):
        """FMPL's, its own MPI's, and the ratio, above 1 where FMPL is the faster one."""
        ours, theirs = self.median(self.ours), self.median(self.theirs)
        return ours, theirs, theirs / ours if ours and theirs and self.program.timed else None

    def figures(self):
        """[(figure, FMPL's, its own MPI's, ratio)]"""
        found = []
        for at, figure in enumerate(self.program.figures):
            ours, theirs = (self.median(runs, lambda run, at=at: run.figures[at]) for runs in (self.ours, self.theirs))
            if ours:
                found.append((figure, ours, theirs, figure.ratio(ours, theirs)))
        return found

    def document(self):
        ours, theirs, ratio = self.seconds()
        return {
            "program": self.program.name, "title": self.program.title(), "packages": list(self.program.packages),
            "mpi": TITLES[self.program.mpi], "ranks": self.ranks, "verdict": self.verdict, "why": self.why,
            "not_yet": self.program.not_yet, "fmpl_seconds": ours, "own_seconds": theirs, "ratio": ratio,
            "figures": [{"figure": figure.name, "fmpl": ours, "own": theirs, "ratio": ratio}
                        for figure, ours, theirs, ratio in self.figures()],
            "samples": {"fmpl": [run.seconds for run in self.ours], "own": [run.seconds for run in self.theirs]},
        }


def compare(program, options):
    comparison = Comparison(program, ranks_of(program, options.ranks))
    with tempfile.TemporaryDirectory(prefix="app-test-") as scratch:
        prepared = pathlib.Path(scratch)
        try:
            prepare(program, prepared)
        except NotPrepared as error:
            comparison.verdict, comparison.why = NOT_RUN, str(error)
            return comparison
        for _ in range(options.rounds):
            ours = run_over_fmpl(program, comparison.ranks, prepared, options.fmplrun, options.timeout)
            comparison.ours.append(ours)
            if not options.only_fmpl:
                comparison.theirs.append(run_over_own(program, comparison.ranks, prepared, options.timeout))
            if ours.problem or any(run.problem for run in comparison.theirs):
                break
    comparison.judge(options.only_fmpl)
    return comparison
