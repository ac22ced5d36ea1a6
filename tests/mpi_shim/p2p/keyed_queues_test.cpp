// The queues of posted receives and unexpected messages where memory has run out.
#include "p2p/keyed_queues.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <new>

namespace {

bool no_memory = false;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes)
{
    void* const memory = no_memory ? nullptr : std::malloc(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept
{
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace {

using namespace fmpl::mpi;

struct Node {
    MatchKey key;
    QueueLink<Node> links[1];
    MatchKey queue_key(int) const { return key; }
};

TEST(KeyedQueues, GrowNoMoreWithoutMemoryAndKeepTheirOrder)
{
    constexpr int kKeys = 100;
    std::deque<Node> nodes;
    for (int i = 0; i < 3 * kKeys; ++i) nodes.push_back({{0, 0, i % kKeys}, {}});
    KeyedQueues<Node, 0> queues;
    no_memory = true;
    for (Node& node : nodes) queues.push(node);
    no_memory = false;
    for (Node& node : nodes) {
        ASSERT_EQ(queues.first(node.key), &node);
        queues.remove(node);
    }
    EXPECT_EQ(queues.size(), 0u);
}

}  // namespace
