"""The sentinels of MPI (MPI-3.1, section 2.5.4) in a Fortran library that a program without Fortran opens for itself:
the library's common blocks are then others than those of the MPI library.

Environment: FMPLRUN (the launcher), FORTRAN_LIBRARY_PROBE (the program), MPI_LIBRARY (the shim), FORTRAN_LIBRARIES (a
folder with fortran_library.F90 as libraries, with the module mpi, with mpif.h, and linked with -Bsymbolic).
"""
import os
import pathlib
import subprocess
import unittest

LIMIT_SECONDS = 60
SENTINELS = ["MPI_IN_PLACE", "MPI_BOTTOM", "MPI_STATUS_IGNORE", "MPI_STATUSES_IGNORE", "MPI_UNWEIGHTED",
             "MPI_WEIGHTS_EMPTY"]
# libgfortran reads strings that end by their length; AddressSanitizer's strict check of C strings calls that an error.
ASAN_OPTIONS = os.environ.get("ASAN_OPTIONS", "").replace(":strict_string_checks=1", "")


class FortranLibrary(unittest.TestCase):
    def assert_sentinels_are_known(self, *libraries):
        done = subprocess.run([os.environ["FMPLRUN"], "-n", "2", "--timeout", "50",
                               os.environ["FORTRAN_LIBRARY_PROBE"], *map(str, libraries)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_SECONDS,
                              env={**os.environ, "ASAN_OPTIONS": ASAN_OPTIONS})
        self.assertEqual((done.returncode, done.stdout.splitlines()), (0, [f"OK {name}" for name in SENTINELS]))

    def library(self, kind):
        return pathlib.Path(os.environ["FORTRAN_LIBRARIES"]) / f"libmpi_fortran_library_{kind}.so"

    def test_opened_after_mpi_was_opened_for_others(self):
        for kind in ("module", "mpif_h"):
            with self.subTest(kind=kind):
                self.assert_sentinels_are_known(os.environ["MPI_LIBRARY"], self.library(kind))

    def test_that_brings_mpi(self):
        self.assert_sentinels_are_known(self.library("module"))

    def test_opened_beside_another_one(self):
        self.assert_sentinels_are_known(self.library("mpif_h"), self.library("module"))

    def test_that_is_bound_to_its_own_blocks(self):
        self.assert_sentinels_are_known(self.library("bound"))


if __name__ == "__main__":
    unittest.main()
