// Counting keys by bucket and writing them to their buckets, against std::stable_sort.
#include "is/bucket_counts.hpp"
#include "is/bucket_scatter.hpp"

#include "support/ranks_test.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace {

using namespace fmpl::npb::is;

constexpr Key kGuard = 0xffffffff;

// Scatters the keys to buckets in succession that begin `offset` keys behind the beginning of a line, and compares.
void expect_sorted_by_bucket(std::vector<Key> keys, std::size_t buckets, int shift, std::size_t offset)
{
    BucketCounts count(buckets);
    const auto counts = count(keys, shift);
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        EXPECT_EQ(
            counts[bucket], std::count_if(keys.begin(), keys.end(), [&](Key key) { return key >> shift == bucket; }));
    }

    fmpl::npb::WorkArray<Key> out(offset + keys.size() + 16);
    std::fill(out.begin(), out.end(), kGuard);
    std::vector<Key*> places(buckets);
    Key* place = out.data() + offset;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        places[bucket] = place;
        place += counts[bucket];
    }
    BucketScatter scatter(buckets);
    scatter(keys, shift, places);

    std::stable_sort(keys.begin(), keys.end(), [&](Key a, Key b) { return a >> shift < b >> shift; });
    EXPECT_TRUE(std::equal(keys.begin(), keys.end(), out.data() + offset));
    EXPECT_TRUE(std::all_of(out.data(), out.data() + offset, [](Key key) { return key == kGuard; }));
    EXPECT_TRUE(std::all_of(out.data() + offset + keys.size(), out.end(), [](Key key) { return key == kGuard; }));
}

std::vector<Key> random_keys(std::size_t count, Key limit, std::mt19937_64& random)
{
    std::vector<Key> keys(count);
    for (Key& key : keys) key = static_cast<Key>(random() % limit);
    return keys;
}

TEST(BucketScatter, KeepsTheOrderWithinABucketAndWritesNothingElse)
{
    std::mt19937_64 random(fmpl_test::seed());
    for (int round = 0; round < 100; ++round) {
        const std::size_t buckets = std::size_t{1} << random() % 8;
        const int shift = static_cast<int>(random() % 10);
        const auto limit = static_cast<Key>(buckets << shift);
        expect_sorted_by_bucket(random_keys(random() % 3000, limit, random), buckets, shift, random() % 16);
    }
}

TEST(BucketScatter, TakesKeysThatAllBelongToOneBucket)
{
    for (const std::size_t count : {0, 1, 3, 4, 15, 16, 17, 33, 2000}) {
        for (std::size_t offset = 0; offset < 16; ++offset) {
            std::vector<Key> keys(count);
            for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<Key>(512 + i % 128);
            expect_sorted_by_bucket(keys, 8, 7, offset);
        }
    }
}

}  // namespace
