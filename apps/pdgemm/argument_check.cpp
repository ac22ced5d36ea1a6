#include "argument_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace fmpl::pdgemm {

namespace {

constexpr int block_cyclic_type = 1;
constexpr int block_cyclic_first_block_type = 2;

enum class Entry {
    type,
    context,
    rows,
    columns,
    first_row_block,
    first_column_block,
    row_block,
    column_block,
    row_source,
    column_source,
    leading_dimension
};

// As ScaLAPACK counts: the place in a descriptor of type 2.
int entry_number(Entry entry)
{
    return static_cast<int>(entry) + 1;
}

// In the caller's own descriptor: one of type 1 has one block size for the first block and the others.
int entry_place(Entry entry, int descriptor_type)
{
    const bool short_form = descriptor_type == block_cyclic_type && entry >= Entry::row_block;
    return entry_number(entry) - (short_form ? 2 : 0);
}

const char* entry_name(Entry entry, int descriptor_type)
{
    const bool short_form = descriptor_type == block_cyclic_type;
    switch (entry) {
        case Entry::type:
            return "DTYPE";
        case Entry::context:
            return "CTXT";
        case Entry::rows:
            return "M";
        case Entry::columns:
            return "N";
        case Entry::first_row_block:
            return short_form ? "MB" : "IMB";
        case Entry::first_column_block:
            return short_form ? "NB" : "INB";
        case Entry::row_block:
            return "MB";
        case Entry::column_block:
            return "NB";
        case Entry::row_source:
            return "RSRC";
        case Entry::column_source:
            return "CSRC";
        default:
            return "LLD";
    }
}

// Keeps the error with the lowest position.
class FirstError {
public:
    void parameter(int position, std::string words) { note(100 * position, position, std::move(words)); }

    void entry(int position, char name, const Descriptor& descriptor, Entry entry, int value, const std::string& rule)
    {
        const int number = 100 * position + entry_number(entry);
        note(number, number,
            fmt::format("DESC{} entry {} ({}) is {}; it must be {}", name, entry_place(entry, descriptor.type),
                entry_name(entry, descriptor.type), value, rule));
    }

    bool none() const { return error_.number == 0; }
    const ArgumentError& get() const { return error_; }

private:
    void note(int key, int number, std::string words)
    {
        if (key >= key_) return;
        key_ = key;
        error_ = {number, std::move(words)};
    }

    int key_ = std::numeric_limits<int>::max();
    ArgumentError error_;
};

struct Extent {
    char name;
    int value;
    int position;
};

void check_corner(FirstError& errors, char letter, char name, int first, const Extent& extent, int whole, int position)
{
    if (static_cast<std::int64_t>(first) - 1 + extent.value > whole) {
        errors.parameter(
            position, fmt::format("{}{} is {} and {} is {}, but the matrix {} has only {} {}", letter, name, first,
                          extent.name, extent.value, name, whole, letter == 'I' ? "rows" : "columns"));
    }
}

void check_matrix(FirstError& errors, const ProcessGrid& grid, int context, char name, const Submatrix& matrix,
    int position, const Extent& rows, const Extent& columns)
{
    const Descriptor& whole = matrix.whole;
    for (const Extent& extent : {rows, columns}) {
        if (extent.value < 0) {
            errors.parameter(
                extent.position, fmt::format("{} is {}; it must be at least 0", extent.name, extent.value));
        }
    }
    if (matrix.row < 1) {
        errors.parameter(position - 2, fmt::format("I{} is {}; it must be at least 1", name, matrix.row));
    }
    if (matrix.column < 1) {
        errors.parameter(position - 1, fmt::format("J{} is {}; it must be at least 1", name, matrix.column));
    }
    if (whole.type != block_cyclic_type && whole.type != block_cyclic_first_block_type) {
        errors.entry(position, name, whole, Entry::type, whole.type, "1 or 2 (a block-cyclic matrix)");
        return;
    }
    if (whole.context != context) {
        errors.entry(position, name, whole, Entry::context, whole.context,
            fmt::format("that of DESCA, {}, as all three matrices lie on one grid", context));
        return;
    }

    const auto require = [&](bool holds, Entry entry, int value, const std::string& rule) {
        if (!holds) errors.entry(position, name, whole, entry, value, rule);
    };
    require(whole.first_row_block >= 1, Entry::first_row_block, whole.first_row_block, "at least 1");
    require(whole.first_column_block >= 1, Entry::first_column_block, whole.first_column_block, "at least 1");
    require(whole.row_block >= 1, Entry::row_block, whole.row_block, "at least 1");
    require(whole.column_block >= 1, Entry::column_block, whole.column_block, "at least 1");
    require(whole.row_source >= -1 && whole.row_source < grid.rows, Entry::row_source, whole.row_source,
        fmt::format("a process row, 0 to {}, or -1 when every process row has all rows", grid.rows - 1));
    require(whole.column_source >= -1 && whole.column_source < grid.columns, Entry::column_source, whole.column_source,
        fmt::format("a process column, 0 to {}, or -1 when every process column has all columns", grid.columns - 1));

    if (rows.value == 0 || columns.value == 0) {
        require(whole.rows >= 0, Entry::rows, whole.rows, "at least 0");
        require(whole.columns >= 0, Entry::columns, whole.columns, "at least 0");
        require(whole.leading_dimension >= 1, Entry::leading_dimension, whole.leading_dimension, "at least 1");
        return;
    }
    require(whole.rows >= 1, Entry::rows, whole.rows, "at least 1");
    require(whole.columns >= 1, Entry::columns, whole.columns, "at least 1");
    if (whole.rows >= 1 && whole.columns >= 1) {
        check_corner(errors, 'I', name, matrix.row, rows, whole.rows, position - 2);
        check_corner(errors, 'J', name, matrix.column, columns, whole.columns, position - 1);
    }
    // The local sizes have a meaning only when everything before was right.
    if (errors.none()) {
        const int local_rows = whole.row_distribution(grid).local_count(whole.storing_row(grid));
        const int local_columns = whole.column_distribution(grid).local_count(whole.storing_column(grid));
        const int least = local_columns > 0 ? std::max(1, local_rows) : 1;
        require(whole.leading_dimension >= least, Entry::leading_dimension, whole.leading_dimension,
            fmt::format(
                "at least {}, for the local rows of {} at process ({}, {})", least, name, grid.my_row, grid.my_column));
    }
}

void check_operation(FirstError& errors, char operation, char name, int position)
{
    if (operation != 'N' && operation != 'T' && operation != 'C') {
        errors.parameter(position, fmt::format("TRANS{} is character {}; it must be N, T or C", name,
                                       static_cast<int>(static_cast<unsigned char>(operation))));
    }
}

}  // namespace

Descriptor Descriptor::read(const int* entries)
{
    Descriptor descriptor{};
    descriptor.type = entries[0];
    descriptor.context = entries[1];
    if (descriptor.type != block_cyclic_type && descriptor.type != block_cyclic_first_block_type) return descriptor;
    descriptor.rows = entries[2];
    descriptor.columns = entries[3];
    descriptor.first_row_block = entries[4];
    descriptor.first_column_block = entries[5];
    const int* rest = descriptor.type == block_cyclic_type ? entries + 4 : entries + 6;
    descriptor.row_block = rest[0];
    descriptor.column_block = rest[1];
    descriptor.row_source = rest[2];
    descriptor.column_source = rest[3];
    descriptor.leading_dimension = rest[4];
    return descriptor;
}

ArgumentError check_arguments(const GemmArguments& arguments, const ProcessGrid& grid)
{
    FirstError errors;
    check_operation(errors, arguments.transa, 'A', 1);
    check_operation(errors, arguments.transb, 'B', 2);

    const Extent m{'M', arguments.m, 3};
    const Extent n{'N', arguments.n, 4};
    const Extent k{'K', arguments.k, 5};
    const bool a_as_stored = arguments.transa == 'N';
    const bool b_as_stored = arguments.transb == 'N';
    const int context = arguments.a.whole.context;
    check_matrix(errors, grid, context, 'A', arguments.a, 10, a_as_stored ? m : k, a_as_stored ? k : m);
    check_matrix(errors, grid, context, 'B', arguments.b, 14, b_as_stored ? k : n, b_as_stored ? n : k);
    check_matrix(errors, grid, context, 'C', arguments.c, 19, m, n);
    return errors.get();
}

}  // namespace fmpl::pdgemm
