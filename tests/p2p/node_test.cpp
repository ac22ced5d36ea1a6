// Node: how often a wait lets the layer above look for its own transfers, and which part of its arena it hands out.
#include "p2p/node.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace {

using namespace fmpl;

// No spinning, and no sleep while a test lasts: each look is one of the yielding phase.
constexpr WaitingPolicy kYield{.spins = 0, .yield_ns = 60'000'000'000};

struct CountedLooks : Progressing {
    void progress() override { ++looks; }
    int looks = 0;
};

class NodeWaits : public ::testing::Test {
protected:
    NodeWaits() : node_(memory(), 0, true, kYield) { node_.set_layer(&layer_); }
    ~NodeWaits() override { node_.set_layer(nullptr); }

    static std::shared_ptr<JobMemory> memory()
    {
        JobSpec spec;
        spec.ranks = 2;
        spec.arena_bytes = std::size_t{2} << 20;
        return std::make_shared<JobMemory>(JobMemory::create(spec));
    }
    // A wait that ends with the look of this number.
    void wait_until_look(int last)
    {
        int looks = 0;
        EXPECT_TRUE(node_.wait([&] { return ++looks == last; }, {}));
    }

    Node node_;
    CountedLooks layer_;
};

TEST_F(NodeWaits, EveryFourthLookOfAWaitIsTheLayersToo)
{
    wait_until_look(3);
    EXPECT_EQ(layer_.looks, 0);
    wait_until_look(3);
    EXPECT_EQ(layer_.looks, 0) << "the looks of the wait before do not count";
    wait_until_look(21);
    EXPECT_EQ(layer_.looks, 5);
}

TEST_F(NodeWaits, ManyShortWaitsDoNotStarveTheLayer)
{
    for (int wait = 0; wait < 640; ++wait) wait_until_look(1);
    EXPECT_EQ(layer_.looks, 10);
}

TEST(NodeArena, BeginsAtItsMargin)
{
    JobSpec spec;
    spec.ranks = 4;
    spec.arena_bytes = std::size_t{64} << 20;
    const auto memory = std::make_shared<JobMemory>(JobMemory::create(spec));
    for (int rank = 0; rank < spec.ranks; ++rank) {
        Node node(memory, rank, true, kYield);
        const Offset first = memory->arena_offset(rank) + memory->arena_margin(rank);
        const Offset block = node.arena.allocate(64);
        EXPECT_EQ(block, first + kRingBytes) << "behind the ring that a node has from the beginning";
        EXPECT_EQ(node.arena.bytes(), memory->arena(rank).size() - memory->arena_margin(rank));
    }
}

}  // namespace
