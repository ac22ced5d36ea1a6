// The calling process's place in a BLACS process grid, with the two dimensions of the grid as values, so that code for
// process rows serves for process columns too.
#pragma once

namespace fmpl::pdgemm {

enum class Axis { rows, columns };

inline Axis other(Axis axis)
{
    return axis == Axis::rows ? Axis::columns : Axis::rows;
}

struct ProcessGrid {
    int context;
    int rows;
    int columns;
    int my_row;
    int my_column;

    int processes() const { return rows * columns; }
    int count(Axis axis) const { return axis == Axis::rows ? rows : columns; }
    int mine(Axis axis) const { return axis == Axis::rows ? my_row : my_column; }
};

}  // namespace fmpl::pdgemm
