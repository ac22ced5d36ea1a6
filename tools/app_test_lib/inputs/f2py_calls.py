"""Calls MPI by a module of f2py and by mpi4py; the argument says which of them Python imports first."""
import sys

if sys.argv[1] == "f2py":
    import f2py_calls
    from mpi4py import MPI
else:
    from mpi4py import MPI
    import f2py_calls

import numpy

comm = MPI.COMM_WORLD
numbers = numpy.full(5, comm.rank + 1.0)
f2py_calls.sum_in_place(comm.py2f(), numbers)
before = f2py_calls.rank_before(comm.py2f())
lines = comm.gather(f"rank {comm.rank}: sum {numbers}, after rank {before}")
if comm.rank == 0:
    print("\n".join(lines))
