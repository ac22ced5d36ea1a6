// Arrays that share huge pages.
#include "common/work_pool.hpp"

#include "support/ranks_test.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace {

using namespace fmpl::npb;

TEST(WorkPool, EachArrayIsAlignedZeroAndApart)
{
    std::mt19937_64 random(fmpl_test::seed());
    WorkPool pool;
    std::vector<std::span<std::uint16_t>> arrays;
    for (int i = 0; i < 60; ++i) {
        // Some are longer than a huge page, some empty.
        const std::size_t count = random() % (i % 10 == 0 ? 3'000'000 : 100'000) * (i % 7 != 0);
        arrays.push_back(pool.take<std::uint16_t>(count));
        ASSERT_EQ(arrays.back().size(), count);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrays.back().data()) % 64, 0u);
        EXPECT_TRUE(std::all_of(arrays.back().begin(), arrays.back().end(), [](auto value) { return value == 0; }));
        std::fill(arrays.back().begin(), arrays.back().end(), static_cast<std::uint16_t>(i + 1));
    }
    const WorkPool moved = std::move(pool);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const auto count = std::count(arrays[i].begin(), arrays[i].end(), static_cast<std::uint16_t>(i + 1));
        EXPECT_EQ(static_cast<std::size_t>(count), arrays[i].size()) << "array " << i;
    }
}

TEST(WorkPool, SmallArraysLieInOneHugePage)
{
    WorkPool pool;
    const auto address_of = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
    const std::span<double> first = pool.take<double>(10'000);
    for (int i = 0; i < 20; ++i) {
        EXPECT_LT(address_of(pool.take<double>(10'000).data()) - address_of(first.data()), std::uintptr_t{2} << 20);
    }
}

}  // namespace
