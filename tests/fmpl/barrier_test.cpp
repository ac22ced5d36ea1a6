// fmpl_barrier.
#include "../support/guarded_buffer.hpp"

#include <random>
#include <vector>

namespace {

using namespace fmpl_test;

FMPL_RANKS_TEST_WITH(Barrier, NoRankLeavesBeforeTheLastArrives,
    (RanksOptions{.ranks = {1, 2, 3, 4, 7, 16}, .forms = {"hardware", "tree"}}))
{
    const fmpl::Session session(1);
    std::mt19937_64 random(seed() + static_cast<std::uint64_t>(rank()));
    auto& arrived = shared_words()[0];
    const auto n = static_cast<std::uint64_t>(size());
    for (std::uint64_t round = 1; round <= 500; ++round) {
        random_delay(random);
        arrived.fetch_add(1, std::memory_order_relaxed);
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        // All have arrived this time, and each at most once more.
        const std::uint64_t seen = arrived.load(std::memory_order_relaxed);
        EXPECT_GE(seen, round * n);
        EXPECT_LT(seen, (round + 1) * n);
    }
}

FMPL_RANKS_TEST_WITH(
    Barrier, SubgroupsDoNotDisturbEachOther, (RanksOptions{.ranks = {2, 4, 7}, .forms = {"hardware", "tree"}}))
{
    const fmpl::Session session(1);
    std::mt19937_64 random(seed() + static_cast<std::uint64_t>(rank()));
    // Two halves with barriers of their own, interleaved with barriers of all, and more communicators than colours.
    const bool lower = rank() < size() / 2;
    std::vector<fmpl::Comm> mine;
    for (int c = 0; c < 5; ++c) {
        const fmpl::Comm low = fmpl::Comm::create(lower);
        const fmpl::Comm high = fmpl::Comm::create(!lower);
        mine.push_back(lower ? low : high);
    }
    const auto members = static_cast<std::uint64_t>(mine[0].size());
    for (std::uint64_t round = 1; round <= 60; ++round) {
        for (std::size_t c = 0; c < mine.size(); ++c) {
            auto& arrived = shared_words()[c * 2 + (lower ? 0 : 1)];
            random_delay(random);
            arrived.fetch_add(1, std::memory_order_relaxed);
            mine[c].barrier();
            const std::uint64_t seen = arrived.load(std::memory_order_relaxed);
            EXPECT_GE(seen, round * members);
            EXPECT_LT(seen, (round + 1) * members);
        }
        if (round % 7 == 0) fmpl::world.barrier();
    }
    for (fmpl::Comm& comm : mine) comm.free();
}

// Everything that a rank wrote before the barrier is visible to all after it: the plain bytes are written by the ranks
// in turn and read by all; ThreadSanitizer reports a race when a form of the barrier orders too little.
FMPL_RANKS_TEST_WITH(
    Barrier, OrdersTheMemoryOfAllRanks, (RanksOptions{.ranks = {2, 3, 4, 7}, .forms = {"hardware", "tree"}}))
{
    const fmpl::Session session(1);
    unsigned char* const plain = shared_plain().data();
    for (int round = 0; round < 100; ++round) {
        plain[rank() * 8] = static_cast<unsigned char>(round + rank());
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        for (int r = 0; r < size(); ++r) EXPECT_EQ(plain[r * 8], static_cast<unsigned char>(round + r));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
}

FMPL_RANKS_TEST_WITH(Barrier, LeavesMessagesAlone, (RanksOptions{.ranks = {2, 4}, .forms = {"hardware", "tree"}}))
{
    const fmpl::Session session(2);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    for (int round = 0; round < 50; ++round) {
        int word = rank() * 1000 + round;
        REQUIRE_OK(fmpl_send(&word, sizeof word, to, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_send_any(&word, sizeof word, to, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_recv(&word, sizeof word, from, round % 2 == 0 ? 0 : FMPL_ANY_TAG, FMPL_COMM_WORLD));
        EXPECT_EQ(word, from * 1000 + round);
        REQUIRE_OK(fmpl_recv_any(&word, sizeof word, FMPL_ANY_TAG, FMPL_COMM_WORLD));
        EXPECT_EQ(word, from * 1000 + round);
    }
}

}  // namespace
