#include "scope_argument.hpp"

#include "error.hpp"

namespace fmpl::blacs {
namespace {

[[noreturn]] void outside(const Context& context, const char* name, int value, int limit, const char* direction)
{
    refuse("{} = {} is outside the {} x {} grid; give a process {} in 0 .. {}", name, value, context.grid().rows,
        context.grid().columns, direction, limit - 1);
}

void check_row(const Context& context, const char* name, int row)
{
    if (!context.grid().has_row(row)) outside(context, name, row, context.grid().rows, "row");
}

void check_column(const Context& context, const char* name, int column)
{
    if (!context.grid().has_column(column)) outside(context, name, column, context.grid().columns, "column");
}

}  // namespace

const Scope& scope_of(const Context& context, const char* letter)
{
    const char first = letter != nullptr ? *letter : '\0';
    switch (first) {
        case 'R':
        case 'r':
            return context.row();
        case 'C':
        case 'c':
            return context.column();
        case 'A':
        case 'a':
            return context.all();
        default:
            refuse("scope = {} is unknown; give 'R' (row), 'C' (column) or 'A' (all)", letter_in_words(letter));
    }
}

void outside_grid(const Context& context, const char* row_name, int row, const char* column_name, int column)
{
    check_row(context, row_name, row);
    outside(context, column_name, column, context.grid().columns, "column");
}

int rank_in_scope(
    const Context& context, const Scope& scope, const char* row_name, int row, const char* column_name, int column)
{
    switch (scope.kind) {
        case Scope::Kind::row:
            check_column(context, column_name, column);
            return column;
        case Scope::Kind::column:
            check_row(context, row_name, row);
            return row;
        default:
            return number_in_grid(context, row_name, row, column_name, column);
    }
}

}  // namespace fmpl::blacs
