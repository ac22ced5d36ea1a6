// Memory of one rank.
#include "common/work_array.hpp"

#include "support/ranks_test.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace {

using fmpl::npb::WorkArray;

TEST(WorkArray, BeginsAtAPageAndIsZero)
{
    for (const std::size_t count : {std::size_t{1}, std::size_t{511}, std::size_t{1} << 18}) {
        const WorkArray<double> array(count);
        EXPECT_EQ(array.size(), count);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 4096, 0u);
        EXPECT_TRUE(std::all_of(array.begin(), array.end(), [](double value) { return value == 0; }));
    }
}

TEST(WorkArray, HasItsBytesToItself)
{
    WorkArray<std::uint8_t> first(5'000'000), second(5'000'000);
    std::fill(first.begin(), first.end(), std::uint8_t{1});
    std::fill(second.begin(), second.end(), std::uint8_t{2});
    EXPECT_EQ(std::count(first.begin(), first.end(), 1), 5'000'000);
    EXPECT_EQ(std::count(second.begin(), second.end(), 2), 5'000'000);
}

TEST(WorkArray, StaysWhereItIsWhenMoved)
{
    WorkArray<int> array(1000);
    array[999] = 7;
    const int* const where = array.data();
    WorkArray<int> other(std::move(array));
    EXPECT_EQ(other.data(), where);
    EXPECT_EQ(other.size(), 1000u);
    WorkArray<int> third(3);
    third = std::move(other);
    EXPECT_EQ(third.data(), where);
    EXPECT_EQ(third[999], 7);
}

TEST(WorkArray, WithoutElementsHasNoMemory)
{
    EXPECT_EQ(WorkArray<double>(0).data(), nullptr);
    EXPECT_EQ(WorkArray<double>().size(), 0u);
}

TEST(WorkArray, ThatTheSystemRefusesThrows)
{
    EXPECT_THROW(WorkArray<double>(std::size_t{1} << 50), std::bad_alloc);
}

}  // namespace
