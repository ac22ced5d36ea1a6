// Ranking against std::stable_sort.
#include "is/ranking.hpp"

#include "support/ranks_test.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace {

using namespace fmpl::npb::is;

TEST(Ranking, IsThatOfAStableSort)
{
    std::mt19937_64 random(fmpl_test::seed());
    Ranking ranking(4096);
    for (int round = 0; round < 60; ++round) {
        const auto low = static_cast<Key>(random() % 100000);
        const auto range = static_cast<Key>(1 + random() % 4096);
        std::vector<Key> keys(random() % 5000);
        for (Key& key : keys) key = low + static_cast<Key>(random() % range);
        ranking(keys, low, low + range);

        std::vector<Key> sorted = keys;
        std::stable_sort(sorted.begin(), sorted.end());
        for (Key key = low; key < low + range; ++key) {
            const auto smaller = std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin();
            ASSERT_EQ(ranking.smaller_than(key), static_cast<std::uint32_t>(smaller));
        }
        std::vector<Key> by_ranks(keys.size());
        ranking.sort(keys, by_ranks);
        EXPECT_EQ(by_ranks, sorted);
    }
}

TEST(Ranking, TakesNoKeysAndNoRange)
{
    Ranking ranking(16);
    ranking({}, 5, 5);
    ranking({}, 5, 9);
    EXPECT_EQ(ranking.smaller_than(8), 0U);
}

}  // namespace
