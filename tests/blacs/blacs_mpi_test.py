"""The BLACS over each MPI for which they were built: all cases of blacs_mpi_test, and how errors end a job.

Environment: BLACS_MPI_MPI, BLACS_MPI_OPENMPI, BLACS_MPI_MPICH: the program over that MPI, FMPL's being the first;
BLACS_BESIDE_MPI: with BLACS-FMPL, and MPI calls to FMPL's MPI. Without it, or without the MPI's launcher, its tests are
skipped. PDGEMM_MPI, PDGEMM_OPENMPI, PDGEMM_MPICH: pdgemm over that BLACS.
FMPLRUN: the launcher of FMPL's MPI.
"""
import os
import shlex
import shutil
import subprocess
import unittest

LIMIT_SECONDS = 150


class OverMpi:
    """The tests, for a class that names the program, the launcher and the number of processes."""

    # What the words are when a message is longer than the matrix, and when one was never received.
    TOO_LONG = ("Cdgerv2d", "process 1 at {0,1}", "has more elements than the matrix, which has 8")
    NEVER_RECEIVED = "process 0 leaves, and of the messages that it sent 1 were never received"
    # What has become of an MPI that the program initialized, after Cblacs_exit(0).
    OWN_MPI = "still up"
    # Jobs that fail are started so often until one's words arrive.
    ATTEMPTS = 1

    @classmethod
    def setUpClass(cls):
        if not cls.PROGRAM:
            raise unittest.SkipTest(f"the BLACS were not built over {cls.__name__}")
        if not shutil.which(cls.LAUNCHER[0]):
            raise unittest.SkipTest(f"{cls.LAUNCHER[0]} is not installed")

    def run_job(self, processes, *arguments, program=None):
        # Open MPI asks root twice whether it means it.
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return subprocess.run([*self.LAUNCHER, str(processes), program or self.PROGRAM, *arguments], env=environment,
                              capture_output=True, text=True, timeout=LIMIT_SECONDS)

    def expect_error(self, end, *words):
        for _ in range(self.ATTEMPTS):
            done = self.run_job(2, f"end={end}")
            if done.stderr:
                break
        self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("no error", done.stdout)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_all_cases_hold(self):
        done = self.run_job(self.PROCESSES, "--gtest_brief=1", "--gtest_color=no")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("[  PASSED  ]"), self.PROCESSES, done.stdout)

    def test_a_message_longer_than_the_matrix_ends_the_job_in_words(self):
        self.expect_error("too-long", *self.TOO_LONG)

    def test_a_process_outside_the_grid_is_refused_in_words(self):
        self.expect_error("outside", "Cdgesd2d", "process 0", "rdest = 7 is outside the 1 x 2 grid")

    def test_abort_ends_every_process(self):
        self.expect_error("abort", "Cblacs_abort", "error number 9")

    def test_a_message_that_nobody_receives_is_reported_and_hinders_nobody(self):
        done = self.run_job(2, "end=never-received")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("left"), 2, done.stdout)
        self.assertRegex(done.stderr, self.NEVER_RECEIVED)

    def test_an_mpi_that_the_program_initialized_ends_when_it_should(self):
        done = self.run_job(2, "end=own-mpi")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(self.OWN_MPI), 2, done.stdout)

    def test_pdgemm_multiplies_over_it(self):
        if not self.PDGEMM:
            self.skipTest("the applications are not built")
        done = self.run_job(self.PROCESSES, "--m", "150", "--n", "130", "--k", "170", "--nb", "20", "--reps", "1",
                            "--grid", f"{self.PROCESSES // 2}x2", "--verify", program=self.PDGEMM)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("yes", done.stdout)


class Fmpl(OverMpi, unittest.TestCase):
    PROGRAM = os.environ.get("BLACS_MPI_MPI")
    PDGEMM = os.environ.get("PDGEMM_MPI")
    LAUNCHER = [*shlex.split(os.environ.get("FMPLRUN", "fmplrun")), "--timeout", "60", "-n"]
    PROCESSES = 4


class FmplBeside(OverMpi, unittest.TestCase):
    PROGRAM = os.environ.get("BLACS_BESIDE_MPI")
    LAUNCHER = Fmpl.LAUNCHER
    PROCESSES = 4
    TOO_LONG = ("Cdgerv2d", "process 1 at {0,1}", "m = 2, n = 4 is too small for what {0,0} sent", "has 72 bytes")
    NEVER_RECEIVED = "^$"  # it has gone with the grid
    OWN_MPI = "finalized"

    test_pdgemm_multiplies_over_it = None  # pdgemm.fmpl calls no MPI: nothing is beside it


class OpenMpi(OverMpi, unittest.TestCase):
    PROGRAM = os.environ.get("BLACS_MPI_OPENMPI")
    PDGEMM = os.environ.get("PDGEMM_OPENMPI")
    LAUNCHER = ["mpirun.openmpi", "--oversubscribe", "-np"]
    PROCESSES = 4


# Its waiting processes do not yield: two are as many as two processors bear.
class Mpich(OverMpi, unittest.TestCase):
    # On a busy machine MPICH's launcher may end before it has passed on what a process wrote when it called MPI_Abort.
    ATTEMPTS = 5
    PROGRAM = os.environ.get("BLACS_MPI_MPICH")
    PDGEMM = os.environ.get("PDGEMM_MPICH")
    LAUNCHER = ["mpiexec.mpich", "-n"]
    PROCESSES = 2


if __name__ == "__main__":
    unittest.main()
