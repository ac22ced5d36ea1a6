// The ranking of all ranks together, against std::stable_sort of all keys.
#include "is/integer_sort.hpp"
#include "is/key_sequence.hpp"

#include "support/ranks_test.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <vector>

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::is;
using fmpl_test::rank;
using fmpl_test::size;

SortingProblem small_problem()
{
    SortingProblem problem{};
    problem.keys_log2 = 13;
    problem.max_key_log2 = 12;
    problem.buckets_log2 = 7;
    return problem;
}

// Ranks the keys that `key` makes of random numbers, several times, and compares ranks, order and sums.
void expect_sorted(const std::function<Key(std::mt19937_64&)>& key)
{
    const auto communication = Communication::join();
    const SortingProblem problem = small_problem();
    std::mt19937_64 random(fmpl_test::seed());
    std::vector<Key> all(static_cast<std::size_t>(problem.keys()));
    for (Key& each : all) each = key(random);
    const auto first = static_cast<std::size_t>(first_key(problem.keys(), rank(), size()));
    const auto end = static_cast<std::size_t>(first_key(problem.keys(), rank() + 1, size()));

    IntegerSort sort(*communication, problem, end - first);
    std::copy(&all[first], &all[first] + (end - first), sort.keys().begin());
    sort.prepare(1);
    sort.rank_keys();
    // A changed key, and sums that are carried along.
    all[3] = problem.max_key() - 1;
    if (first <= 3 && 3 < end) sort.keys()[3 - first] = all[3];
    std::array<std::int32_t, 2> carried{rank(), 1};
    sort.rank_keys(carried);
    EXPECT_EQ(carried[0], size() * (size() - 1) / 2);
    EXPECT_EQ(carried[1], size());

    std::stable_sort(all.begin(), all.end());
    std::vector<std::int64_t> owners(problem.max_key());
    for (Key value = 0; value < problem.max_key(); ++value) {
        if (!sort.ranks(value)) continue;
        ++owners[value];
        EXPECT_EQ(sort.rank_of(value), std::lower_bound(all.begin(), all.end(), value) - all.begin());
    }
    communication->world().sum(std::span(owners));
    EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), static_cast<std::ptrdiff_t>(owners.size()));

    const std::span<const Key> sorted = sort.sort();
    const std::int64_t before = sort.partition().keys_before(rank());
    EXPECT_EQ(static_cast<std::int64_t>(sorted.size()), sort.partition().keys_of(rank()));
    EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), all.begin() + before));
}

FMPL_RANKS_TEST_AT(IntegerSort, IsThatOfAStableSort, ({1, 2, 3, 4, 7, 8}))
{
    expect_sorted([](std::mt19937_64& random) { return static_cast<Key>(random() % 4096); });
}

FMPL_RANKS_TEST_AT(IntegerSort, TakesKeysThatCrowdInTheMiddle, ({2, 7}))
{
    expect_sorted([](std::mt19937_64& random) {
        return static_cast<Key>((random() % 4096 + random() % 4096 + random() % 4096 + random() % 4096) / 4);
    });
}

// One bucket has more than the share of a rank: others get nothing.
FMPL_RANKS_TEST_AT(IntegerSort, TakesKeysOfHardlyMoreThanOneBucket, ({3, 8}))
{
    expect_sorted(
        [](std::mt19937_64& random) { return static_cast<Key>(2048 + (random() % 20 == 0 ? random() % 2048 : 5)); });
}

}  // namespace
