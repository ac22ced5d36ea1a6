"""A file that all ranks write together, by the parallel HDF5."""
import h5py
from mpi4py import MPI

world = MPI.COMM_WORLD
with h5py.File("squares.h5", "w", driver="mpio", comm=world) as file:
    squares = file.create_dataset("squares", (world.size,), dtype="i")
    squares[world.rank] = world.rank**2
if world.rank == 0:
    with h5py.File("squares.h5") as file:
        print("squares", list(file["squares"][:]))
