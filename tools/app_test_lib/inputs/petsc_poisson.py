"""Poisson's equation on a square by PETSc's conjugate gradients."""
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc

SIDE = 100
matrix = PETSc.Mat().createAIJ((SIDE * SIDE, SIDE * SIDE), nnz=5)
for row in range(*matrix.getOwnershipRange()):
    i, j = divmod(row, SIDE)
    matrix[row, row] = 4
    for other, inside in ((row - SIDE, i > 0), (row + SIDE, i < SIDE - 1), (row - 1, j > 0), (row + 1, j < SIDE - 1)):
        if inside:
            matrix[row, other] = -1
matrix.assemble()
solution, right = matrix.createVecs()
right.set(1)
solver = PETSc.KSP().create()
solver.setOperators(matrix)
solver.setType("cg")
solver.getPC().setType("bjacobi")
solver.setTolerances(rtol=1e-10)
solver.solve(right, solution)
PETSc.Sys.Print(f"iterations {solver.its}\nnorm {solution.norm():.8f}")
