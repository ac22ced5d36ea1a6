#include "stencils.hpp"

#include "common/register_width.hpp"

#include <algorithm>
#include <cstddef>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace fmpl::npb::mg {

namespace {

constexpr int kWidth = static_cast<int>(kRegisterDoubles);
constexpr std::size_t kVectorBytes = kWidth * sizeof(double);
using Vector [[gnu::vector_size(kVectorBytes)]] = double;
using VectorInMemory [[gnu::vector_size(kVectorBytes), gnu::aligned(alignof(double)), gnu::may_alias]] = double;

// Always within the caller: a call would pass vectors by memory.
#define FMPL_MG_INLINE [[gnu::always_inline]] inline

FMPL_MG_INLINE Vector load(const double* p)
{
    return *reinterpret_cast<const VectorInMemory*>(p);
}
FMPL_MG_INLINE void store(double* p, const Vector& v)
{
    *reinterpret_cast<VectorInMemory*>(p) = v;
}

// The vector that begins one element before b, a being the one before b; and the one that begins one after a.
FMPL_MG_INLINE Vector one_back(const Vector& a, const Vector& b)
{
#if defined(__AVX512F__)
    return __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14);
#elif defined(__AVX__)
    return __builtin_shufflevector(a, b, 3, 4, 5, 6);
#else
    return __builtin_shufflevector(a, b, 1, 2);
#endif
}
FMPL_MG_INLINE Vector one_ahead(const Vector& a, const Vector& b)
{
#if defined(__AVX512F__)
    return __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8);
#elif defined(__AVX__)
    return __builtin_shufflevector(a, b, 1, 2, 3, 4);
#else
    return __builtin_shufflevector(a, b, 1, 2);
#endif
}

// What the points of a column across the row, at one x, give to the operator's value at that x and to those at x - 1
// and x + 1.
template <class T>
struct Column {
    T here;
    T beside;
};

// c: the coefficients; those that an operator has as zero are left out where they are known to be.
struct ResidualTerms {
    template <class T>
    FMPL_MG_INLINE static Column<T> column(const Coefficients& c, const T& centre, const T& face, const T& edge)
    {
        return {c[0] * centre + c[2] * edge, c[2] * face + c[3] * edge};
    }
};
struct SmootherTerms {
    template <class T>
    FMPL_MG_INLINE static Column<T> column(const Coefficients& c, const T& centre, const T& face, const T& edge)
    {
        return {c[0] * centre + c[1] * face + c[2] * edge, c[1] * centre + c[2] * face};
    }
};

// to = base + the operator's value, over the range. Each column is summed up once and serves three points.
template <class Terms>
FMPL_MG_INLINE void apply_row(double* to, const double* base, const Neighbours& rows, const Coefficients& coefficients,
    Range range, const double* ahead)
{
    const Coefficients c = coefficients;
    const double *const r00 = rows[0][0], *const r01 = rows[0][1], *const r02 = rows[0][2];
    const double *const r10 = rows[1][0], *const r11 = rows[1][1], *const r12 = rows[1][2];
    const double *const r20 = rows[2][0], *const r21 = rows[2][1], *const r22 = rows[2][2];
    const auto single = [&](int x) __attribute__((always_inline))
    {
        return Terms::column(c, r11[x], (r10[x] + r12[x]) + (r01[x] + r21[x]), (r00[x] + r02[x]) + (r20[x] + r22[x]));
    };
    const auto several = [&](int x) __attribute__((always_inline))
    {
        const Vector face = (load(r10 + x) + load(r12 + x)) + (load(r01 + x) + load(r21 + x));
        const Vector edge = (load(r00 + x) + load(r02 + x)) + (load(r20 + x) + load(r22 + x));
        return Terms::column(c, load(r11 + x), face, edge);
    };

    int x = range.begin;
    if (range.end - range.begin >= kWidth) {
        Vector before = {};
        before[kWidth - 1] = single(x - 1).beside;
        Column<Vector> present = several(x);
        for (; x + 2 * kWidth <= range.end; x += kWidth) {
            __builtin_prefetch(ahead + x, 0, 2);
            const Column<Vector> next = several(x + kWidth);
            store(to + x, load(base + x) + present.here +
                              (one_back(before, present.beside) + one_ahead(present.beside, next.beside)));
            before = present.beside;
            present = next;
        }
        Vector after = {};
        after[0] = single(x + kWidth).beside;
        store(to + x,
            load(base + x) + present.here + (one_back(before, present.beside) + one_ahead(present.beside, after)));
        x += kWidth;
    }
    for (; x < range.end; ++x) to[x] = base[x] + single(x).here + (single(x - 1).beside + single(x + 1).beside);
}

constexpr Coefficients kMinusResidual{-kResidual[0], -kResidual[1], -kResidual[2], -kResidual[3]};
static_assert(kResidual[1] == 0.0);

}  // namespace

void residual_row(double* r, const double* v, const Neighbours& u, Range range, const double* ahead)
{
    apply_row<ResidualTerms>(r, v, u, kMinusResidual, range, ahead != nullptr ? ahead : v);
}

void smooth_row(
    double* u, const double* w, const Neighbours& r, const Coefficients& smoother, Range range, const double* ahead)
{
    apply_row<SmootherTerms>(u, w, r, smoother, range, ahead != nullptr ? ahead : w);
}

void mean_of_rows(double* __restrict mean, const std::array<const double*, 4>& rows, int count, Range range)
{
    const double *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
    if (count == 1) {
        std::copy(a + range.begin, a + range.end, mean + range.begin);
    } else if (count == 2) {
        for (int x = range.begin; x < range.end; ++x) mean[x] = 0.5 * (a[x] + b[x]);
    } else {
        for (int x = range.begin; x < range.end; ++x) mean[x] = 0.25 * ((a[x] + b[x]) + (c[x] + d[x]));
    }
}

void interpolate_row(double* __restrict w, const double* __restrict u, const double* __restrict coarse, Range range)
{
    // Pairs of a point between two coarse ones and the one on the second of them; what is left over at the ends is
    // alone.
    const int first = (range.begin + (range.begin & 1)) / 2, last = (range.end - (range.end & 1)) / 2;
    if (u == nullptr) {
        if ((range.begin & 1) != 0) w[range.begin] = coarse[first - 1];
        for (int x = first; x < last; ++x) {
            w[2 * x] = 0.5 * (coarse[x - 1] + coarse[x]);
            w[2 * x + 1] = coarse[x];
        }
        if ((range.end & 1) != 0) w[range.end - 1] = 0.5 * (coarse[last - 1] + coarse[last]);
        return;
    }
    if ((range.begin & 1) != 0) w[range.begin] = u[range.begin] + coarse[first - 1];
    for (int x = first; x < last; ++x) {
        w[2 * x] = u[2 * x] + 0.5 * (coarse[x - 1] + coarse[x]);
        w[2 * x + 1] = u[2 * x + 1] + coarse[x];
    }
    if ((range.end & 1) != 0) w[range.end - 1] = u[range.end - 1] + 0.5 * (coarse[last - 1] + coarse[last]);
}

void restrict_row(double* __restrict half, const double* __restrict r, double beyond, int size)
{
    for (int x = 0; x + 1 < size; ++x) half[x] = r[2 * x + 1] + 0.5 * (r[2 * x] + r[2 * x + 2]);
    half[size - 1] = r[2 * size - 1] + 0.5 * (r[2 * size - 2] + beyond);
}

void add_row(double* __restrict sum, const double* __restrict row, double factor, int size)
{
    for (int x = 0; x < size; ++x) sum[x] += factor * row[x];
}

void set_row(double* __restrict sum, const double* __restrict row, double factor, int size)
{
    for (int x = 0; x < size; ++x) sum[x] = factor * row[x];
}

void stream_row(double* to, const double* from, int size)
{
    int x = 0;
#if defined(__AVX512F__)
    for (; x + 8 <= size; x += 8) _mm512_stream_pd(to + x, _mm512_loadu_pd(from + x));
#elif defined(__SSE2__)
    for (; x + 2 <= size; x += 2) _mm_stream_pd(to + x, _mm_loadu_pd(from + x));
#endif
    for (; x < size; ++x) to[x] = from[x];
}

void finish_streams()
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

double sum_of_squares(const double* row, int size)
{
    // Sixteen sums side by side: in one, each addition would wait for the one before it.
    constexpr int kSums = 16;
    double sums[kSums] = {};
    int x = 0;
    for (; x + kSums <= size; x += kSums) {
        for (int i = 0; i < kSums; ++i) sums[i] += row[x + i] * row[x + i];
    }
    double sum = 0;
    for (; x < size; ++x) sum += row[x] * row[x];
    for (const double part : sums) sum += part;
    return sum;
}

}  // namespace fmpl::npb::mg
