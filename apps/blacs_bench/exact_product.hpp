// Square matrices of small whole numbers, whose product is exact whatever the order of the sums, and its check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl::bench::exact_product {

constexpr int kMostOrder = 100'000;

inline double element_of_a(int i, int k)
{
    return (7 * i + 3 * k) % 11 - 5;
}

inline double element_of_b(int k, int j)
{
    return (5 * k + 2 * j) % 13 - 6;
}

// Whether a part of C = A B, each of this order, at most kMostOrder, is right: column-major, with rows[i] and
// columns[j] as the places of its element (i, j) in C. Compares C x with A (B x) for an x of whole numbers, so that
// every element counts, in as many steps as A has elements in these rows, B in these columns, and the part. NaN is
// wrong.
inline bool is_right(
    int order, const std::vector<int>& rows, const std::vector<int>& columns, const double* c, std::size_t lld)
{
    const auto weight = [](int j) { return static_cast<double>(1 + std::int64_t{j} * 37 % 101); };
    std::vector<double> product(rows.size()), b_times_x(static_cast<std::size_t>(order));
    for (std::size_t j = 0; j < columns.size(); ++j) {
        const double x = weight(columns[j]);
        for (std::size_t i = 0; i < rows.size(); ++i) product[i] += c[j * lld + i] * x;
        for (int k = 0; k < order; ++k) b_times_x[static_cast<std::size_t>(k)] += element_of_b(k, columns[j]) * x;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double expected = 0;
        for (int k = 0; k < order; ++k) expected += element_of_a(rows[i], k) * b_times_x[static_cast<std::size_t>(k)];
        if (!(product[i] == expected)) return false;
    }
    return true;
}

}  // namespace fmpl::bench::exact_product
