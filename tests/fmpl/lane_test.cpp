// Messages of up to 16 bytes between two ranks share one line whatever their index: what lies in it stays until it is
// received, and never holds up, overtakes or replaces another message.
#include "../support/guarded_buffer.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace fmpl_test;

constexpr int kIndices = 6;

FMPL_RANKS_TEST_AT(Lane, AMessageThatLiesInItLetsOthersPass, ({2, 3, 4}))
{
    const fmpl::Session session(kIndices);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    constexpr int kResting = kIndices - 1;
    for (std::uint64_t round = 0; round < 20; ++round) {
        const std::uint64_t resting = message_key(round, rank());
        REQUIRE_OK(fmpl_send(&resting, sizeof resting, to, kResting, FMPL_COMM_WORLD));
        for (std::uint64_t i = 0; i < 30; ++i) {
            const int index = static_cast<int>(i % kResting);
            const std::uint64_t out = message_key(round, i, rank());
            std::uint64_t in = 0;
            REQUIRE_OK(fmpl_send(&out, sizeof out, to, index, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_recv(&in, sizeof in, from, index, FMPL_COMM_WORLD));
            EXPECT_EQ(in, message_key(round, i, from));
        }
        std::uint64_t rested = 0;
        REQUIRE_OK(fmpl_recv(&rested, sizeof rested, from, kResting, FMPL_COMM_WORLD));
        EXPECT_EQ(rested, message_key(round, from));
    }
}

FMPL_RANKS_TEST_AT(Lane, ReceivesPostedBeforehandGetTheMessagesOfTheirIndexInAnyOrder, ({2, 3}))
{
    const fmpl::Session session(kIndices);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    for (std::uint64_t round = 0; round < 200; ++round) {
        std::array<std::uint64_t, kIndices> in{};
        for (int i = 0; i < kIndices; ++i) {
            REQUIRE_OK(fmpl_irecv(&in[static_cast<std::size_t>(i)], 8, from, i, FMPL_COMM_WORLD));
        }
        for (int i = kIndices; i-- > 0;) {
            const std::uint64_t out = message_key(round, i, rank());
            REQUIRE_OK(fmpl_send(&out, sizeof out, to, i, FMPL_COMM_WORLD));
            const int waited = (i + static_cast<int>(round)) % kIndices;
            if (waited >= i) REQUIRE_OK(fmpl_irecv_wait(from, waited, FMPL_COMM_WORLD));
        }
        for (int i = kIndices; i-- > 0;) {
            const int waited = (i + static_cast<int>(round)) % kIndices;
            if (waited < i) REQUIRE_OK(fmpl_irecv_wait(from, waited, FMPL_COMM_WORLD));
        }
        for (int i = 0; i < kIndices; ++i) EXPECT_EQ(in[static_cast<std::size_t>(i)], message_key(round, i, from));
    }
}

// Bursts over all indices, received in another order: some messages in the lane, some beside it, some chained.
FMPL_RANKS_TEST_AT(Lane, EveryIndexKeepsItsOrderWhateverTakesTheLane, ({2, 3, 4}))
{
    const fmpl::Session session(kIndices);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
    constexpr std::array<std::size_t, 6> kBytes = {0, 4, 16, 17, 72, 300};
    std::mt19937_64 common(seed());  // the same at all ranks
    for (std::uint64_t round = 0; round < 150; ++round) {
        struct Message {
            int index;
            std::size_t bytes;
            std::uint64_t key;
        };
        std::vector<Message> messages;
        const std::uint64_t count = 1 + common() % 12;
        for (std::uint64_t m = 0; m < count; ++m) {
            messages.push_back({static_cast<int>(common() % kIndices), kBytes[common() % kBytes.size()], m});
        }
        for (const Message& m : messages) {
            GuardedBuffer out(kPlaces[m.key % 2], m.bytes);
            out.fill(message_key(round, m.key, rank()));
            REQUIRE_OK(fmpl_send(out.data(), m.bytes, to, m.index, FMPL_COMM_WORLD));
        }
        // By index, from a random one on; each index in its order.
        const int first = static_cast<int>(common() % kIndices);
        for (int i = 0; i < kIndices; ++i) {
            const int index = (first + i) % kIndices;
            for (const Message& m : messages) {
                if (m.index != index) continue;
                GuardedBuffer in(kPlaces[m.key / 2 % 2], m.bytes);
                REQUIRE_OK(fmpl_recv(in.data(), m.bytes, from, index, FMPL_COMM_WORLD));
                std::size_t bytes = 0;
                REQUIRE_OK(fmpl_received(nullptr, nullptr, &bytes));
                EXPECT_EQ(bytes, m.bytes);
                EXPECT_TRUE(in.holds(message_key(round, m.key, from))) << "round " << round;
            }
        }
        if (common() % 4 == 0) REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
}

FMPL_RANKS_TEST_AT(Lane, AMessageTooLongForItsReceiveIsDiscardedAndTheLaneGoesOn, ({2}))
{
    const fmpl::Session session(kIndices);
    const int peer = 1 - rank();
    for (std::uint64_t round = 0; round < 10; ++round) {
        const std::array<std::uint64_t, 2> out = {message_key(round, rank()), 1};
        REQUIRE_OK(fmpl_send(out.data(), sizeof out, peer, 1, FMPL_COMM_WORLD));
        std::uint64_t in = 77;
        EXPECT_EQ(fmpl_recv(&in, sizeof in, peer, 1, FMPL_COMM_WORLD), FMPL_ERR_TRUNCATED);
        EXPECT_EQ(in, 77u);
        REQUIRE_OK(fmpl_send(out.data(), 8, peer, 2, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_recv(&in, sizeof in, peer, 2, FMPL_COMM_WORLD));
        EXPECT_EQ(in, message_key(round, peer));
    }
}

}  // namespace
