// Whose long messages are in doubt, by how fast those before were read.
#include "p2p/slow_reads.hpp"

#include <gtest/gtest.h>

namespace {

using fmpl::mpi::SlowReads;

constexpr int kSource = 1;
constexpr std::uint64_t kBytes = 1'000'000;
constexpr std::uint64_t kRate = 4;      // bytes a nanosecond
constexpr double kFast = kBytes / 5e9;  // seconds
constexpr double kSlow = kBytes / 3.9e9;

void read_slowly(SlowReads& reads, int times)
{
    for (int i = 0; i < times; ++i) EXPECT_TRUE(reads.was_read(kSource, kBytes, kSlow));
}

TEST(SlowReads, OnlySeveralInARowRaiseDoubts)
{
    SlowReads reads(3, kRate);
    EXPECT_FALSE(reads.is_in_doubt(kSource));
    read_slowly(reads, SlowReads::kFar - 1);
    EXPECT_FALSE(reads.is_in_doubt(kSource));
    EXPECT_FALSE(reads.was_read(kSource, kBytes, kFast));
    read_slowly(reads, SlowReads::kWeightOfFast);
    EXPECT_FALSE(reads.is_in_doubt(kSource));
    read_slowly(reads, 1);
    EXPECT_TRUE(reads.is_in_doubt(kSource));
    EXPECT_FALSE(reads.is_in_doubt(0));
    EXPECT_FALSE(reads.is_in_doubt(2));
}

TEST(SlowReads, FastOnesEndThem)
{
    SlowReads reads(2, kRate);
    read_slowly(reads, 100);
    EXPECT_FALSE(reads.was_read(kSource, kBytes, kFast));
    EXPECT_TRUE(reads.is_in_doubt(kSource)) << "a fast one among slow ones";
    read_slowly(reads, 1);
    for (int i = 0; i < SlowReads::kFar / SlowReads::kWeightOfFast; ++i) reads.was_read(kSource, kBytes, kFast);
    EXPECT_FALSE(reads.is_in_doubt(kSource));
}

TEST(SlowReads, ARateOfNothingRaisesNone)
{
    SlowReads reads(2, 0);
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(reads.was_read(kSource, 1, 1));
    EXPECT_FALSE(reads.is_in_doubt(kSource));
}

}  // namespace
