// For the tests of the BLACS: the typed names chosen by element type, grids of every form that n processes allow, and
// values that say where they come from.
#pragma once

#include <blacs_fmpl.h>

#include "../support/ranks_test.hpp"

#include <complex>
#include <cstdint>
#include <exception>
#include <random>
#include <vector>

namespace fmpl_test {

// The BLACS from here to the end of the scope. When an exception leaves the scope, the job is left to end by itself.
class Blacs {
public:
    Blacs() : exceptions_(std::uncaught_exceptions()) { Cblacs_pinfo(&number_, &count_); }
    ~Blacs()
    {
        if (std::uncaught_exceptions() == exceptions_) Cblacs_exit(0);
    }
    Blacs(const Blacs&) = delete;
    Blacs& operator=(const Blacs&) = delete;

    int number() const { return number_; }
    int count() const { return count_; }

private:
    int exceptions_;
    int number_ = -1;
    int count_ = -1;
};

struct Shape {
    int rows;
    int columns;
};

// A row, a column, the most square grid of all n processes, and the most square one that leaves a process out.
inline std::vector<Shape> shapes(int n)
{
    const auto square = [](int size) {
        int rows = 1;
        for (int r = 1; r * r <= size; ++r) {
            if (size % r == 0) rows = r;
        }
        return Shape{rows, size / rows};
    };
    std::vector<Shape> all{{1, n}};
    if (n > 1) all.push_back({n, 1});
    if (square(n).rows > 1) all.push_back(square(n));
    if (n > 2 && square(n - 1).rows > 1) all.push_back({square(n - 1).columns, square(n - 1).rows});
    return all;
}

// A grid of the first processes. Exits at the end of the scope; a process outside has none.
class Grid {
public:
    explicit Grid(Shape shape, const char* order = "R") : exceptions_(std::uncaught_exceptions())
    {
        Cblacs_get(-1, 0, &context);
        Cblacs_gridinit(&context, order, shape.rows, shape.columns);
        Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    }
    ~Grid()
    {
        if (inside() && std::uncaught_exceptions() == exceptions_) Cblacs_gridexit(context);
    }
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;

    bool inside() const { return context >= 0; }
    int size() const { return rows * columns; }
    int number() const { return row * columns + column; }

    int context = -1;
    int rows = -1;
    int columns = -1;
    int row = -1;
    int column = -1;

private:
    int exceptions_;
};

template <class T>
struct Api;

#define FMPL_TEST_BLACS_API(t, T)                     \
    template <>                                       \
    struct Api<T> {                                   \
        static constexpr auto gesd2d = &C##t##gesd2d; \
        static constexpr auto gerv2d = &C##t##gerv2d; \
        static constexpr auto trsd2d = &C##t##trsd2d; \
        static constexpr auto trrv2d = &C##t##trrv2d; \
        static constexpr auto gebs2d = &C##t##gebs2d; \
        static constexpr auto gebr2d = &C##t##gebr2d; \
        static constexpr auto trbs2d = &C##t##trbs2d; \
        static constexpr auto trbr2d = &C##t##trbr2d; \
        static constexpr auto gsum2d = &C##t##gsum2d; \
        static constexpr auto gamx2d = &C##t##gamx2d; \
        static constexpr auto gamn2d = &C##t##gamn2d; \
        static constexpr auto gesd2d_f = &t##gesd2d_; \
        static constexpr auto gerv2d_f = &t##gerv2d_; \
        static constexpr auto gebs2d_f = &t##gebs2d_; \
        static constexpr auto gebr2d_f = &t##gebr2d_; \
        static constexpr auto gsum2d_f = &t##gsum2d_; \
    };
FMPL_TEST_BLACS_API(i, int)
FMPL_TEST_BLACS_API(s, float)
FMPL_TEST_BLACS_API(d, double)
FMPL_TEST_BLACS_API(c, std::complex<float>)
FMPL_TEST_BLACS_API(z, std::complex<double>)
#undef FMPL_TEST_BLACS_API

// Calls f.operator()<T>() for the five types.
template <class F>
void for_each_type(F&& f)
{
    f.template operator()<int>();
    f.template operator()<float>();
    f.template operator()<double>();
    f.template operator()<std::complex<float>>();
    f.template operator()<std::complex<double>>();
}

// A small whole number as an element; complex ones get an imaginary part of their own.
template <class T>
T element(long k)
{
    const int value = static_cast<int>(k % 30011);
    return T(static_cast<decltype(std::real(T{}))>(value));
}
template <>
inline std::complex<float> element(long k)
{
    return {static_cast<float>(k % 30011), static_cast<float>(-(k % 127))};
}
template <>
inline std::complex<double> element(long k)
{
    return {static_cast<double>(k % 30011), static_cast<double>(-(k % 127))};
}

// A column-major array with a frame of marks around an m x n matrix: `lda` elements a column, two rows and one column
// before it, the rest after.
template <class T>
class Framed {
public:
    Framed(int m, int n, int lda) : m_(m), n_(n), lda_(lda), data_(static_cast<std::size_t>(lda) * (n + 2) + 4, mark())
    {
    }

    T* a() { return data_.data() + lda_ + 2; }
    int lda() const { return lda_; }
    T& at(int i, int j) { return a()[i + static_cast<std::ptrdiff_t>(j) * lda_]; }
    static T mark() { return element<T>(30000); }

    template <class F>
    void fill(F&& value)
    {
        for (int j = 0; j < n_; ++j) {
            for (int i = 0; i < m_; ++i) at(i, j) = value(i, j);
        }
    }

    // The number of elements that differ from expected(i, j) within the matrix, or from the mark outside.
    template <class F>
    int wrong(F&& expected)
    {
        int count = 0;
        for (std::size_t k = 0; k < data_.size(); ++k) {
            const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(k) - lda_ - 2;
            const bool inside = place >= 0 && place / lda_ < n_ && place % lda_ < m_;
            const T want = inside ? expected(static_cast<int>(place % lda_), static_cast<int>(place / lda_)) : mark();
            if (data_[k] != want) ++count;
        }
        return count;
    }

private:
    int m_;
    int n_;
    int lda_;
    std::vector<T> data_;
};

// Whether (i, j) belongs to a trapezoidal m x n matrix: the user's guide's four pictures, each in its own words.
inline bool in_trapezoid(char uplo, char diag, int m, int n, int i, int j)
{
    int below = 0;  // how far the element lies below the diagonal
    if (uplo == 'U') {
        below = m > n ? i - (j + m - n) : i - j;
        return diag == 'U' ? below < 0 : below <= 0;
    }
    below = m < n ? i - (j - (n - m)) : i - j;
    return diag == 'U' ? below > 0 : below >= 0;
}

}  // namespace fmpl_test
