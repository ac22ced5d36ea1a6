"""MPI-3.1 from Fortran, sections 17.1 and 17.2: what differs from C. fortran_calls.F90 says what it looks at, and
prints a line for each part.

Environment: FMPLRUN (the launcher), FORTRAN_CALLS_MODULE and FORTRAN_CALLS_MPIF_H (the program, built with the module
mpi and with mpif.h).
"""
import os
import subprocess
import unittest

LIMIT_SECONDS = 60
PARTS = ["operations", "attributes", "ready-made attribute functions", "attributes of types", "deprecated attributes",
         "error handlers", "generalized requests", "logicals", "names", "infos", "texts", "sentinels", "weights",
         "indices", "characters", "functions", "files and windows"]
# libgfortran reads strings that end by their length; AddressSanitizer's strict check of C strings calls that an error.
ASAN_OPTIONS = os.environ.get("ASAN_OPTIONS", "").replace(":strict_string_checks=1", "")


class FortranCalls(unittest.TestCase):
    def assert_every_part_holds(self, program, ranks=2):
        done = subprocess.run([os.environ["FMPLRUN"], "-n", str(ranks), "--timeout", "50", os.environ[program]],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT_SECONDS,
                              env={**os.environ, "ASAN_OPTIONS": ASAN_OPTIONS})
        self.assertEqual((done.returncode, done.stdout.splitlines()), (0, [f"OK {part}" for part in PARTS]),
                         done.stderr)
        # Of the first call of a file, whose errors are returned, each rank tells; of the others none.
        self.assertEqual(sorted(done.stderr.splitlines()),
                         [f"fmpl: warning: rank {rank}: MPI_File_open: files are not there yet; such calls return "
                          "MPI_ERR_UNSUPPORTED_OPERATION" for rank in range(ranks)])

    def test_with_the_module(self):
        self.assert_every_part_holds("FORTRAN_CALLS_MODULE")

    def test_with_mpif_h(self):
        self.assert_every_part_holds("FORTRAN_CALLS_MPIF_H")

    def test_on_other_numbers_of_ranks(self):
        for ranks in (1, 3):
            for program in ("FORTRAN_CALLS_MODULE", "FORTRAN_CALLS_MPIF_H"):
                with self.subTest(ranks=ranks, program=program):
                    self.assert_every_part_holds(program, ranks=ranks)


if __name__ == "__main__":
    unittest.main()
