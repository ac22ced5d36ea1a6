// The keys of IS, against the report's words: one random number after the other, in floating point.
#include "is/key_sequence.hpp"

#include "common/random.hpp"

#include "support/ranks_test.hpp"

#include <vector>

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::is;

std::vector<Key> serial_keys(std::size_t count, int max_key_log2)
{
    Random random;
    std::vector<Key> keys(count);
    for (Key& key : keys) {
        double sum = random.next();
        for (int i = 1; i < 4; ++i) sum += random.next();
        key = static_cast<Key>(static_cast<double>((Key{1} << max_key_log2) / 4) * sum);
    }
    return keys;
}

TEST(KeySequence, IsThatOfOneGeneratorForEveryLargestKey)
{
    for (const int max_key_log2 : {11, 16, 19, 27}) {
        std::vector<Key> keys(20000);
        make_keys(keys, 0, max_key_log2);
        EXPECT_EQ(keys, serial_keys(keys.size(), max_key_log2));
    }
}

TEST(KeySequence, JumpsToWhereARankBegins)
{
    constexpr std::int64_t kKeys = 65536;
    const std::vector<Key> all = serial_keys(kKeys, 11);
    for (const int ranks : {1, 2, 3, 7, 8, 512}) {
        std::vector<Key> joined;
        for (int rank = 0; rank < ranks; ++rank) {
            const std::int64_t first = first_key(kKeys, rank, ranks);
            std::vector<Key> part(static_cast<std::size_t>(first_key(kKeys, rank + 1, ranks) - first));
            make_keys(part, first, 11);
            joined.insert(joined.end(), part.begin(), part.end());
        }
        EXPECT_EQ(joined, all) << ranks << " ranks";
    }
}

TEST(KeySequence, IsSharedEquallyUpToOneKey)
{
    for (const std::int64_t keys : {std::int64_t{65536}, std::int64_t{1} << 31}) {
        for (const int ranks : {1, 2, 3, 7, 64, 1000, 1024}) {
            EXPECT_EQ(first_key(keys, 0, ranks), 0);
            EXPECT_EQ(first_key(keys, ranks, ranks), keys);
            for (int rank = 0; rank < ranks; ++rank) {
                const std::int64_t share = first_key(keys, rank + 1, ranks) - first_key(keys, rank, ranks);
                EXPECT_GE(share, keys / ranks);
                EXPECT_LE(share, keys / ranks + 1);
            }
        }
    }
}

}  // namespace
