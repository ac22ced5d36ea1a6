// FasterOfTwo: the faster way is taken nearly always, also if it becomes another one.
#include "coll/reduce/faster_of_two.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

using fmpl::FasterOfTwo;

// How often of so many times the second way is taken. ticks: what each way takes; bytes change.
int second_ways(FasterOfTwo& ways, int times, std::array<std::uint64_t, 2> ticks)
{
    int number = 0;
    for (int i = 0; i < times; ++i) {
        const std::size_t bytes = i % 3 == 0 ? 1000 : 4000;
        number += static_cast<int>(ways.way());
        if (ways.is_try()) ways.took(ticks[ways.way()] * bytes, bytes);
        ways.next();
    }
    return number;
}

TEST(FasterOfTwo, TheFasterIsTakenButForTries)
{
    FasterOfTwo first, second;
    EXPECT_LT(second_ways(first, 1000, {5, 6}), 30);
    EXPECT_GT(second_ways(second, 1000, {6, 5}), 970);
}

TEST(FasterOfTwo, WhatChangesIsNoticed)
{
    FasterOfTwo ways;
    second_ways(ways, 1000, {5, 6});
    EXPECT_GT(second_ways(ways, 10'000, {6, 5}), 9'300);
}

// One that was held up once is no slower for that.
TEST(FasterOfTwo, TheLeastOfSeveralTriesCounts)
{
    FasterOfTwo ways;
    for (int i = 0; i < 100; ++i) {
        if (ways.is_try()) ways.took(ways.way() == 0 ? 6000 : i == 1 || i == 7 ? 100'000 : 5000, 1000);
        ways.next();
    }
    EXPECT_EQ(ways.way(), 1U);
}

// Where each use has two or four parts that take different times, no way has only some of them.
TEST(FasterOfTwo, EachWayIsTriedWithEachPart)
{
    for (const std::size_t parts : {2u, 4u}) {
        FasterOfTwo ways;
        std::array<std::array<int, 4>, 2> tried{};
        for (std::size_t i = 0; ways.is_try(); ++i) {
            ++tried[ways.way()][i % parts];
            ways.took(1, 1);
            ways.next();
        }
        EXPECT_EQ(tried[0], tried[1]);
    }
}

}  // namespace
