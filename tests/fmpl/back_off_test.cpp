// BackOff: tries go on while they succeed, and become rare while they are in vain.
#include <fmpl/back_off.hpp>

#include <gtest/gtest.h>

namespace {

constexpr std::uint32_t kMostLevel = 8;
using BackOff = fmpl::BackOff<kMostLevel>;

// Tries on so many occasions, each ended the same way.
int tries_on(BackOff& tries, int occasions, bool succeeds)
{
    int number = 0;
    for (int i = 0; i < occasions; ++i) {
        if (!tries.is_worth_it()) continue;
        ++number;
        if (succeeds) tries.has_succeeded();
        else tries.was_in_vain();
    }
    return number;
}

TEST(BackOff, GoesOnWhileItSucceeds)
{
    BackOff tries;
    EXPECT_EQ(tries_on(tries, 100, true), 100);
}

TEST(BackOff, LeavesOutTwiceAsManyAfterEachInVain)
{
    BackOff tries;
    // A try, then 2, 4, 8 ... 128 occasions that are left out, and a try after each.
    EXPECT_EQ(tries_on(tries, 1 + 2 + 1 + 4 + 1 + 8 + 1, false), 4);
    EXPECT_EQ(tries_on(tries, 16 + 1 + 32 + 1 + 64 + 1 + 128 + 1, false), 4);
    // And no rarer than this.
    const int period = 1 + (1 << kMostLevel);
    EXPECT_EQ(tries_on(tries, 10 * period, false), 10);
}

TEST(BackOff, OneThatSucceedsLetsTheNextBeTried)
{
    BackOff tries;
    EXPECT_EQ(tries_on(tries, 1 + 2 + 1, false), 2);
    EXPECT_EQ(tries_on(tries, 4, true), 0);
    EXPECT_EQ(tries_on(tries, 50, true), 50);
}

// What is in vain every other time is not settled on.
TEST(BackOff, HalfOfThemInVainIsTooMany)
{
    BackOff tries;
    int number = 0;
    for (int i = 0; i < 10'000; ++i) {
        if (!tries.is_worth_it()) continue;
        if (++number % 2 == 0) tries.has_succeeded();
        else tries.was_in_vain();
    }
    EXPECT_LT(number, 10'000 * 2 / 3);
}

TEST(BackOff, TheFirstFewInARowMayBeForgiven)
{
    fmpl::BackOff<kMostLevel, 3> tries;
    const auto try_in_vain = [&](int times) {
        for (int i = 0; i < times; ++i) {
            EXPECT_TRUE(tries.is_worth_it());
            tries.was_in_vain();
        }
    };
    try_in_vain(3);
    EXPECT_TRUE(tries.is_worth_it());
    tries.has_succeeded();
    try_in_vain(4);
    EXPECT_FALSE(tries.is_worth_it());
    EXPECT_FALSE(tries.is_worth_it());
    EXPECT_TRUE(tries.is_worth_it());
}

TEST(BackOff, OfSeveralAtOnceTheFirstCounts)
{
    BackOff tries;
    for (int i = 0; i < 6; ++i) tries.was_in_vain();
    EXPECT_EQ(tries_on(tries, 2, true), 0);
    EXPECT_EQ(tries_on(tries, 1, true), 1);
}

}  // namespace
