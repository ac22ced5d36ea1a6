// A matrix as FMPL's layers see it: the columns of which a message is made (fmpl/columns.h).
#pragma once

#include "../matrix_view.hpp"

#include <fmpl/columns.h>

#include <algorithm>
#include <cstddef>

namespace fmpl::blacs {

// Its base is a.array().
template <class T>
fmpl_columns columns_of(const MatrixView<T>& a)
{
    constexpr auto kElement = static_cast<std::ptrdiff_t>(sizeof(T));
    const std::ptrdiff_t m = a.rows();
    const std::ptrdiff_t n = a.columns();
    const std::ptrdiff_t unit = a.shape().unit_diagonal ? 1 : 0;
    fmpl_columns columns{static_cast<std::size_t>(m * kElement), static_cast<std::size_t>(n),
        static_cast<std::size_t>(a.leading_dimension() * kElement), 0, 0, m * kElement, 0};
    if (a.shape().kind == Shape::Kind::upper) {
        columns.end = (std::max<std::ptrdiff_t>(m - n, 0) + 1 - unit) * kElement;
        columns.end_step = kElement;
    } else if (a.shape().kind == Shape::Kind::lower) {
        columns.begin = (std::min<std::ptrdiff_t>(m - n, 0) + unit) * kElement;
        columns.begin_step = kElement;
    }
    return columns;
}

}  // namespace fmpl::blacs
