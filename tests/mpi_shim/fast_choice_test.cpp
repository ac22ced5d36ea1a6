// Where FMPL's own collective calls are chosen: the sizes at which they are measured to be faster than messages.
#include "coll/fast_choice.hpp"

#include <gtest/gtest.h>

namespace fmpl::mpi {
namespace {

constexpr std::uint64_t kKiB = 1024;

TEST(FastChoice, LongPrivateBroadcastsBetweenTwoRanksAreMessages)
{
    const FastChoice two(2, false);
    EXPECT_TRUE(two.bcast(32 * kKiB - 1));
    EXPECT_FALSE(two.bcast(32 * kKiB));
    EXPECT_FALSE(two.bcast(21 * kKiB * kKiB));
}

TEST(FastChoice, BroadcastsAmongMoreRanksAreFmplsBelowAMegabyte)
{
    for (const int ranks : {3, 4, 64}) {
        const FastChoice choice(ranks, false);
        EXPECT_TRUE(choice.bcast(kKiB * kKiB - 1)) << ranks;
        EXPECT_FALSE(choice.bcast(kKiB * kKiB)) << ranks;
    }
}

TEST(FastChoice, LongPrivateReductionsAreMessagesAtAnyNumberOfRanks)
{
    for (const int ranks : {2, 3, 4, 64}) {
        const FastChoice choice(ranks, false);
        EXPECT_TRUE(choice.reduce(32 * kKiB - 1)) << ranks;
        EXPECT_FALSE(choice.reduce(32 * kKiB)) << ranks;
    }
}

TEST(FastChoice, InTheRemoteDmaHeapTheyAreFmplsWhateverTheirLength)
{
    const FastChoice heap(2, true);
    EXPECT_TRUE(heap.bcast(21 * kKiB * kKiB));
    EXPECT_TRUE(heap.reduce(21 * kKiB * kKiB));
}

}  // namespace
}  // namespace fmpl::mpi
