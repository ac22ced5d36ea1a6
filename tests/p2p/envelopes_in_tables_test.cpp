// The envelopes of ranks of one process: what of the tables they touch, and how sources are found.
#include "p2p/envelopes/envelopes.hpp"

#include "crossbar/host.hpp"
#include "p2p/node.hpp"
#include "p2p/small_job.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace fmpl;
using namespace fmpl_test;

// Three ranks of many, as their envelopes see each other; spinning: as where each rank has a CPU.
class EnvelopesOfManyRanks : public ::testing::TestWithParam<bool> {
protected:
    static constexpr int kRanks = 200;
    static constexpr std::size_t kRing = 16384;

    struct Rank {
        Rank(const std::shared_ptr<JobMemory>& job, int number)
            : node(job, number, true, WaitingPolicy{.cpus_suffice = GetParam()}),
              envelopes(node),
              block(envelopes.make(kRing))
        {
        }
        Node node;
        Envelopes envelopes;
        EnvelopeBlock block;
    };

    EnvelopesOfManyRanks()
    {
        std::vector<EnvelopeBlock> blocks(kRanks);
        for (const auto& rank : ranks_) blocks[static_cast<std::size_t>(rank->node.rank())] = rank->block;
        for (const auto& rank : ranks_) rank->envelopes.connect(blocks);
    }
    // What has come: sources, in the order of coming.
    static std::vector<int> poll(Rank& rank)
    {
        std::vector<int> sources;
        rank.envelopes.poll([&](int source, const void*, const void*, std::size_t) {
            sources.push_back(source);
            return true;
        });
        return sources;
    }
    static bool send(Rank& from, const Rank& to)
    {
        const char head[FMPL_ENVELOPE_HEAD] = "head";
        return from.envelopes.send(to.node.rank(), head);
    }
    static std::size_t touched(const Rank& rank)
    {
        return touched_bytes(rank.node.tables, rank.block.at, EnvelopeLayout(kRanks, kRing).bytes());
    }

    std::shared_ptr<JobMemory> job_ = make_job(kRanks, std::size_t{64} << 20);
    std::unique_ptr<Rank> ranks_[3] = {
        std::make_unique<Rank>(job_, 3), std::make_unique<Rank>(job_, 64), std::make_unique<Rank>(job_, 199)};
};

TEST_P(EnvelopesOfManyRanks, RanksThatNeverTalkTakeNoMemoryForEachOther)
{
    auto& [low, middle, high] = ranks_;
    EXPECT_EQ(touched(*low), 0u);
    EXPECT_EQ(poll(*low), std::vector<int>());
    EXPECT_LE(touched(*low), page_bytes()) << "its doors";
    for (int round = 0; round < 300; ++round) {
        ASSERT_TRUE(send(*low, *high));
        ASSERT_EQ(poll(*high), std::vector<int>{3});
        ASSERT_TRUE(send(*high, *low));
        ASSERT_EQ(poll(*low), std::vector<int>{199});
        ASSERT_EQ(poll(*middle), std::vector<int>());
    }
    EXPECT_LE(touched(*high), 8 * page_bytes());
    EXPECT_LE(touched(*low), 8 * page_bytes());
    EXPECT_LE(touched(*middle), page_bytes());
}

TEST_P(EnvelopesOfManyRanks, ARankThatHasNeverLookedFindsAllItsSources)
{
    auto& [low, middle, high] = ranks_;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(send(*low, *middle));
    ASSERT_TRUE(send(*high, *middle));
    std::vector<int> sources = poll(*middle);
    std::sort(sources.begin(), sources.end());
    EXPECT_EQ(sources, (std::vector<int>{3, 3, 3, 199}));
    EXPECT_EQ(poll(*middle), std::vector<int>());
}

TEST_P(EnvelopesOfManyRanks, BodiesAreThereFromTheFirstOneOn)
{
    auto& [low, middle, high] = ranks_;
    ASSERT_TRUE(send(*low, *high));
    const std::size_t without = touched(*high);
    void* body = nullptr;
    ASSERT_TRUE(low->envelopes.reserve(high->node.rank(), 1000, &body));
    EXPECT_GE(touched(*high), without + kRing - page_bytes());
    std::memset(body, 'b', 1000);
    const char head[FMPL_ENVELOPE_HEAD] = "head";
    low->envelopes.commit(high->node.rank(), head);
    std::size_t bytes = 0;
    high->envelopes.poll([&](int, const void*, const void* at, std::size_t size) {
        bytes += size;
        return size == 0 || static_cast<const char*>(at)[size - 1] == 'b';
    });
    EXPECT_EQ(bytes, 1000u);
}

// FMPL_CPUS may differ from rank to rank.
TEST(EnvelopesOfUnlikeRanks, WhoCountsAtItsDoorsFindsWhatIsLent)
{
    const auto job = make_job(2, std::size_t{64} << 20);
    Node lender_node(job, 0, true, WaitingPolicy{.cpus_suffice = true});
    Node taker_node(job, 1, true, WaitingPolicy{.cpus_suffice = false});
    Envelopes lender(lender_node);
    Envelopes taker(taker_node);
    const std::vector<EnvelopeBlock> blocks = {lender.make(16384), taker.make(16384)};
    lender.connect(blocks);
    taker.connect(blocks);
    const Offset body = lender_node.arena.allocate(100);
    std::atomic<int> taken{0};
    std::atomic<bool> over{false};
    std::thread polls([&] {
        while (!over) {
            taken += taker.poll([](int, const void*, const void*, std::size_t) { return true; });
            std::this_thread::yield();
        }
    });
    const char head[FMPL_ENVELOPE_HEAD] = "head";
    int lent = 0;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (lent < 3 && std::chrono::steady_clock::now() < deadline) {
        lent += lender.lend(1, head, lender_node.crossbar.local(body), 100, true) ? 1 : 0;
    }
    over = true;
    polls.join();
    EXPECT_EQ(lent, 3);
    EXPECT_EQ(taken, 3);
}

INSTANTIATE_TEST_SUITE_P(WithOrWithoutACpuForEach, EnvelopesOfManyRanks, ::testing::Bool(),
    [](const auto& one) { return std::string(one.param ? "SourcesAreLookedAt" : "SourcesCountAtDoors"); });

}  // namespace
