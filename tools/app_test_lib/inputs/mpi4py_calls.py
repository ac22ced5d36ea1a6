"""What programs in Python do: buffers without numpy, pickled objects, derived types, topologies, intercommunicators."""
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
lines = []

# A ring by buffers, of each size a protocol of its own.
for size in (1, 100, 5000, 100000, 1000000):
    sent, received = bytearray([rank % 251]) * size, bytearray(size)
    world.Sendrecv(sent, (rank + 1) % ranks, 3, received, (rank - 1) % ranks, 3)
    lines.append(f"ring {size}: {sorted(set(received))}")

numbers, total = array("d", [rank + 0.5] * 1000), array("d", [0.0] * 1000)
world.Allreduce(numbers, total, MPI.SUM)
lines.append(f"allreduce: {total[0]} {total[-1]}")
longest = array("i", [0])
world.Reduce(array("i", [rank * rank]), longest, MPI.MAX, root=ranks - 1)
lines.append(f"reduce: {longest[0]}")

# Objects, as bytes of lengths that the receivers do not know.
thing = {"from": rank, "list": list(range(rank * 10)), "text": "x" * rank}
lines.append(f"objects: {[len(got['list']) for got in world.allgather(thing)]}")
world.isend(thing, (rank + 1) % ranks, 4)
lines.append(f"object by isend: {world.recv(source=MPI.ANY_SOURCE, tag=4)['from']}")
lines.append(f"scattered: {world.scatter([n * n for n in range(ranks)] if rank == 0 else None)}")
lines.append(f"reduced by Python: {world.allreduce([rank], lambda a, b: a + b)}")

# A column of a matrix.
matrix = array("i", [row * 10 + column for row in range(8) for column in range(8)])
column_type = MPI.INT.Create_vector(8, 1, 8).Commit()
column = array("i", [0] * 8)
world.Sendrecv([matrix, 1, column_type], (rank + 1) % ranks, 5, [column, 8, MPI.INT], (rank - 1) % ranks, 5)
lines.append(f"column: {list(column)} {column_type.Get_extent()}")
column_type.Free()

# The halves as groups beside each other.
half = world.Split(rank % 2, rank)
if ranks > 1:
    between = half.Create_intercomm(0, world, 1 - rank % 2, tag=6)
    lines.append(f"intercommunicator: {between.remote_size} {between.allgather(rank)}")
    merged = between.Merge(high=rank % 2)
    lines.append(f"merged: {merged.rank} of {merged.size}")
    merged.Free()
    between.Free()
half.Free()

grid = world.Create_cart(MPI.Compute_dims(ranks, 2), periods=[True, False])
lines.append(f"grid: {grid.dims} {grid.coords} {grid.Shift(0, 1)} {grid.Shift(1, 1)}")
grid.Free()

request = world.Ibarrier()
request.Wait()
try:
    world.Send(bytearray(1), ranks + 7)
except MPI.Exception as error:
    lines.append(f"error: {error.Get_error_class() == MPI.ERR_RANK}")

for text in world.gather(lines) or []:
    print("\n".join(text))
