"""Writes a square grid as a graph, in Scotch's format."""
import sys

SIDE = 80


def neighbours(row, column):
    near = ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1))
    return [i * SIDE + j for i, j in near if 0 <= i < SIDE and 0 <= j < SIDE]


edges = [neighbours(row, column) for row in range(SIDE) for column in range(SIDE)]
with open(sys.argv[1], "w", encoding="utf-8") as file:
    print(f"0\n{SIDE * SIDE} {sum(map(len, edges))}\n0 000", file=file)
    for ends in edges:
        print(len(ends), *ends, file=file)
