// The shape of a process grid and the caller's place in it. Processes of a grid are numbered by rows, from 0, whatever
// map made the grid: process (i, j) has the number i * columns + j.
#pragma once

namespace fmpl::blacs {

struct ProcessGrid {
    int rows;
    int columns;
    int my_row;
    int my_column;

    int size() const { return rows * columns; }
    int my_number() const { return number(my_row, my_column); }
    int number(int row, int column) const { return row * columns + column; }
    int row_of(int number) const { return number / columns; }
    int column_of(int number) const { return number % columns; }
    bool has_row(int row) const { return row >= 0 && row < rows; }
    bool has_column(int column) const { return column >= 0 && column < columns; }
};

}  // namespace fmpl::blacs
