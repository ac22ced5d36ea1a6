"""The module mpi_f08 in each binary interface. fortran_2008.f90 says what it looks at, and prints a line for each part.

Environment: FMPLRUN (the launcher), SANITIZER (of the library, or none), FORTRAN_2008, FORTRAN_2008_OPENMPI,
FORTRAN_2008_MPI5 (the program, compiled for each interface).
"""
import os
import shutil
import subprocess
import tempfile
import unittest

LIMIT_SECONDS = 60
PARTS = ["handles", "messages", "keywords", "collective calls", "types", "memory", "functions", "texts and topologies"]
# libgfortran reads strings that end by their length; AddressSanitizer's strict check of C strings calls that an error.
ASAN_OPTIONS = os.environ.get("ASAN_OPTIONS", "").replace(":strict_string_checks=1", "")


class Fortran2008(unittest.TestCase):
    def assert_every_part_holds(self, program, ranks, *options):
        done = subprocess.run([os.environ["FMPLRUN"], "-n", str(ranks), "--timeout", "50", *options, program],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_SECONDS,
                              env={**os.environ, "ASAN_OPTIONS": ASAN_OPTIONS})
        self.assertEqual((done.returncode, done.stdout.splitlines()), (0, [f"OK {part}" for part in PARTS]))

    def test_in_each_interface(self):
        for program in ("FORTRAN_2008", "FORTRAN_2008_OPENMPI", "FORTRAN_2008_MPI5"):
            for ranks in (1, 3):
                with self.subTest(program=program, ranks=ranks):
                    self.assert_every_part_holds(os.environ[program], ranks)

    @unittest.skipIf(os.environ["SANITIZER"] != "none", "the program would have no sanitizer, and the library has one")
    @unittest.skipUnless(shutil.which("mpifort.openmpi"), "Open MPI's compiler wrapper is not installed")
    def test_a_program_compiled_with_open_mpis_module(self):
        source = os.path.join(os.path.dirname(__file__), "fortran_2008.f90")
        with tempfile.TemporaryDirectory(prefix="fmpl-f08-") as folder:
            # Open MPI 4.1 declares two routines that it has not.
            with open(source, encoding="utf-8") as file:
                text = file.read().replace("call MPI_Status_f082f(statuses(1), fields)", "fields(MPI_TAG) = 5").replace(
                    "call MPI_Status_f2f08(fields, status)", "status = statuses(1)")
            with open(os.path.join(folder, "program.f90"), "w", encoding="utf-8") as file:
                file.write(text)
            program = os.path.join(folder, "program")
            subprocess.run(["mpifort.openmpi", "-w", "program.f90", "-o", program], cwd=folder, check=True)
            self.assert_every_part_holds(program, 3, "--mpi")


if __name__ == "__main__":
    unittest.main()
