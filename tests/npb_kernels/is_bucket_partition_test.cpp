// Which rank gets which buckets.
#include "is/bucket_partition.hpp"

#include "support/ranks_test.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace {

using fmpl::npb::is::BucketPartition;
using Sizes = std::vector<std::int32_t>;

std::int64_t sum(const Sizes& sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

// Buckets of random sizes: many of them empty, some large.
Sizes random_sizes(std::mt19937_64& random)
{
    Sizes sizes(1 + random() % 1024);
    for (std::int32_t& size : sizes)
        size = static_cast<std::int32_t>(random() % 3 == 0 ? 0 : random() % (1 << random() % 20));
    return sizes;
}

// Every bucket has one rank, keys_before and keys_of agree with the sizes, and no rank has more than the bound.
void expect_sound(const Sizes& sizes, int ranks)
{
    const BucketPartition partition(sizes, ranks);
    EXPECT_EQ(partition.first_bucket(0), 0U);
    EXPECT_EQ(partition.first_bucket(ranks), sizes.size());
    const std::int64_t bound = BucketPartition::bound(sum(sizes), *std::max_element(sizes.begin(), sizes.end()), ranks);
    std::int64_t before = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        const std::size_t first = partition.first_bucket(rank), end = partition.first_bucket(rank + 1);
        ASSERT_LE(first, end);
        EXPECT_EQ(partition.keys_before(rank), before);
        std::int64_t own = 0;
        for (std::size_t bucket = first; bucket < end; ++bucket) own += sizes[bucket];
        EXPECT_EQ(partition.keys_of(rank), own);
        EXPECT_LE(own, bound);
        EXPECT_LE(own, partition.most_keys());
        before += own;
    }
    EXPECT_EQ(before, sum(sizes));
}

TEST(BucketPartition, GivesEveryBucketToOneRankAndNoRankTooMuch)
{
    std::mt19937_64 random(fmpl_test::seed());
    for (int round = 0; round < 200; ++round) {
        const Sizes sizes = random_sizes(random);
        expect_sound(sizes, static_cast<int>(1 + random() % 40));
        if (HasFatalFailure()) return;
    }
}

TEST(BucketPartition, TakesNoKeysAndMoreRanksThanBuckets)
{
    expect_sound(Sizes(16), 4);
    expect_sound({0, 0, 7}, 8);
    expect_sound({7, 0, 0}, 8);
    expect_sound({1}, 3);
}

TEST(BucketPartition, SharesEqualBucketsEqually)
{
    const BucketPartition partition(Sizes(1024, 10), 8);
    for (int rank = 0; rank < 8; ++rank) EXPECT_EQ(partition.first_bucket(rank), 128U * static_cast<unsigned>(rank));
}

TEST(BucketPartition, GivesABucketToTheRankThatHasItsMiddle)
{
    // Shares of 50 keys: the middle of the second bucket is key 49, or key 51.
    EXPECT_EQ(BucketPartition(Sizes{40, 18, 42}, 2).first_bucket(1), 2U);
    EXPECT_EQ(BucketPartition(Sizes{42, 18, 40}, 2).first_bucket(1), 1U);
}

TEST(BucketPartition, CountsMoreKeysThan32Bits)
{
    const Sizes sizes(1024, 1 << 23);
    const BucketPartition partition(sizes, 2);
    EXPECT_EQ(partition.keys_before(1), std::int64_t{1} << 32);
    EXPECT_EQ(partition.keys_before(2), std::int64_t{1} << 33);
}

}  // namespace
