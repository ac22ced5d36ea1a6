// The arguments of PxGEMM, and the checks that ScaLAPACK's PBLAS make of them.
//
// The number of an error is that of ScaLAPACK's PBLAS: the position of a scalar in the calling sequence, or 100 *
// position + entry for an entry of a descriptor. Entries are counted from 1 as they stand in a descriptor of type 2,
// whatever the caller's type: LLD is 11. Of several errors the one with the lowest position counts. Everything here is
// local: no call communicates or blocks.
#pragma once

#include "block_cyclic.hpp"
#include "process_grid.hpp"

#include <algorithm>
#include <string>

namespace fmpl::pdgemm {

// A matrix descriptor: of type 1 (9 entries) or of type 2 (11 entries: the first blocks have their own sizes).
struct Descriptor {
    int type;
    int context;
    int rows;
    int columns;
    int first_row_block;
    int first_column_block;
    int row_block;
    int column_block;
    int row_source;
    int column_source;
    int leading_dimension;

    // Entries after the second are read only when the type is a known one.
    static Descriptor read(const int* entries);

    // A source of -1: every process row (column) has all of the rows (columns). Those of the first one count.
    bool rows_replicated() const { return row_source == replicated; }
    bool columns_replicated() const { return column_source == replicated; }

    BlockCyclic row_distribution(const ProcessGrid& grid) const
    {
        if (rows_replicated()) return all_on_first(rows, row_block, grid.rows);
        return {rows, first_row_block, row_block, row_source, grid.rows};
    }
    BlockCyclic column_distribution(const ProcessGrid& grid) const
    {
        if (columns_replicated()) return all_on_first(columns, column_block, grid.columns);
        return {columns, first_column_block, column_block, column_source, grid.columns};
    }
    // The places along the two dimensions of the grid by whose share in these distributions this process stores the
    // matrix.
    int storing_row(const ProcessGrid& grid) const { return rows_replicated() ? 0 : grid.my_row; }
    int storing_column(const ProcessGrid& grid) const { return columns_replicated() ? 0 : grid.my_column; }

private:
    static constexpr int replicated = -1;
    static BlockCyclic all_on_first(int size, int block, int processes)
    {
        return {size, std::max(size, 1), block, 0, processes};
    }
};

// A submatrix: its upper left corner, counted from 1 as in the calling sequence, and the descriptor of the whole.
struct Submatrix {
    int row;
    int column;
    Descriptor whole;
};

struct GemmArguments {
    char transa;  // upper case
    char transb;
    int m;
    int n;
    int k;
    Submatrix a;
    Submatrix b;
    Submatrix c;
};

struct ArgumentError {
    int number = 0;     // 0: no error
    std::string words;  // which value, and what it must be
};

// REQUIRES: the process is in the grid, which is that of A's context.
ArgumentError check_arguments(const GemmArguments& arguments, const ProcessGrid& grid);

// The number of the error in A's context, the only check for a process that is in no grid.
inline constexpr int context_error_number = 1002;

}  // namespace fmpl::pdgemm
