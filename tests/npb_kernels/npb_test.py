"""The kernels over each communication library that they were built for: class S at several rank counts, which must
verify; what they print and write; how they end. Beside them, what the communication promises, over each MPI.

Environment: NPB_PROGRAMS, the folder of ft.fmpl, ft.mpi ...; NPB_TEST_PROGRAMS, that of npb_program_probe.fmpl,
npb_communication_test.mpi ...; FMPLRUN, FMPL's launcher. A library without programs, or without its launcher, is
skipped, FMPL excepted.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

PROGRAMS = pathlib.Path(os.environ.get("NPB_PROGRAMS", "/missing"))
TEST_PROGRAMS = pathlib.Path(os.environ.get("NPB_TEST_PROGRAMS", "/missing"))
FMPLRUN = [*shlex.split(os.environ.get("FMPLRUN", "fmplrun")), "--timeout", "60"]
KERNELS = ("ft", "mg", "is", "cg")
TIMED_ITERATIONS = {"ft": 6, "mg": 4, "is": 10, "cg": 15}  # of class S
# With a sanitizer a job takes seconds; there the kernels' own tests run class S in all layouts.
SANITIZED = bool(os.environ.get("FMPL_TEST_SANITIZED"))
RANKS = (4,) if SANITIZED else (1, 2, 4, 8)
POWERS_OF_TWO_ONLY = ("ft", "mg", "cg")
LIMIT_SECONDS = 90
CPUS = len(os.sched_getaffinity(0))


def available_gib():
    found = re.search(r"^MemAvailable: +(\d+) kB$", pathlib.Path("/proc/meminfo").read_text(), re.M)
    return int(found.group(1)) / 2**20


class Over:
    """The tests, for a class that names the library, its launcher and the beginning of what the library calls
    itself."""

    MOST_RANKS = 1000

    @classmethod
    def setUpClass(cls):
        cls.kernels = [kernel for kernel in KERNELS if (PROGRAMS / f"{kernel}.{cls.LIBRARY}").exists()]
        if not cls.kernels and not (TEST_PROGRAMS / f"npb_program_probe.{cls.LIBRARY}").exists():
            raise unittest.SkipTest(f"the kernels were not built over {cls.__name__}")
        if not shutil.which(cls.LAUNCHER[0]):
            raise unittest.SkipTest(f"{cls.LAUNCHER[0]} is not installed")

    def run_job(self, ranks, program, *arguments):
        # Open MPI asks root twice whether it means it.
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return subprocess.run([*self.LAUNCHER, "-n", str(ranks), str(program), *arguments], env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_SECONDS)

    def rank_counts(self, kernel):
        return RANKS if SANITIZED or kernel in POWERS_OF_TWO_ONLY else (*RANKS, 3)

    def run_kernel(self, kernel, ranks, *arguments, status=0):
        done = self.run_job(ranks, PROGRAMS / f"{kernel}.{self.LIBRARY}", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def run_probe(self, ranks, *arguments, status=0):
        done = self.run_job(ranks, TEST_PROGRAMS / f"npb_program_probe.{self.LIBRARY}", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_every_kernel_verifies_class_s(self):
        for kernel in self.kernels:
            for ranks in (count for count in self.rank_counts(kernel) if count <= self.MOST_RANKS):
                with self.subTest(kernel=kernel, ranks=ranks), tempfile.TemporaryDirectory() as folder:
                    file = pathlib.Path(folder) / "result.json"
                    done = self.run_kernel(kernel, ranks, "--class", "S", "--json", str(file))
                    self.assertRegex(done.stdout, r"(?m)^ Verification +=  +SUCCESSFUL$")
                    self.check_file(json.loads(file.read_text()), kernel, ranks)

    def check_file(self, written, kernel, ranks):
        self.assertEqual((written["kernel"].lower(), written["class"], written["ranks"]), (kernel, "S", ranks))
        self.assertIs(written["verified"], True)
        self.assertEqual(written["iterations"], TIMED_ITERATIONS[kernel])
        self.assertTrue(written["checks"])
        for check in written["checks"]:
            self.assertIs(check["passed"], True, check)
        self.assertGreater(written["seconds"], 0)
        self.assertGreater(written["operations"], 0)
        self.assertTrue(written["library"].startswith(self.NAME), written["library"])
        self.assertEqual(len(written["communication_seconds"]), ranks)
        for computation, communication in zip(written["computation_seconds"], written["communication_seconds"]):
            self.assertGreaterEqual(communication, 0)
            self.assertGreaterEqual(computation, 0)
            self.assertLessEqual(computation + communication, written["seconds"] * (1 + 1e-9))

    def test_wrong_arguments_and_rank_counts_are_refused_in_words(self):
        for kernel in self.kernels:
            with self.subTest(kernel):
                done = self.run_kernel(kernel, 2, "--class", "E", status=2)
                self.assertIn("--class 'E': give one of S, W, A, B, C, D", done.stderr)
                self.assertEqual(done.stderr.count("--class 'E'"), 1, "one rank speaks for all")
                done = self.run_kernel(kernel, 2, "--colour", "blue", status=2)
                self.assertIn("--colour", done.stderr)
                if kernel in POWERS_OF_TWO_ONLY and self.MOST_RANKS >= 3:
                    done = self.run_kernel(kernel, 3, status=2)
                    self.assertRegex(done.stderr, rf"(?m)^{kernel.upper()}: .*\b3\b")
                    self.assertNotIn("Verification", done.stdout)

    def test_options_of_a_kernel_reach_all_its_ranks(self):
        for kernel, option, key, value in (("mg", ("--grid", "1x2x4"), None, None),
                                           ("ft", ("--layout", "pencil"), "layout", "pencil")):
            if kernel in self.kernels and self.MOST_RANKS >= 8:
                for _ in range(1 if SANITIZED else 5):
                    with tempfile.TemporaryDirectory() as folder:
                        file = pathlib.Path(folder) / "result.json"
                        self.run_kernel(kernel, 8, "--json", str(file), *option)
                        written = json.loads(file.read_text())
                    self.assertIs(written["verified"], True)
                    if key:
                        self.assertIn(value, str(written["details"]))

    def test_help_is_printed_once(self):
        for kernel in self.kernels:
            with self.subTest(kernel):
                done = self.run_kernel(kernel, 2, "--help")
                self.assertEqual(done.stdout.count("--class"), 1)
                self.assertIn("--json", done.stdout)

    def test_what_is_printed_has_the_benchmarks_form(self):
        done = self.run_probe(2, "--class", "w")
        for line in (rf" NAS Parallel Benchmark PROBE over {self.NAME}.*", r" class W, 2 ranks", r"iteration 1",
                     r" PROBE Benchmark Completed\.", r" Class           =                        W",
                     r" Size            =                    3 x 5", r" Iterations      =                        7",
                     r" Time in seconds = +\d+\.\d+", r" Total processes =                        2",
                     r" Mop/s total     = +\d+\.\d+", r" Operation type  =           nothing at all",
                     r" Verification    =               SUCCESSFUL", r" +0 +\d+\.\d{4} +\d+\.\d{4}",
                     r" +1 +\d+\.\d{4} +\d+\.\d{4}"):
            self.assertRegex(done.stdout, rf"(?m)^{line}$")
        self.assertEqual(done.stdout.count("iteration 1"), 1)
        self.assertEqual(done.stdout.count("Benchmark Completed"), 1)

    def test_a_wrong_result_and_an_unchecked_one_are_failures(self):
        done = self.run_probe(2, "--end", "wrong", status=1)
        self.assertIn("UNSUCCESSFUL", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^ second: 2\.25\d*e\+00, and it should be 2\.5\d*e\+00$")
        self.assertNotIn(" first:", done.stdout)
        self.assertIn("UNSUCCESSFUL", self.run_probe(2, "--end", "unchecked", status=1).stdout)

    def test_a_refusal_ends_the_job_in_order(self):
        done = self.run_probe(2, "--end", "refusal", status=2)
        self.assertEqual(done.stderr.count("PROBE: 6 ranks would do"), 1)
        self.assertNotIn("never received", done.stderr)

    def test_a_class_that_does_not_fit_is_refused_with_what_it_takes_and_what_there_is(self):
        done = self.run_probe(2, "--end", "memory", "--class", "D", status=2)
        self.assertRegex(done.stderr, r"PROBE: class D on 2 ranks takes 2097152\.0 GiB of memory, and \d+\.\d GiB are "
                                      r"available here; use a smaller class")
        self.assertNotIn("iteration", done.stdout)
        self.run_probe(2, "--end", "little-memory")
        if "ft" in self.kernels and available_gib() < 60:
            done = self.run_kernel("ft", 2, "--class", "D", status=2)
            self.assertRegex(done.stderr, r"FT: class D on 2 ranks takes \d+\.\d GiB")

    def test_an_error_on_one_rank_ends_all_with_its_words(self):
        done = self.run_probe(2, "--end", "exception", status=1)
        self.assertIn("PROBE: a shelf broke", done.stdout + done.stderr)
        done = self.run_probe(2, "--end", "bad-alloc", status=1)
        self.assertIn("PROBE: not enough memory; use a smaller class", done.stdout + done.stderr)

    def test_a_file_that_cannot_be_written_is_known_before_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "missing" / "result.json"
            done = self.run_probe(2, "--json", str(file), status=2)
            self.assertIn(f"PROBE: --json '{file}' cannot be written", done.stderr)
            self.assertNotIn("iteration", done.stdout)
            file = pathlib.Path(folder) / "result.json"
            self.run_probe(2, "--json", str(file), "--end", "refusal", status=2)
            self.assertFalse(file.exists(), "a run that is refused leaves no file")

    def test_the_file_has_all_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            self.run_probe(2, "--json", str(file), "--end", "wrong", "--class", "B", status=1)
            written = json.loads(file.read_text())
        self.assertEqual({key: written[key] for key in ("kernel", "class", "size", "iterations", "ranks", "operations",
                                                        "verified", "details")},
                         {"kernel": "PROBE", "class": "B", "size": "3 x 5", "iterations": 7, "ranks": 2,
                          "operations": 2e6, "verified": False, "details": {"layout": "flat"}})
        self.assertEqual(written["checks"], [{"name": "first", "value": 1.5, "reference": 1.5, "passed": True},
                                             {"name": "second", "value": 2.25, "reference": 2.5, "passed": False}])
        self.assertAlmostEqual(written["mops"] * written["seconds"], 2)
        self.assertGreaterEqual(written["cpus"], 1)


class OverMpi(Over):
    def test_the_communication_keeps_its_promises(self):
        program = TEST_PROGRAMS / f"npb_communication_test.{self.LIBRARY}"
        for ranks in (count for count in (1, 2, 3, 4, 8) if count <= self.MOST_RANKS):
            with self.subTest(ranks):
                done = self.run_job(ranks, program, "--gtest_brief=1", "--gtest_color=no")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(done.stdout.count("[  PASSED  ]"), ranks, done.stdout)


class Fmpl(Over, unittest.TestCase):
    LIBRARY, NAME = "fmpl", "FMPL"
    LAUNCHER = (*FMPLRUN, "--ranks-as", "processes")

    def test_all_kernels_are_built(self):
        self.assertEqual(self.kernels, list(KERNELS))


class FmplInOneProcess(Over, unittest.TestCase):
    LIBRARY, NAME = "fmpl", "FMPL"
    LAUNCHER = (*FMPLRUN, "--ranks-as", "threads")

    def test_it_is_what_fmplrun_does_where_ranks_outnumber_cpus(self):
        done = subprocess.run([*FMPLRUN, "--report-bindings", "-n", str(4 * CPUS), str(PROGRAMS / "is.fmpl")],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        failed = subprocess.run([*FMPLRUN, "-n", str(4 * CPUS), str(TEST_PROGRAMS / "npb_program_probe.fmpl"),
                                 "--end", "exception"],
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        self.assertEqual(failed.returncode, 1, failed.stderr)
        self.assertIn("PROBE: a shelf broke", failed.stderr)


class MpiOverFmpl(OverMpi, unittest.TestCase):
    LIBRARY, NAME = "mpi", "MPI"
    LAUNCHER = FMPLRUN


class OpenMpi(OverMpi, unittest.TestCase):
    LIBRARY, NAME = "openmpi", "Open MPI"
    LAUNCHER = ("mpirun.openmpi", "--oversubscribe")


class Mpich(OverMpi, unittest.TestCase):
    """Its ranks spin while they wait: where they share CPUs, each message takes time slices of the system."""
    LIBRARY, NAME = "mpich", "MPICH"
    LAUNCHER = ("mpiexec.mpich",)
    MOST_RANKS = max(1, CPUS)


if __name__ == "__main__":
    unittest.main(verbosity=2)
