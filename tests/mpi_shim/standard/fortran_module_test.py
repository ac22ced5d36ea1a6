"""What compiles with MPICH's module mpi compiles with ours, by the compiler wrapper: fortran_older.f90.

Environment: FMPLRUN (the launcher, beside which the wrappers lie).
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

LIMIT_SECONDS = 60
SOURCE = pathlib.Path(__file__).parent / "fortran_older.f90"
FMPLRUN = pathlib.Path(os.environ["FMPLRUN"])


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=LIMIT_SECONDS)
    return done.returncode, done.stdout


class Module(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="fmpl-module-")
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def assert_compiles(self, compiler, *options):
        status, output = run(compiler, "-w", SOURCE, "-J", self.folder, *options)
        self.assertEqual((status, output), (0, ""))

    @unittest.skipUnless(shutil.which("mpifort.mpich"), "MPICH's Fortran is not installed (libmpich-dev)")
    def test_of_mpich_takes_the_program(self):
        self.assert_compiles("mpifort.mpich", "-fsyntax-only")

    def test_takes_the_program_which_runs(self):
        program = pathlib.Path(self.folder) / "older"
        self.assert_compiles(FMPLRUN.parent / "mpifort.fmpl", "-o", program)
        self.assertEqual(run(FMPLRUN, "-n", 2, "--timeout", 50, program), (0, "OK\n"))


if __name__ == "__main__":
    unittest.main()
