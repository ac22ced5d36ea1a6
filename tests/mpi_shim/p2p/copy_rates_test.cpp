// Which long messages go through the ring, by how fast those before were read.
#include "p2p/copy_rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace {

using fmpl::mpi::CopyRates;

constexpr int kPeer = 1;
constexpr std::uint64_t kBytes = 32 * 1024;
constexpr double kRate = 14;
constexpr auto kFast = static_cast<std::uint64_t>(kBytes / kRate / 2);
constexpr auto kSlow = static_cast<std::uint64_t>(kBytes / kRate * 2);

void are_read(CopyRates& rates, int times, std::uint64_t nanoseconds)
{
    for (int i = 0; i < times; ++i) rates.was_read(kPeer, kBytes, nanoseconds);
}

TEST(CopyRates, OnlyManySlowCopiesTellOfTheNext)
{
    CopyRates rates(3, kRate, 1);
    EXPECT_FALSE(rates.are_slow(kPeer));
    are_read(rates, CopyRates::kMany - 1, kSlow);
    EXPECT_FALSE(rates.are_slow(kPeer));
    are_read(rates, 1, kSlow);
    EXPECT_TRUE(rates.are_slow(kPeer));
    EXPECT_FALSE(rates.are_slow(0));
    EXPECT_FALSE(rates.are_slow(2));
    are_read(rates, 1, kFast);
    EXPECT_FALSE(rates.are_slow(kPeer));
    are_read(rates, CopyRates::kWeightOfFast, kSlow);
    EXPECT_TRUE(rates.are_slow(kPeer));
}

TEST(CopyRates, BuffersThatAreSlowOnlyTheFirstTimeAreReadWhereTheyLie)
{
    CopyRates rates(2, kRate, 1);
    for (int window = 0; window < 10; ++window) are_read(rates, 64, window == 0 ? kSlow : kFast);
    EXPECT_FALSE(rates.are_slow(kPeer));
}

TEST(CopyRates, SomeInARowAreStillReadToSee)
{
    CopyRates rates(2, kRate, 1);
    are_read(rates, CopyRates::kMany, kSlow);
    int read = 0;
    int in_row = 0;
    int most_in_row = 0;
    for (int i = 0; i < 4 * CopyRates::kPeriod; ++i) {
        const bool through_ring = rates.prefer_ring(kPeer);
        read += through_ring ? 0 : 1;
        in_row = through_ring ? 0 : in_row + 1;
        most_in_row = std::max(most_in_row, in_row);
    }
    EXPECT_EQ(read, 4 * CopyRates::kProbes);
    EXPECT_EQ(most_in_row, CopyRates::kProbes);
}

// Some of many, now these and now those where messages take turns; and of those that go through the ring, all that are
// still read.
TEST(CopyRates, SomeOfManyAreTimed)
{
    constexpr int kOneOf = 61;
    CopyRates rates(2, kRate, kOneOf);
    const auto timed = [&](int messages) {
        std::array<int, 2> in_turn{};
        for (int i = 0; i < messages; ++i) {
            const bool will_be = rates.will_be_timed(kPeer);
            const bool through_ring = rates.prefer_ring(kPeer);
            EXPECT_EQ(rates.is_timed(kPeer), will_be);
            EXPECT_FALSE(through_ring && will_be);
            in_turn[static_cast<std::size_t>(i % 2)] += will_be ? 1 : 0;
        }
        return in_turn;
    };
    EXPECT_EQ(timed(4 * CopyRates::kPeriod), (std::array{8, 12}));
    are_read(rates, CopyRates::kMany / kOneOf - 1, kSlow);
    EXPECT_FALSE(rates.are_slow(kPeer));
    are_read(rates, 1, kSlow);
    EXPECT_TRUE(rates.are_slow(kPeer));
    EXPECT_EQ(timed(4 * CopyRates::kPeriod), (std::array{8, 8}));
    are_read(rates, 1, kFast);
    EXPECT_FALSE(rates.are_slow(kPeer));
}

TEST(CopyRates, WhatNobodyHasTimedCountsAsFast)
{
    CopyRates rates(2, kRate, 1);
    are_read(rates, CopyRates::kMany, kSlow);
    rates.was_read_untimed(kPeer);
    EXPECT_FALSE(rates.are_slow(kPeer));
}

}  // namespace
