// PSGEMM, PDGEMM, PCGEMM, PZGEMM: sub(C) = alpha op(sub(A)) op(sub(B)) + beta sub(C) on block-cyclic matrices, with the
// calling sequence of ScaLAPACK's PBLAS.
//
// Two algorithms, in summa.hpp and direct.hpp. `direct` is faster wherever measured
// (docs/decisions/0012-direct-pdgemm.md), and is taken when every process of the grid can read the parts of A and B of
// all others where they lie; else `summa`, which needs the BLACS alone. FMPL_PDGEMM_ALGORITHM overrides this. A grid of
// one process is one local product on the matrices as they are.
#include "argument_check.hpp"
#include "blacs_calls.hpp"
#include "direct.hpp"
#include "entry_meeting.hpp"
#include "local_gemm.hpp"
#include "peer_memory.hpp"
#include "product.hpp"
#include "summa.hpp"

#include <algorithm>
#include <cctype>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <vector>

namespace fmpl::pdgemm {

namespace {

char upper(const char* letter)
{
    return static_cast<char>(std::toupper(static_cast<unsigned char>(*letter)));
}

// The distributions of a submatrix and where this process's part of it begins.
struct Placement {
    BlockCyclic rows;
    BlockCyclic columns;
    std::ptrdiff_t offset;

    Placement(const Submatrix& matrix, int row_count, int column_count, const ProcessGrid& grid)
        : rows(matrix.whole.row_distribution(grid).window(matrix.row - 1, row_count)),
          columns(matrix.whole.column_distribution(grid).window(matrix.column - 1, column_count)),
          offset(
              matrix.whole.row_distribution(grid).local_count_before(matrix.whole.storing_row(grid), matrix.row - 1) +
              static_cast<std::ptrdiff_t>(matrix.whole.leading_dimension) *
                  matrix.whole.column_distribution(grid).local_count_before(
                      matrix.whole.storing_column(grid), matrix.column - 1))
    {
    }
};

template <class T>
StoredOperand<T> stored_operand(
    const Submatrix& matrix, const T* local, char operation, int op_rows, int op_columns, const ProcessGrid& grid)
{
    const bool transposed = operation != 'N';
    const Placement placement(matrix, transposed ? op_columns : op_rows, transposed ? op_rows : op_columns, grid);
    return {placement.rows, placement.columns, local + placement.offset, matrix.whole.leading_dimension, transposed};
}

// This process's part of an operand, where the other processes can read it: where it lies, or, in memory that they
// cannot read, in a copy.
template <class T>
class ReadablePart {
public:
    ReadablePart(const StoredOperand<T>& stored, const ProcessGrid& grid)
    {
        const int rows = stored.rows.local_count(grid.my_row);
        const int columns = stored.columns.local_count(grid.my_column);
        if (rows == 0 || columns == 0) {
            place_ = PartPlace{};  // nobody will look there
            return;
        }
        if (announce(stored.local, rows, columns, stored.leading_dimension)) return;
        copy_ = allocate_readable(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(T));
        T* const copied = reinterpret_cast<T*>(copy_);
        if (copied == nullptr || !announce(copied, rows, columns, rows)) return;
        for (int j = 0; j < columns; ++j) {
            std::copy_n(stored.local + static_cast<std::ptrdiff_t>(j) * stored.leading_dimension, rows,
                copied + static_cast<std::ptrdiff_t>(j) * rows);
        }
    }
    ~ReadablePart()
    {
        if (copy_ != nullptr) free_readable(copy_);
    }
    ReadablePart(const ReadablePart&) = delete;
    ReadablePart& operator=(const ReadablePart&) = delete;

    // Nothing: it cannot be made readable.
    const std::optional<PartPlace>& place() const { return place_; }

private:
    bool announce(const T* local, int rows, int columns, int leading_dimension)
    {
        const std::size_t elements =
            static_cast<std::size_t>(columns - 1) * static_cast<std::size_t>(leading_dimension) +
            static_cast<std::size_t>(rows);
        const std::optional<std::uint64_t> place = place_of(local, elements * sizeof(T));
        if (place) place_ = PartPlace{*place, leading_dimension};
        return place.has_value();
    }

    std::byte* copy_ = nullptr;
    std::optional<PartPlace> place_;
};

template <class T>
std::vector<StoredPart<T>> parts_of(const std::vector<Announcement>& all, PartPlace Announcement::*operand)
{
    std::vector<StoredPart<T>> parts;
    for (const Announcement& process : all) {
        const PartPlace& part = process.*operand;
        parts.push_back({static_cast<const T*>(at_place(process.memory_number, part.place)), part.leading_dimension});
    }
    return parts;
}

// Where a matrix is replicated, the first process row (column) has computed it: the others get it from there.
template <class T>
void replicate(const ProcessGrid& grid, const Submatrix& matrix, int rows, int columns, T* local, int local_rows,
    int local_columns)
{
    const int leading_dimension = matrix.whole.leading_dimension;
    if (matrix.whole.rows_replicated() && grid.rows > 1 && local_columns > 0) {
        if (grid.my_row == 0) {
            BlacsCalls<T>::broadcast_send(grid.context, "Column", rows, local_columns, local, leading_dimension);
        } else {
            BlacsCalls<T>::broadcast_receive(
                grid.context, "Column", rows, local_columns, local, leading_dimension, 0, grid.my_column);
        }
    }
    if (matrix.whole.rows_replicated()) local_rows = rows;
    if (matrix.whole.columns_replicated() && grid.columns > 1 && local_rows > 0) {
        if (grid.my_column == 0) {
            BlacsCalls<T>::broadcast_send(grid.context, "Row", local_rows, columns, local, leading_dimension);
        } else {
            BlacsCalls<T>::broadcast_receive(
                grid.context, "Row", local_rows, columns, local, leading_dimension, grid.my_row, 0);
        }
    }
}

template <class T>
void gemm(const char* routine, const GemmArguments& arguments, T alpha, const T* a, const T* b, T beta, T* c)
{
    ProcessGrid grid{};
    grid.context = arguments.a.whole.context;
    // The BLACS give a process that is outside a grid a negative handle for it.
    if (grid.context < 0) return;
    Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.my_row, &grid.my_column);
    if (grid.rows < 0) {
        report_bad_context(grid.context, routine);
        return;
    }
    const int m = arguments.m;
    const int n = arguments.n;
    const int k = arguments.k;
    const ArgumentError error = check_arguments(arguments, grid);
    Announcement own{.error = error.number, .wanted = wanted_algorithm(), .memory_number = memory_number()};
    std::optional<StoredOperand<T>> stored_a;
    std::optional<StoredOperand<T>> stored_b;
    std::optional<ReadablePart<T>> readable_a;
    std::optional<ReadablePart<T>> readable_b;
    if (error.number == 0) {
        stored_a.emplace(stored_operand(arguments.a, a, arguments.transa, m, k, grid));
        stored_b.emplace(stored_operand(arguments.b, b, arguments.transb, k, n, grid));
        const bool multiplies = m > 0 && n > 0 && k > 0 && alpha != T(0);
        if (multiplies && grid.processes() > 1 && own.wanted != Algorithm::summa && reads_all_memory()) {
            readable_a.emplace(*stored_a, grid);
            readable_b.emplace(*stored_b, grid);
            own.readable = readable_a->place() && readable_b->place();
            own.a = readable_a->place().value_or(PartPlace{});
            own.b = readable_b->place().value_or(PartPlace{});
        }
    }
    const std::vector<Announcement> all = meet(grid, own);
    if (report_errors(grid, routine, error, all)) return;

    if (m == 0 || n == 0) return;
    const Placement c_placement(arguments.c, m, n, grid);
    const LocalBlock<T> local_c{c_placement.rows.local_count(grid.my_row),
        c_placement.columns.local_count(grid.my_column), c + c_placement.offset, arguments.c.whole.leading_dimension};
    if (k == 0 || alpha == T(0)) {
        scale(local_c, beta);
    } else if (grid.processes() == 1) {
        local_gemm(arguments.transa, arguments.transb, m, n, k, alpha, stored_a->local, stored_a->leading_dimension,
            stored_b->local, stored_b->leading_dimension, beta, local_c.data, local_c.leading_dimension);
    } else {
        const Product<T> product{grid, arguments.transa, arguments.transb, alpha, beta,
            Operand<T>(grid, Axis::rows, &Run::a, *stored_a, c_placement.rows),
            Operand<T>(grid, Axis::columns, &Run::b, *stored_b, c_placement.columns), c_placement.rows,
            c_placement.columns, local_c};
        if (agreed_algorithm(grid, routine, all) == Algorithm::direct) {
            multiply_directly(product, parts_of<T>(all, &Announcement::a), parts_of<T>(all, &Announcement::b));
        } else {
            multiply_by_summa(product);
        }
    }
    replicate(grid, arguments.c, m, n, local_c.data, local_c.rows, local_c.columns);
}

void abort_with(int context, const char* routine, const char* words, const std::exception& error)
{
    int row = -1;
    int column = -1;
    int rows = 0;
    int columns = 0;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    std::fprintf(stderr, "%s at process (%d, %d): %s (%s).\n", routine, row, column, words, error.what());
    std::fflush(stderr);
    Cblacs_abort(context, 1);
}

// The Fortran interface: no exception may pass it.
template <class T>
void entry(const char* routine, const char* transa, const char* transb, const int* m, const int* n, const int* k,
    const T* alpha, const T* a, const int* ia, const int* ja, const int* desca, const T* b, const int* ib,
    const int* jb, const int* descb, const T* beta, T* c, const int* ic, const int* jc, const int* descc) noexcept
{
    try {
        const GemmArguments arguments{upper(transa), upper(transb), *m, *n, *k, {*ia, *ja, Descriptor::read(desca)},
            {*ib, *jb, Descriptor::read(descb)}, {*ic, *jc, Descriptor::read(descc)}};
        gemm(routine, arguments, *alpha, a, b, *beta, c);
    } catch (const std::bad_alloc& error) {
        abort_with(desca[1], routine,
            "no memory for the panels of A and B; use fewer processes on this host or smaller matrices", error);
    } catch (const std::exception& error) {
        abort_with(desca[1], routine, "the call cannot go on", error);
    }
}

}  // namespace

}  // namespace fmpl::pdgemm

#define FMPL_PDGEMM_ENTRY(name, routine, type)                                                                        \
    extern "C" [[gnu::visibility("default")]] void name(const char* transa, const char* transb, const int* m,         \
        const int* n, const int* k, const type* alpha, const type* a, const int* ia, const int* ja, const int* desca, \
        const type* b, const int* ib, const int* jb, const int* descb, const type* beta, type* c, const int* ic,      \
        const int* jc, const int* descc)                                                                              \
    {                                                                                                                 \
        fmpl::pdgemm::entry<type>(                                                                                    \
            routine, transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, descc);     \
    }

FMPL_PDGEMM_ENTRY(psgemm_, "PSGEMM", float)
FMPL_PDGEMM_ENTRY(pdgemm_, "PDGEMM", double)
FMPL_PDGEMM_ENTRY(pcgemm_, "PCGEMM", std::complex<float>)
FMPL_PDGEMM_ENTRY(pzgemm_, "PZGEMM", std::complex<double>)
