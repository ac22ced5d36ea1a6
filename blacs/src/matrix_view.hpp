// The part of a column-major array that one BLACS call moves: a general m x n matrix, or a trapezoidal one.
//
// A trapezoidal matrix holds, of each column j, the rows on its side of a diagonal that starts in the corner opposite
// to the trapezoid's wide end: for m > n an upper one has its first m - n rows full, for m < n a lower one its first n
// - m columns (user's guide, "trapezoidal matrices"). With diag = 'U' the diagonal itself is left out.
//
// A message holds the elements by columns without gaps. pack and unpack copy between the array and that form; a view
// that has it already (contiguous) is sent and received in place. The caller has checked m, n >= 0 and lda.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace fmpl::blacs {

struct Shape {
    enum class Kind { general, upper, lower };
    Kind kind = Kind::general;
    bool unit_diagonal = false;
};

template <class T>
class MatrixView {
public:
    using Value = std::remove_const_t<T>;

    MatrixView(Shape shape, int m, int n, T* a, int lda) : shape_(shape), m_(m), n_(n), a_(a), lda_(lda)
    {
        if (m == 0 || n == 0) {
            n_ = 0;
        } else if (shape.kind == Shape::Kind::general) {
            count_ = static_cast<std::size_t>(m) * static_cast<std::size_t>(n);
        } else {
            // All but the triangle beyond the diagonal, which has min(m, n) elements, and without it too where it is
            // unit.
            const auto k = static_cast<std::size_t>(std::min(m, n));
            count_ = static_cast<std::size_t>(m) * static_cast<std::size_t>(n) - k * (k - 1) / 2 -
                     (shape.unit_diagonal ? k : 0);
        }
    }

    std::size_t count() const { return count_; }
    std::size_t bytes() const { return count_ * sizeof(T); }

    Shape shape() const { return shape_; }
    bool general() const { return shape_.kind == Shape::Kind::general; }
    int rows() const { return m_; }
    int columns() const { return n_; }
    std::ptrdiff_t leading_dimension() const { return lda_; }
    T* array() const { return a_; }

    bool contiguous() const
    {
        return n_ <= 1 || (shape_.kind == Shape::Kind::general && static_cast<std::ptrdiff_t>(m_) == lda_);
    }
    // The first element in message order; only meaningful when contiguous.
    T* data() const { return n_ == 0 ? a_ : a_ + rows(0).first; }

    // Writes count() elements to `out`.
    void pack(Value* out) const
    {
        if (single_row()) {
            for (int j = 0; j < n_; ++j) out[j] = a_[lda_ * j];
            return;
        }
        for (int j = 0; j < n_; ++j) {
            const Rows r = rows(j);
            std::memcpy(static_cast<void*>(out), column(j) + r.first, r.size() * sizeof(Value));
            out += r.size();
        }
    }

    // Reads the first `available` elements of the message form from `in`; the elements after them stay as they are.
    void unpack(const Value* in, std::size_t available) const
    {
        available = std::min(available, count_);
        if (single_row()) {
            for (std::size_t j = 0; j < available; ++j) a_[lda_ * static_cast<std::ptrdiff_t>(j)] = in[j];
            return;
        }
        for (int j = 0; j < n_ && available > 0; ++j) {
            const Rows r = rows(j);
            const std::size_t length = std::min(r.size(), available);
            std::memcpy(static_cast<void*>(column(j) + r.first), in, length * sizeof(Value));
            in += length;
            available -= length;
        }
    }

    // Calls f(i, j, k) for each element: its row, its column, its place in the message.
    template <class F>
    void for_each(F&& f) const
    {
        std::size_t k = 0;
        for (int j = 0; j < n_; ++j) {
            const Rows r = rows(j);
            for (int i = r.first; i < r.last; ++i) f(i, j, k++);
        }
    }

    // Calls f(elements, length) for the parts of columns that hold the elements first .. first + count - 1 of the
    // message, in this order.
    template <class F>
    void for_each_stretch(std::size_t first, std::size_t count, F&& f) const
    {
        for (int j = 0; j < n_ && count > 0; ++j) {
            const Rows r = rows(j);
            if (first >= r.size()) {
                first -= r.size();
                continue;
            }
            const std::size_t length = std::min(r.size() - first, count);
            f(column(j) + r.first + first, length);
            count -= length;
            first = 0;
        }
    }

    T& at(int i, int j) const { return column(j)[i]; }

private:
    struct Rows {
        int first;
        int last;  // one past
        std::size_t size() const { return static_cast<std::size_t>(last - first); }
    };

    // The rows of column j that belong to the matrix.
    Rows rows(int j) const
    {
        const long diagonal_row = long{j} + m_ - n_;
        if (shape_.kind == Shape::Kind::upper) {
            const long last = std::max(diagonal_row, long{j}) + (shape_.unit_diagonal ? 0 : 1);
            return {0, static_cast<int>(std::min<long>(last, m_))};
        }
        if (shape_.kind == Shape::Kind::lower) {
            const long first = std::min(diagonal_row, long{j}) + (shape_.unit_diagonal ? 1 : 0);
            return {static_cast<int>(std::clamp<long>(first, 0, m_)), m_};
        }
        return {0, m_};
    }

    T* column(int j) const { return a_ + lda_ * j; }

    // A row of a general matrix: single elements a stride apart, where a call of memcpy each would dominate.
    bool single_row() const { return m_ == 1 && shape_.kind == Shape::Kind::general; }

    Shape shape_;
    int m_;
    int n_;
    T* a_;
    std::ptrdiff_t lda_;
    std::size_t count_ = 0;
};

}  // namespace fmpl::blacs
