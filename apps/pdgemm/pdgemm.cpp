// PSGEMM, PDGEMM, PCGEMM, PZGEMM: sub(C) = alpha op(sub(A)) op(sub(B)) + beta sub(C) on block-cyclic matrices, with the
// calling sequence of ScaLAPACK's PBLAS.
//
// Algorithm: the outer-product form over panels of k, known as SUMMA (van de Geijn, Watts: SUMMA: scalable universal
// matrix multiplication algorithm, 1997), with the block-cyclic data of PUMMA (Choi, Dongarra, Walker, 1994) and
// without its restrictions on alignment. For each panel of k:
//   1. op(A)(:, panel) goes to the processes of one process column in the row distribution of C, then along the rows;
//   2. op(B)(panel, :) goes to the processes of one process row in the column distribution of C, then along the
//      columns;
//   3. every process multiplies its two panels into its part of C.
// C never moves. The first half of steps 1 and 2 is empty when the operand already lies like C (operand_panels.hpp).
//
// Cost on an R x S grid with panels of w columns, message latency a, time b per element moved, g per multiply-add:
//   k/w (log R + log S) a  +  (m k / R log S + k n / S log R) b  +  m n k / (R S) g
// with tree broadcasts (with the hardware broadcast, or all reading the root's memory, the logarithms go). An operand
// that is redistributed adds k/w (R or S, at most) messages and the same number of elements once more.
// Memory: w (m/R + n/S) elements for the panels, the larger of the two again when an operand is redistributed; taken
// once a call.
//
// A grid of one process is one local product on the matrices as they are.
#include "argument_check.hpp"
#include "blacs_calls.hpp"
#include "comm_memory.hpp"
#include "local_gemm.hpp"
#include "operand_panels.hpp"

#include <algorithm>
#include <cctype>
#include <complex>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

#include <fmt/format.h>

namespace fmpl::pdgemm {

namespace {

// Wide enough for the local product to run at full speed, narrow enough for the panels to stay in the caches.
constexpr int widest_panel = 128;

char upper(const char* letter)
{
    return static_cast<char>(std::toupper(static_cast<unsigned char>(*letter)));
}

// Ends the job when any process of the grid found an error; all processes agree on which one counts: the lowest number,
// and of the processes that found it the first in row-major order, which reports it.
void report_errors(const ProcessGrid& grid, const char* routine, const ArgumentError& own)
{
    std::vector<int> numbers(static_cast<std::size_t>(grid.processes()), 0);
    const int me = grid.my_row * grid.columns + grid.my_column;
    numbers[static_cast<std::size_t>(me)] = own.number;
    Cigsum2d(grid.context, "All", " ", grid.processes(), 1, numbers.data(), grid.processes(), -1, -1);

    // Compared by position: an entry of a descriptor (above 100) belongs to its descriptor's position.
    const auto key = [](int number) { return number == 0 ? 1 << 30 : number < 100 ? 100 * number : number; };
    const auto first = std::min_element(numbers.begin(), numbers.end(), [&](int x, int y) { return key(x) < key(y); });
    if (*first == 0) return;
    if (first - numbers.begin() == me) {
        fmt::print(stderr, "{{{:5},{:5}}}:  On entry to {} parameter number {:4} had an illegal value\n", grid.my_row,
            grid.my_column, routine, own.number);
        fmt::print(stderr, "{} at process ({}, {}): {}.\n", routine, grid.my_row, grid.my_column, own.words);
        std::fflush(stderr);
    }
    // Nobody ends the job before the words are out.
    Cblacs_barrier(grid.context, "All");
    Cblacs_abort(grid.context, 1);
}

// The local part of sub(C): contiguous in both dimensions, because its global indices are.
template <class T>
struct LocalBlock {
    int rows;
    int columns;
    T* data;
    int leading_dimension;
};

template <class T>
void scale(const LocalBlock<T>& c, T beta)
{
    if (beta == T(1)) return;
    for (int j = 0; j < c.columns; ++j) {
        T* column = c.data + static_cast<std::ptrdiff_t>(j) * c.leading_dimension;
        // Not a product when beta is 0: C may hold anything then, NaN too.
        if (beta == T(0)) {
            std::fill_n(column, c.rows, T(0));
        } else {
            std::transform(column, column + c.rows, column, [beta](T value) { return beta * value; });
        }
    }
}

// The distributions of a submatrix and where this process's part of it begins.
struct Placement {
    BlockCyclic rows;
    BlockCyclic columns;
    std::ptrdiff_t offset;

    Placement(const Submatrix& matrix, int row_count, int column_count, const ProcessGrid& grid)
        : rows(matrix.whole.row_distribution(grid).window(matrix.row - 1, row_count)),
          columns(matrix.whole.column_distribution(grid).window(matrix.column - 1, column_count)),
          offset(matrix.whole.row_distribution(grid).local_count_before(grid.my_row, matrix.row - 1) +
                 static_cast<std::ptrdiff_t>(matrix.whole.leading_dimension) *
                     matrix.whole.column_distribution(grid).local_count_before(grid.my_column, matrix.column - 1))
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

// The width of the next panel: equal shares of what is left up to the limit, so that none is a sliver.
int panel_width(int available)
{
    const int panels = (available - 1) / widest_panel + 1;
    return (available - 1) / panels + 1;
}

// REQUIRES: checked arguments; m, n, k > 0; alpha != 0.
template <class T>
void multiply(const GemmArguments& arguments, const ProcessGrid& grid, T alpha, const StoredOperand<T>& a,
    const StoredOperand<T>& b, T beta, const LocalBlock<T>& c, const Placement& c_placement)
{
    const int k = arguments.k;
    OperandPanels<T> a_panels(grid, Axis::rows, a, c_placement.rows, std::min(k, widest_panel));
    OperandPanels<T> b_panels(grid, Axis::columns, b, c_placement.columns, std::min(k, widest_panel));

    // One allocation: the two panels and, shared because only one operand moves at a time, the messages.
    const auto whole_lines = [](std::size_t elements) { return (elements * sizeof(T) + 63) / 64 * 64; };
    const std::size_t a_bytes = whole_lines(a_panels.panel_elements());
    const std::size_t b_bytes = whole_lines(b_panels.panel_elements());
    const std::size_t message_bytes = whole_lines(std::max(a_panels.message_elements(), b_panels.message_elements()));
    const CommMemory memory(std::max<std::size_t>(64, a_bytes + b_bytes + message_bytes));
    const auto at = [&](std::size_t offset) { return reinterpret_cast<T*>(memory.data() + offset); };
    a_panels.use_buffers(at(0), at(a_bytes + b_bytes));
    b_panels.use_buffers(at(a_bytes), at(a_bytes + b_bytes));

    T scale_c = beta;
    int number = 0;
    for (int k0 = 0; k0 < k; ++number) {
        const int limit = std::min(a_panels.panel_limit(k0), b_panels.panel_limit(k0));
        const int k1 = k0 + panel_width(limit - k0);
        const Panel<T> a_panel = a_panels.bring(k0, k1, number);
        const Panel<T> b_panel = b_panels.bring(k0, k1, number);
        if (c.rows > 0 && c.columns > 0) {
            local_gemm(arguments.transa, arguments.transb, c.rows, c.columns, k1 - k0, alpha, a_panel.data,
                a_panel.leading_dimension, b_panel.data, b_panel.leading_dimension, scale_c, c.data,
                c.leading_dimension);
        }
        scale_c = T(1);
        k0 = k1;
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
        fmt::print(stderr, "{{{:5},{:5}}}:  On entry to {} parameter number {:4} had an illegal value\n", -1, -1,
            routine, context_error_number);
        fmt::print(stderr, "{}: DESCA entry 2 (CTXT) is {}, which is no BLACS context of this process.\n", routine,
            grid.context);
        std::fflush(stderr);
        Cblacs_abort(grid.context, 1);
        return;
    }
    report_errors(grid, routine, check_arguments(arguments, grid));

    const int m = arguments.m;
    const int n = arguments.n;
    const int k = arguments.k;
    if (m == 0 || n == 0) return;
    const Placement c_placement(arguments.c, m, n, grid);
    const LocalBlock<T> local_c{c_placement.rows.local_count(grid.my_row),
        c_placement.columns.local_count(grid.my_column), c + c_placement.offset, arguments.c.whole.leading_dimension};
    if (k == 0 || alpha == T(0)) {
        scale(local_c, beta);
        return;
    }
    const StoredOperand<T> stored_a = stored_operand(arguments.a, a, arguments.transa, m, k, grid);
    const StoredOperand<T> stored_b = stored_operand(arguments.b, b, arguments.transb, k, n, grid);
    if (grid.processes() == 1) {
        local_gemm(arguments.transa, arguments.transb, m, n, k, alpha, stored_a.local, stored_a.leading_dimension,
            stored_b.local, stored_b.leading_dimension, beta, local_c.data, local_c.leading_dimension);
    } else {
        multiply(arguments, grid, alpha, stored_a, stored_b, beta, local_c, c_placement);
    }
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
    } catch (const std::exception& error) {
        int row = -1;
        int column = -1;
        int rows = 0;
        int columns = 0;
        Cblacs_gridinfo(desca[1], &rows, &columns, &row, &column);
        std::fprintf(stderr,
            "%s at process (%d, %d): no memory for the panels of A and B (%s); use fewer processes on this host "
            "or smaller matrices.\n",
            routine, row, column, error.what());
        std::fflush(stderr);
        Cblacs_abort(desca[1], 1);
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
