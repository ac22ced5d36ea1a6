// The check of the products that the benchmarks time: one wrong element is noticed, whichever it is.
#include "../../apps/blacs_bench/exact_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace {

using namespace fmpl::bench::exact_product;

constexpr int kOrder = 23;

// Rows and columns of C that one process has, with unused rows below them.
struct Part {
    std::vector<int> rows, columns;
    std::size_t lld;
    std::vector<double> values;

    Part(std::vector<int> own_rows, std::vector<int> own_columns, std::size_t pad)
        : rows(std::move(own_rows)),
          columns(std::move(own_columns)),
          lld(rows.size() + pad),
          values(lld * columns.size(), std::numeric_limits<double>::quiet_NaN())
    {
        for (std::size_t j = 0; j < columns.size(); ++j) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                double sum = 0;
                for (int k = 0; k < kOrder; ++k) sum += element_of_a(rows[i], k) * element_of_b(k, columns[j]);
                values[j * lld + i] = sum;
            }
        }
    }
    bool right() const { return is_right(kOrder, rows, columns, values.data(), lld); }
};

std::vector<Part> parts()
{
    std::vector<int> all(kOrder);
    std::iota(all.begin(), all.end(), 0);
    return {Part(all, all, 0), Part({0, 1, 2, 9, 10, 11, 18, 19, 20}, {3, 4, 5, 12, 13, 14, 21, 22}, 2),
        Part({}, all, 1), Part(all, {}, 0)};
}

TEST(ExactProduct, TheProductIsRightOnEveryPartOfIt)
{
    for (const Part& part : parts()) EXPECT_TRUE(part.right()) << part.rows.size() << "x" << part.columns.size();
}

TEST(ExactProduct, OneWrongElementIsNoticedWhicheverItIs)
{
    for (Part& part : parts()) {
        for (std::size_t j = 0; j < part.columns.size(); ++j) {
            for (std::size_t i = 0; i < part.rows.size(); ++i) {
                double& element = part.values[j * part.lld + i];
                const double right = element;
                for (const double wrong : {right + 1, std::numeric_limits<double>::quiet_NaN()}) {
                    element = wrong;
                    EXPECT_FALSE(part.right()) << "element " << i << ", " << j;
                }
                element = right;
            }
        }
    }
}

TEST(ExactProduct, TwoColumnsInEachOthersPlaceAreNoticed)
{
    Part part = std::move(parts().front());
    std::swap_ranges(part.values.begin(), part.values.begin() + kOrder, part.values.begin() + kOrder);
    EXPECT_FALSE(part.right());
}

}  // namespace
