// One product on a grid of several processes, as both algorithms take it: sub(C) = alpha op(sub(A)) op(sub(B)) + beta
// sub(C).
#pragma once

#include "operand.hpp"
#include "tiled_gemm.hpp"

#include <algorithm>
#include <cstddef>

namespace fmpl::pdgemm {

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

// REQUIRES: checked arguments; m, n, k > 0; alpha != 0.
template <class T>
struct Product {
    ProcessGrid grid;
    char transa;
    char transb;
    T alpha;
    T beta;
    Operand<T> a;
    Operand<T> b;
    BlockCyclic c_rows;
    BlockCyclic c_columns;
    LocalBlock<T> c;

    // Adds the product of two panels to this process's part; `first`: scales that by beta before.
    void multiply(const Panel<T>& a_panel, const Panel<T>& b_panel, int width, bool first) const
    {
        if (c.rows == 0 || c.columns == 0) return;
        tiled_gemm(transa, transb, c.rows, c.columns, width, alpha, a_panel.data, a_panel.leading_dimension,
            b_panel.data, b_panel.leading_dimension, first ? beta : T(1), c.data, c.leading_dimension, unpacked);
    }

    const bool unpacked = has_unpacked_kernels();
};

// Memory for several arrays in one piece, each beginning a line.
template <class T>
std::size_t bytes_in_lines(std::size_t elements)
{
    return (elements * sizeof(T) + 63) / 64 * 64;
}

}  // namespace fmpl::pdgemm
