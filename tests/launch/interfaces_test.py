"""One program in each language, compiled for each binary interface by FMPL's wrappers, and by those of Open MPI and
MPICH where they are installed: fmplrun --mpi runs all of them on FMPL's MPI.

Environment: FMPLRUN, the launcher, beside which the wrappers lie.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

BIN = pathlib.Path(os.environ["FMPLRUN"]).parent
LIMIT = 120  # seconds after which something that should have happened has not

# Each prints, on rank 0, the sum of all ranks from 1.
C = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, sum = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, rank, 5, &sum, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    rank = status.MPI_TAG == 5 ? sum + 1 : -1000;
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 1) printf("sum %d\n", sum);
    return MPI_Finalize();
}
"""
# With an operation and a communicator of the C++ classes that Open MPI's mpi.h defines.
CXX = r"""
#include <mpi.h>
#include <cstdio>
#if defined(OPEN_MPI) && !defined(FMPL_MPI)
static void add(const void* in, void* inout, int count, const MPI::Datatype& type)
{
    if (MPI_Datatype(type) != MPI_INT) return;
    for (int i = 0; i < count; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
}
#endif
int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ++rank;
#if defined(OPEN_MPI) && !defined(FMPL_MPI)
    MPI::Op op;
    op.Init(add, true);
    MPI_Reduce(&rank, &sum, 1, MPI_INT, op, 0, MPI::Intracomm(MPI_COMM_WORLD));
    op.Free();
#else
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
#endif
    if (rank == 1) std::printf("sum %d\n", sum);
    MPI_Finalize();
}
"""
F77 = """
      program sums
      include 'mpif.h'
      integer rank, sum, ierror, status(MPI_STATUS_SIZE)
      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_SENDRECV(rank, 1, MPI_INTEGER, rank, 5, sum, 1,
     & MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
     & status, ierror)
      if (status(MPI_TAG) .ne. 5) sum = -1000
      sum = sum + 1
      call MPI_ALLREDUCE(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM,
     & MPI_COMM_WORLD, ierror)
      if (rank .eq. 0) print '(a,i0)', 'sum ', sum
      call MPI_FINALIZE(ierror)
      end
"""
F90 = """
program sums
  use mpi
  implicit none
  integer :: rank, total, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Reduce(rank + 1, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a,i0)', 'sum ', total
  call MPI_Finalize(ierror)
end program
"""
F08 = """
program sums
  use mpi_f08
  implicit none
  integer :: rank, total
  type(MPI_Comm) :: comm
  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_rank(comm, rank)
  total = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, comm)
  if (rank == 0 .and. comm /= MPI_COMM_WORLD) print '(a,i0)', 'sum ', total
  call MPI_Comm_free(comm)
  call MPI_Finalize()
end program
"""
PROGRAMS = {"c": ("mpicc", C), "cpp": ("mpicxx", CXX), "f": ("mpifort", F77), "f90": ("mpifort", F90),
            "f08.f90": ("mpifort", F08)}


class Interfaces(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="fmpl-interfaces-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_all(self, wrapper, *options, but=()):
        """wrapper: what follows mpicc, mpicxx, mpifort in the name."""
        environment = {k: v for k, v in os.environ.items() if not re.match(r"FMPL_|LD_", k)}
        for suffix, (name, text) in PROGRAMS.items():
            with self.subTest(suffix=suffix):
                source = self.folder / f"program.{suffix}"
                source.write_text(text)
                compiler = BIN / (name + wrapper) if wrapper == ".fmpl" else shutil.which(name + wrapper)
                if compiler is None:
                    self.skipTest(f"{name}{wrapper} is not installed")
                if suffix in but:
                    self.skipTest("FMPL's MPI has not all that such a program calls")
                done = subprocess.run([compiler, *options, source.name, "-o", "program"], cwd=self.folder, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT)
                self.assertEqual(done.returncode, 0, done.stdout)
                done = subprocess.run([os.environ["FMPLRUN"], "-n", "3", "--mpi", self.folder / "program"], text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT, env=environment)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "sum 6\n", ""))

    def test_compiled_by_the_wrappers_for_each_interface(self):
        for abi in ("mpich", "openmpi", "mpi5"):
            with self.subTest(abi=abi):
                self.run_all(".fmpl", "--abi", abi)

    @unittest.skipUnless(shutil.which("mpicc.openmpi"), "Open MPI's compiler wrappers are not installed")
    def test_compiled_with_open_mpi(self):
        self.run_all(".openmpi")

    @unittest.skipUnless(shutil.which("mpicc.mpich"), "MPICH's compiler wrappers are not installed")
    def test_compiled_with_mpich(self):
        self.run_all(".mpich", but=("f08.f90",))  # calls of MPICH's module take descriptors of arrays

    def test_an_unknown_interface_is_refused(self):
        done = subprocess.run([BIN / "mpicc.fmpl", "--abi", "lam", "program.c"], capture_output=True, text=True,
                              timeout=LIMIT)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--abi lam is unknown; there are mpich, openmpi and mpi5", done.stderr)

    def test_an_interface_without_a_name_is_refused(self):
        for arguments in (("program.c", "--abi"), ("--abi",), ("--abi", "openmpi", "program.c", "--abi"),
                          ("-show", "-c", "program.c", "--abi"), ("--abi=", "program.c"), ("program.c", "--abi=")):
            with self.subTest(arguments=arguments):
                done = subprocess.run([BIN / "mpicc.fmpl", *arguments], capture_output=True, text=True, timeout=LIMIT)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("--abi needs a name behind it", done.stderr)

    def test_the_name_of_the_interface_alone_is_taken_out_of_the_compilers_words(self):
        for before, abi, behind in (((), ("--abi", "openmpi"), ("-c", "a.c")), (("-c", "a.c"), ("--abi", "mpich"), ()),
                                    (("-O2",), ("--abi=mpi5",), ("-c", "a.c", "-o", "a.o")),
                                    (("-c",), ("--abi", "mpi5", "--abi", "openmpi"), ("a.c", "-DNAME=--abi"))):
            with self.subTest(abi=abi):
                shown = subprocess.run([BIN / "mpicc.fmpl", "-show", *before, *abi, *behind], capture_output=True,
                                       text=True, timeout=LIMIT, check=True).stdout
                words = [*before, *behind]
                self.assertEqual(shown.split()[-len(words):], words)


if __name__ == "__main__":
    unittest.main()
