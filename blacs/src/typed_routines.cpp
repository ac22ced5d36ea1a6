#include "typed_routines.hpp"

#include "boundary.hpp"
#include "error.hpp"
#include "operations.hpp"
#include "scope_argument.hpp"

#include <complex>
#include <string>

namespace fmpl::blacs {
namespace {

// Of a trapezoidal matrix.
Shape shape_of(const char* uplo, const char* diag)
{
    Shape shape;
    switch (*uplo) {
        case 'U':
        case 'u':
            shape.kind = Shape::Kind::upper;
            break;
        case 'L':
        case 'l':
            shape.kind = Shape::Kind::lower;
            break;
        default:
            refuse("uplo = {} is unknown; give 'U' (upper) or 'L' (lower)", letter_in_words(uplo));
    }
    const char unit = diag != nullptr ? *diag : '\0';
    switch (unit) {
        case 'U':
        case 'u':
            shape.unit_diagonal = true;
            break;
        case 'N':
        case 'n':
            break;
        default:
            refuse("diag = {} is unknown; give 'U' (unit, not moved) or 'N'", letter_in_words(diag));
    }
    return shape;
}

// A leading dimension is only used from the second column on; programs pass anything when there is one column or no
// row.
bool is_leading_dimension(int value, int m, int n)
{
    return n <= 1 || m <= 0 || value >= m;
}
void check_leading_dimension(const char* name, int value, int m, int n)
{
    if (!is_leading_dimension(value, m, n)) {
        refuse("{} = {} is less than m = {}; give the distance between columns, at least m", name, value, m);
    }
}

// What the addresses of a process reach over: more than any memory, and a matrix within has a number of bytes that fits
// every type.
constexpr std::ptrdiff_t kAddressSpace = std::ptrdiff_t{1} << 47;

// For m, n > 0 and a leading dimension that is one.
bool exceeds_address_space(int m, int n, int lda, std::ptrdiff_t element_bytes)
{
    const std::ptrdiff_t between = n == 1 ? 0 : std::ptrdiff_t{lda} * (n - 1);
    return between + m > kAddressSpace / element_bytes;
}

[[noreturn]] void refuse_matrix(int m, int n, int lda, bool is_null)
{
    if (m < 0) refuse("m = {} is negative; give the number of rows", m);
    if (n < 0) refuse("n = {} is negative; give the number of columns", n);
    check_leading_dimension("lda", lda, m, n);
    if (is_null) refuse("a is a null pointer for a matrix of {} x {} elements", m, n);
    refuse("m = {}, n = {}, lda = {}: the matrix exceeds the address space; give the sizes of the array a", m, n, lda);
}

// uplo: nullptr for a general matrix.
template <class T>
[[gnu::always_inline]] inline MatrixView<T> checked_view(
    const char* uplo, const char* diag, int m, int n, T* a, int lda)
{
    Shape shape;
    if (uplo != nullptr) shape = shape_of(uplo, diag);
    if (m == 0 || n == 0) return {shape, 0, 0, a, 0};  // as the reference BLACS do, whatever the other one is
    if (m < 0 || n < 0 || !is_leading_dimension(lda, m, n) || a == nullptr ||
        exceeds_address_space(m, n, lda, sizeof(T))) [[unlikely]]
        refuse_matrix(m, n, lda, a == nullptr);
    return {shape, m, n, a, lda};
}

// The destination of a combine within the scope. -1 for the row means all; so does, as in the reference BLACS, -1 for
// the column.
int combine_destination(const Context& context, const Scope& scope, int rdest, int cdest)
{
    if (rdest == -1 || cdest == -1) return kToAll;
    return rank_in_scope(context, scope, "rdest", rdest, "cdest", cdest);
}

constexpr int kAllOfTheScope = -1;

int world_rank_of(const Context& context, int number)
{
    return context.world_ranks()[static_cast<std::size_t>(number)];
}

// Runs body. When the processes of the scope disagree, says first what must agree and who the ranks of the library's
// words are: fmplrun shows some 250 letters of an error.
template <class Body>
void agreeing(const Context& context, const Scope& scope, const char* arguments, Body&& body)
{
    try {
        body();
    } catch (const Disagreement& e) {
        const ProcessGrid& grid = context.grid();
        std::string where = "the grid (ranks by rows)";
        if (scope.kind == Scope::Kind::row) where = fmt::format("row {} (ranks: columns)", grid.my_row);
        if (scope.kind == Scope::Kind::column) where = fmt::format("column {} (ranks: rows)", grid.my_column);
        refuse("{} must agree in {}: {}", arguments, where, e.what());
    }
}

constexpr const char* kOfBroadcast = "m x n, rsrc, csrc";
constexpr const char* kOfSum = "m, n, rdest, cdest";
constexpr const char* kOfExtreme = "m, n, rdest, cdest, ldia = -1";

}  // namespace

template <class T>
void send(const char* routine, int context, const char* uplo, const char* diag, int m, int n, const T* a, int lda,
    int rdest, int cdest)
{
    call(routine, context, [&](Process& process) {
        const Context& c = process.context(context);
        const int destination = number_in_grid(c, "rdest", rdest, "cdest", cdest);
        const MatrixView<const T> view = checked_view(uplo, diag, m, n, a, lda);
        tell_about(process.job(), world_rank_of(c, destination), view.bytes(), true);
        send_matrix(process, c, view, destination);
    });
}

template <class T>
void receive(const char* routine, int context, const char* uplo, const char* diag, int m, int n, T* a, int lda,
    int rsrc, int csrc)
{
    call(routine, context, [&](Process& process) {
        const Context& c = process.context(context);
        const int source = number_in_grid(c, "rsrc", rsrc, "csrc", csrc);
        const MatrixView<T> view = checked_view(uplo, diag, m, n, a, lda);
        tell_about(process.job(), world_rank_of(c, source), view.bytes());
        try {
            receive_matrix(process, c, view, source);
        } catch (const Disagreement& e) {
            refuse("m = {}, n = {} is too small for what {{{},{}}} sent: {}", m, n, rsrc, csrc, e.what());
        }
    });
}

template <class T>
void broadcast_from_here(const char* routine, int context, const char* scope, const char* uplo, const char* diag, int m,
    int n, const T* a, int lda)
{
    call(routine, context, [&](Process& process) {
        const Context& c = process.context(context);
        const Scope& s = scope_of(c, scope);
        const MatrixView<const T> view = checked_view(uplo, diag, m, n, a, lda);
        tell_about(process.job(), kAllOfTheScope, view.bytes());
        agreeing(c, s, kOfBroadcast, [&] { broadcast_send(process, s, view); });
    });
}

template <class T>
void broadcast_from_there(const char* routine, int context, const char* scope, const char* uplo, const char* diag,
    int m, int n, T* a, int lda, int rsrc, int csrc)
{
    call(routine, context, [&](Process& process) {
        const Context& c = process.context(context);
        const Scope& s = scope_of(c, scope);
        const int root = rank_in_scope(c, s, "rsrc", rsrc, "csrc", csrc);
        if (root == s.rank) {
            refuse(
                "rsrc = {}, csrc = {} is this process itself; the source of a broadcast calls the sending routine "
                "(bs2d)",
                rsrc, csrc);
        }
        const MatrixView<T> view = checked_view(uplo, diag, m, n, a, lda);
        tell_about(process.job(), kAllOfTheScope, view.bytes());
        agreeing(c, s, kOfBroadcast, [&] { broadcast_receive(process, s, root, view); });
    });
}

template <class T>
void combine_sum(const char* routine, int context, const char* scope, int m, int n, T* a, int lda, int rdest, int cdest)
{
    call(routine, context, [&](Process& process) {
        const Context& c = process.context(context);
        const Scope& s = scope_of(c, scope);
        const int destination = combine_destination(c, s, rdest, cdest);
        const MatrixView<T> view = checked_view(nullptr, nullptr, m, n, a, lda);
        tell_about(process.job(), kAllOfTheScope, view.bytes());
        agreeing(c, s, kOfSum, [&] { sum(process, s, view, destination); });
    });
}

template <class T, Extreme extreme>
void combine_extreme(const char* routine, int context, const char* scope, int m, int n, T* a, int lda, int* ra, int* ca,
    int ldia, int rdest, int cdest)
{
    call(routine, context, [&](Process& process) {
        const Context& c = process.context(context);
        const Scope& s = scope_of(c, scope);
        const int destination = combine_destination(c, s, rdest, cdest);
        const MatrixView<T> view = checked_view(nullptr, nullptr, m, n, a, lda);
        Winners winners;
        if (ldia != -1) {
            check_leading_dimension("ldia", ldia, m, n);
            if ((ra == nullptr || ca == nullptr) && view.count() > 0) {
                refuse("ra or ca is a null pointer; give both, or ldia = -1 for no coordinates");
            }
            winners = {ra, ca, ldia};
        }
        tell_about(process.job(), kAllOfTheScope, view.bytes());
        agreeing(c, s, kOfExtreme, [&] { find_extreme<T, extreme>(process, c, s, view, winners, destination); });
    });
}

#define FMPL_BLACS_INSTANTIATE(T)                                                                         \
    template void send<T>(const char*, int, const char*, const char*, int, int, const T*, int, int, int); \
    template void receive<T>(const char*, int, const char*, const char*, int, int, T*, int, int, int);    \
    template void broadcast_from_here<T>(                                                                 \
        const char*, int, const char*, const char*, const char*, int, int, const T*, int);                \
    template void broadcast_from_there<T>(                                                                \
        const char*, int, const char*, const char*, const char*, int, int, T*, int, int, int);            \
    template void combine_sum<T>(const char*, int, const char*, int, int, T*, int, int, int);             \
    template void combine_extreme<T, Extreme::absolute_maximum>(                                          \
        const char*, int, const char*, int, int, T*, int, int*, int*, int, int, int);                     \
    template void combine_extreme<T, Extreme::absolute_minimum>(                                          \
        const char*, int, const char*, int, int, T*, int, int*, int*, int, int, int);

FMPL_BLACS_INSTANTIATE(std::int32_t)
FMPL_BLACS_INSTANTIATE(float)
FMPL_BLACS_INSTANTIATE(double)
FMPL_BLACS_INSTANTIATE(std::complex<float>)
FMPL_BLACS_INSTANTIATE(std::complex<double>)

}  // namespace fmpl::blacs
