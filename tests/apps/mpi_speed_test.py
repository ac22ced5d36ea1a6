#!/usr/bin/env python3
"""Ways of FMPL's MPI that were once many times slower than others are not so again: polling ranks that share CPUs,
beside Open MPI where that is installed, and long broadcasts and reductions of private memory, beside the shim's own
schedules.

What is asked for is far from what is measured (docs/performance.md): these fail where a way is wrong, not where it is a
little slower. Environment: FMPLRUN, the launcher; FMPL_BENCH_PROGRAMS, the folder of mpi-bench.mpi and
mpi-bench.openmpi.
"""
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import tempfile
import unittest

FMPLRUN = shlex.split(os.environ.get("FMPLRUN", "fmplrun"))
PROGRAMS = pathlib.Path(os.environ.get("FMPL_BENCH_PROGRAMS", "."))
LIMIT_SECONDS = 60
CPUS = sorted(os.sched_getaffinity(0))[:2]


def measure(launcher, program, options, **variables):
    """The medians in seconds, by their line's name."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "result.json"
        command = [*launcher, PROGRAMS / program, *shlex.split(options), "--json", file]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              timeout=LIMIT_SECONDS, env={**os.environ, **variables},
                              preexec_fn=lambda: os.sched_setaffinity(0, CPUS))
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        rows = json.loads(file.read_text(encoding="utf-8"))["results"]
    return {row.get("line") or row["manner"]: row["seconds"]["median"] for row in rows}


ROUNDS = 16


@unittest.skipIf(len(CPUS) < 2, "needs two CPUs")
class Speed(unittest.TestCase):
    def assert_no_slower(self, what, ours, theirs, lines=None):
        """The ratio in the middle of up to ROUNDS in turn, as few as suffice: a round may be slowed down by anything,
        and the CPUs of a virtual machine are near each other for one and far apart for the next."""
        ratios = {}
        for _ in range(ROUNDS):
            seconds, of_others = ours(), theirs()
            for line in lines or seconds:
                ratios.setdefault(line, []).append(seconds[line] / of_others[line])
            slower = {line: of_rounds for line, of_rounds in ratios.items() if statistics.median(of_rounds) > 1.2}
            if not slower:
                return
        self.fail(f"{what}, ours over theirs: {slower}")

    def test_ranks_that_poll_hand_their_cpu_on(self):
        for ranks in (3, 8, 16):
            ours = measure([*FMPLRUN, "-n", str(ranks)], "mpi-bench.mpi", "polling --samples 3 --batch-ms 20")
            for line, seconds in ours.items():
                with self.subTest(line, ranks=ranks):
                    # A rank that keeps its CPU has it for milliseconds, and all others wait.
                    self.assertLess(seconds, 20e-3 if "panels" in line else 1e-3)

    def test_panels_as_hpl_passes_them_on_take_no_longer_than_over_open_mpi(self):
        launcher = shutil.which("mpirun.openmpi")
        if launcher is None or not (PROGRAMS / "mpi-bench.openmpi").exists():
            self.skipTest("Open MPI is not installed")
        peer = [launcher, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
        options = "polling --samples 3 --batch-ms 20"
        for ranks in (4, 8, 16):
            self.assert_no_slower(
                f"{ranks} ranks", lambda n=str(ranks): measure([*FMPLRUN, "-n", n], "mpi-bench.mpi", options),
                lambda n=str(ranks): measure([*peer, "-n", n], "mpi-bench.openmpi", options),
                ("panels", "short-panels"))

    def test_long_private_memory_goes_the_faster_way(self):
        options = "collectives --calls bcast,reduce,allreduce --sizes 32K,256K,1M --root fixed --samples 5 " \
                  "--batch-ms 10"
        for ranks in (2, 4):
            for data in ("kept", "new"):
                launcher = [*FMPLRUN, "-n", str(ranks)]
                given = f"{options} --data {data}"
                self.assert_no_slower(
                    f"{ranks} ranks, {data} data", lambda: measure(launcher, "mpi-bench.mpi", given),
                    lambda: measure(launcher, "mpi-bench.mpi", given, FMPL_MPI_COLLECTIVES="schedule"))


if __name__ == "__main__":
    unittest.main()
