"""The tests of the MPI standard over each installed MPI for which they were built: so are the tests themselves tested.

Environment: MPI_STANDARD_OPENMPI, MPI_STANDARD_MPICH: the programs over that MPI, with : between them; without it, or
without the MPI's launcher, its tests are skipped.
"""
import os
import shutil
import subprocess
import unittest

LIMIT_SECONDS = 150


class OverMpi:
    """The tests, for a class that names the programs, the launcher and the numbers of processes."""

    def test_every_body_holds(self):
        programs = [name for name in os.environ.get(self.PROGRAMS, "").split(":") if name]
        if not programs:
            self.skipTest(f"{self.PROGRAMS} is not set: the tests were not built over this MPI")
        if not shutil.which(self.LAUNCHER[0]):
            self.skipTest(f"{self.LAUNCHER[0]} is not installed")
        # Open MPI asks root twice whether it means it.
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        for program in programs:
            for processes in self.PROCESSES:
                with self.subTest(program=os.path.basename(program), processes=processes):
                    done = subprocess.run([*self.LAUNCHER, str(processes), program], env=environment,
                                          capture_output=True, text=True, timeout=LIMIT_SECONDS)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn("all hold", done.stdout)


class OpenMpi(OverMpi, unittest.TestCase):
    PROGRAMS = "MPI_STANDARD_OPENMPI"
    LAUNCHER = ["mpirun.openmpi", "--oversubscribe", "-np"]
    PROCESSES = (1, 2, 3, 4)


# Its waiting processes do not yield: two are as many as two processors bear.
class Mpich(OverMpi, unittest.TestCase):
    PROGRAMS = "MPI_STANDARD_MPICH"
    LAUNCHER = ["mpiexec.mpich", "-n"]
    PROCESSES = (1, 2)


if __name__ == "__main__":
    unittest.main()
