// fmpl_send_any and fmpl_recv_any: messages matched at the receiver, from any source.
#include "../support/guarded_buffer.hpp"

#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace fmpl_test;

struct Match {
    int source = -1;
    int index = -1;
    std::size_t bytes = 0;
};

Match last_match()
{
    Match match;
    REQUIRE_OK(fmpl_received(&match.source, &match.index, &match.bytes));
    return match;
}

FMPL_RANKS_TEST(AnyDomain, EverySizeArrives)
{
    const fmpl::Session session(1);
    if (size() == 1) return;
    const int peer = rank() ^ 1;
    if (peer >= size()) return;
    for (const Place out_place : kPlaces) {
        for (const Place in_place : kPlaces) {
            for (const std::size_t bytes : kSizes) {
                const int index = static_cast<int>(bytes % 1000);
                if (rank() % 2 == 0) {
                    GuardedBuffer out(out_place, bytes);
                    out.fill(message_key(bytes, rank()));
                    REQUIRE_OK(fmpl_send_any(out.data(), bytes, peer, index, FMPL_COMM_WORLD));
                    out.fill_byte(0);
                } else {
                    GuardedBuffer in(in_place, bytes);
                    REQUIRE_OK(fmpl_recv_any(in.data(), bytes, index, FMPL_COMM_WORLD));
                    EXPECT_TRUE(in.holds(message_key(bytes, peer))) << bytes << " bytes";
                    const Match match = last_match();
                    EXPECT_EQ(match.source, peer);
                    EXPECT_EQ(match.index, index);
                    EXPECT_EQ(match.bytes, bytes);
                }
            }
        }
    }
}

FMPL_RANKS_TEST(AnyDomain, MessagesFromAllSourcesArriveInTheOrderOfEachSource)
{
    const fmpl::Session session(1);
    constexpr int kMessages = 60;
    const auto bytes_of = [](int source, int m) { return kSizes[std::size_t(source * 7 + m) % kSizes.size()] % 20000; };
    for (int root = 0; root < std::min(size(), 3); ++root) {
        if (rank() == root) {
            std::vector<int> next(std::size_t(size()), 0);
            for (int m = 0; m < kMessages * (size() - 1); ++m) {
                GuardedBuffer in(kPlaces[m % 2], 20000);
                REQUIRE_OK(fmpl_recv_any(in.data(), in.size(), FMPL_ANY_TAG, FMPL_COMM_WORLD));
                const Match match = last_match();
                if (match.source < 0 || match.source >= size() || match.source == root) {
                    ADD_FAILURE() << "source " << match.source;
                    continue;
                }
                const int sequence = next[std::size_t(match.source)]++;
                EXPECT_EQ(match.index, sequence % 5);
                EXPECT_EQ(match.bytes, bytes_of(match.source, sequence));
                EXPECT_TRUE(has_pattern(in.data(), match.bytes, message_key(root, match.source, sequence)));
            }
            for (int source = 0; source < size(); ++source) {
                EXPECT_EQ(next[std::size_t(source)], source == root ? 0 : kMessages);
            }
        } else {
            for (int m = 0; m < kMessages; ++m) {
                GuardedBuffer out(kPlaces[m / 2 % 2], bytes_of(rank(), m));
                out.fill(message_key(root, rank(), m));
                REQUIRE_OK(fmpl_send_any(out.data(), out.size(), root, m % 5, FMPL_COMM_WORLD));
            }
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
}

FMPL_RANKS_TEST_AT(AnyDomain, MessagesWithOtherIndicesWaitUntilTheyAreAskedFor, ({2, 4}))
{
    const fmpl::Session session(1);
    constexpr int kOthers = 1000;
    if (rank() == 0) {
        // All senders' messages with index 1 lie before the one that is taken first.
        for (int source = 1; source < size(); ++source) {
            int word = 0;
            REQUIRE_OK(fmpl_recv_any(&word, sizeof word, 100 + source, FMPL_COMM_WORLD));
            EXPECT_EQ(word, -source);
            EXPECT_EQ(last_match().source, source);
        }
        std::vector<int> next(std::size_t(size()), 0);
        for (int m = 0; m < kOthers * (size() - 1); ++m) {
            int words[20];
            REQUIRE_OK(fmpl_recv_any(words, sizeof words, 1, FMPL_COMM_WORLD));
            const Match match = last_match();
            EXPECT_EQ(words[0], match.source);
            EXPECT_EQ(words[19], next[std::size_t(words[0])]++);
        }
    } else {
        for (int m = 0; m < kOthers; ++m) {
            int words[20] = {rank()};
            words[19] = m;
            REQUIRE_OK(fmpl_send_any(words, sizeof words, 0, 1, FMPL_COMM_WORLD));
        }
        const int word = -rank();
        REQUIRE_OK(fmpl_send_any(&word, sizeof word, 0, 100 + rank(), FMPL_COMM_WORLD));
    }
}

FMPL_RANKS_TEST_AT(AnyDomain, ALargeMessageOfOneSourceDoesNotHoldUpAnotherSource, ({3, 4}))
{
    const fmpl::Session session(1);
    constexpr std::size_t kLarge = 2 * kMiB;
    for (const Place place : kPlaces) {
        if (rank() == 0) {
            GuardedBuffer large(place, kLarge);
            int word = 0;
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_recv_any(&word, sizeof word, 2, FMPL_COMM_WORLD));
            EXPECT_EQ(word, 42);
            REQUIRE_OK(fmpl_recv_any(large.data(), kLarge, 1, FMPL_COMM_WORLD));
            EXPECT_TRUE(large.holds(message_key(1)));
        } else if (rank() == 1) {
            GuardedBuffer large(place, kLarge);
            large.fill(message_key(1));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_send_any(large.data(), kLarge, 0, 1, FMPL_COMM_WORLD));
        } else {
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            const int word = 42;
            if (rank() == 2) REQUIRE_OK(fmpl_send_any(&word, sizeof word, 0, 2, FMPL_COMM_WORLD));
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
}

FMPL_RANKS_TEST_AT(AnyDomain, IsSeparateFromSendAndRecv, ({2, 4}))
{
    const fmpl::Session session(4);
    const int peer = rank() ^ 1;
    if (rank() % 2 == 0) {
        const int any = 1;
        const int plain = 2;
        REQUIRE_OK(fmpl_send_any(&any, sizeof any, peer, 3, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_send(&plain, sizeof plain, peer, 3, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_send(&plain, sizeof plain, peer, 2, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_send_any(&any, sizeof any, peer, 2, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    } else {
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        for (const int index : {3, FMPL_ANY_TAG}) {
            int word = 0;
            REQUIRE_OK(fmpl_recv(&word, sizeof word, peer, index, FMPL_COMM_WORLD));
            EXPECT_EQ(word, 2);
        }
        for (const int index : {2, FMPL_ANY_TAG}) {
            int word = 0;
            REQUIRE_OK(fmpl_recv_any(&word, sizeof word, index, FMPL_COMM_WORLD));
            EXPECT_EQ(word, 1);
        }
    }
}

FMPL_RANKS_TEST_AT(AnyDomain, IndicesHaveNoUpperLimit, ({2}))
{
    const fmpl::Session session(1);
    for (const int index : {0, 1, 63, 64, 65535, 65536, 1048577, 2147483646, 2147483647}) {
        int word = index;
        if (rank() == 0) {
            REQUIRE_OK(fmpl_send_any(&word, sizeof word, 1, index, FMPL_COMM_WORLD));
        } else {
            word = -1;
            REQUIRE_OK(fmpl_recv_any(&word, sizeof word, index, FMPL_COMM_WORLD));
            EXPECT_EQ(word, index);
            EXPECT_EQ(last_match().index, index);
        }
    }
}

FMPL_RANKS_TEST_AT(AnyDomain, TheWildcardTakesTheEarliestOfASource, ({2}))
{
    const fmpl::Session session(1);
    if (rank() == 0) {
        for (const int index : {7, 2, 9, 2, 100000}) {
            REQUIRE_OK(fmpl_send_any(&index, sizeof index, 1, index, FMPL_COMM_WORLD));
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    } else {
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        struct Take {
            int wanted;
            int expected;
        };
        for (const Take take :
            {Take{2, 2}, Take{FMPL_ANY_TAG, 7}, Take{100000, 100000}, Take{FMPL_ANY_TAG, 9}, Take{FMPL_ANY_TAG, 2}}) {
            int word = 0;
            REQUIRE_OK(fmpl_recv_any(&word, sizeof word, take.wanted, FMPL_COMM_WORLD));
            EXPECT_EQ(word, take.expected);
            EXPECT_EQ(last_match().index, take.expected);
        }
    }
}

FMPL_RANKS_TEST_AT(AnyDomain, ATooLongMessageIsDiscarded, ({2}))
{
    const fmpl::Session session(1);
    for (const Place place : kPlaces) {
        for (const std::size_t bytes : {1u, 8u, 88u, 89u, 113u, 4097u, 70000u, 2000000u}) {
            GuardedBuffer buffer(place, bytes);
            if (rank() == 0) {
                buffer.fill(message_key(bytes));
                REQUIRE_OK(fmpl_send_any(buffer.data(), bytes, 1, 1, FMPL_COMM_WORLD));
                REQUIRE_OK(fmpl_send_any(buffer.data(), bytes - 1, 1, 1, FMPL_COMM_WORLD));
            } else {
                GuardedBuffer in(place, bytes - 1);
                in.fill_byte(3);
                EXPECT_FAILS(FMPL_ERR_TRUNCATED, fmpl_recv_any(in.data(), in.size(), 1, FMPL_COMM_WORLD),
                    "fmpl_recv_any", "rank 1", std::to_string(bytes), std::to_string(bytes - 1));
                EXPECT_EQ(last_match().bytes, bytes);
                EXPECT_TRUE(in.is_all(3));
                REQUIRE_OK(fmpl_recv_any(in.data(), in.size(), 1, FMPL_COMM_WORLD));
                EXPECT_TRUE(in.holds(message_key(bytes)));
            }
        }
    }
}

FMPL_RANKS_TEST_AT(AnyDomain, ARankMaySendToItself, ({1, 3}))
{
    const fmpl::Session session(1);
    for (int m = 0; m < 10; ++m) {
        const int out[2] = {rank(), m};
        REQUIRE_OK(fmpl_send_any(out, sizeof out, rank(), m, FMPL_COMM_WORLD));
    }
    for (int m = 9; m >= 0; --m) {
        int in[2] = {-1, -1};
        REQUIRE_OK(fmpl_recv_any(in, sizeof in, m, FMPL_COMM_WORLD));
        EXPECT_EQ(in[0], rank());
        EXPECT_EQ(in[1], m);
        EXPECT_EQ(last_match().source, rank());
    }
}

// Far more messages than any ring holds, and the receiver takes its time: the sender waits, nothing is lost.
FMPL_RANKS_TEST_AT(AnyDomain, AFullRingMakesTheSenderWait, ({2, 4}))
{
    const fmpl::Session session(1);
    constexpr int kMessages = 5000;
    if (rank() == 0) {
        std::vector<int> next(std::size_t(size()), 0);
        for (int m = 0; m < kMessages * (size() - 1); ++m) {
            int words[20];
            REQUIRE_OK(fmpl_recv_any(words, sizeof words, FMPL_ANY_TAG, FMPL_COMM_WORLD));
            const int source = last_match().source;
            EXPECT_EQ(words[0], source);
            EXPECT_EQ(words[1], next[std::size_t(source)]++);
            if (m % 512 == 0) std::this_thread::yield();
        }
    } else {
        for (int m = 0; m < kMessages; ++m) {
            int words[20] = {rank(), m};
            REQUIRE_OK(fmpl_send_any(words, 8 + std::size_t(m % 19) * 4, 0, m % 3, FMPL_COMM_WORLD));
        }
    }
}

FMPL_RANKS_TEST_AT(AnyDomain, CommunicatorsDoNotMix, ({2, 4}))
{
    const fmpl::Session session(1);
    const fmpl::Comm all = fmpl::Comm::create(true);
    const int peer = rank() ^ 1;
    if (rank() % 2 == 0) {
        for (int m = 0; m < 20; ++m) {
            const int out = m;
            REQUIRE_OK(fmpl_send_any(&out, sizeof out, peer, 5, m % 2 == 0 ? all.handle() : FMPL_COMM_WORLD));
        }
    } else {
        for (const int parity : {1, 0}) {
            for (int m = parity; m < 20; m += 2) {
                int in = -1;
                REQUIRE_OK(fmpl_recv_any(&in, sizeof in, FMPL_ANY_TAG, parity == 0 ? all.handle() : FMPL_COMM_WORLD));
                EXPECT_EQ(in, m);
            }
        }
    }
    fmpl::Comm copy = all;
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    copy.free();
}

// More messages than credits, never received: those that wait must not come to lie in memory that the next communicator
// has been given.
FMPL_RANKS_TEST_AT(AnyDomain, MessagesLeftBehindDoNotReachTheNextCommunicator, ({2, 3}))
{
    const fmpl::Session session(2);
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
    std::vector<int> everybody(std::size_t(size()), 0);
    std::iota(everybody.begin(), everybody.end(), 0);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    std::vector<unsigned char> filler(80, 0xAB);
    for (std::uint64_t round = 0; round < 300; ++round) {
        fmpl_comm_t comm = FMPL_COMM_NULL;
        REQUIRE_OK(fmpl_comm_create_group(&comm, everybody.data(), size()));
        // By the memory of the last round's rings.
        GuardedBuffer out(Place::rdma, 3000);
        GuardedBuffer in(Place::rdma, 3000);
        out.fill(message_key(round, rank()));
        REQUIRE_OK(fmpl_send(out.data(), 3000, to, 1, comm));
        REQUIRE_OK(fmpl_recv(in.data(), 3000, from, 1, comm));
        EXPECT_TRUE(in.holds(message_key(round, from))) << "round " << round;
        EXPECT_TRUE(out.holds(message_key(round, rank()))) << "round " << round;
        for (int m = 0; m < 60; ++m) REQUIRE_OK(fmpl_send_any(filler.data(), filler.size(), to, m, comm));
        REQUIRE_OK(fmpl_comm_free(&comm));
    }
}

}  // namespace
