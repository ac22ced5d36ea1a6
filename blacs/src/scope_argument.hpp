// The scope letter of a call, and the process that the call names within that scope.
#pragma once

#include "context.hpp"

namespace fmpl::blacs {

// "R", "C" or "A", in either case; only the first letter counts. Throws Error for another one.
const Scope& scope_of(const Context& context, const char* letter);

// Throws the Error of number_in_grid.
[[noreturn]] void outside_grid(
    const Context& context, const char* row_name, int row, const char* column_name, int column);

// The process number of (row, column); `row_name` and `column_name` are the arguments' names for the words of the Error
// that a place outside the grid throws.
inline int number_in_grid(const Context& context, const char* row_name, int row, const char* column_name, int column)
{
    const ProcessGrid& grid = context.grid();
    if (!grid.has_row(row) || !grid.has_column(column)) [[unlikely]]
        outside_grid(context, row_name, row, column_name, column);
    return grid.number(row, column);
}

// The rank within the scope: its column in scope "R", where the row does not count, its row in scope "C".
int rank_in_scope(
    const Context& context, const Scope& scope, const char* row_name, int row, const char* column_name, int column);

}  // namespace fmpl::blacs
