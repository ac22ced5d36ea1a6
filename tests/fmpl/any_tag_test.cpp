// Receives with FMPL_ANY_TAG: the earliest message sent, whatever its index.
#include "../support/guarded_buffer.hpp"

#include <random>
#include <vector>

namespace {

using namespace fmpl_test;

void expect_received(int source, int index, std::size_t bytes)
{
    int s = -1;
    int i = -1;
    std::size_t b = 0;
    EXPECT_OK(fmpl_received(&s, &i, &b));
    EXPECT_EQ(s, source);
    EXPECT_EQ(i, index);
    EXPECT_EQ(b, bytes);
}

FMPL_RANKS_TEST_AT(AnyTag, TakesTheEarliestMessageSent, ({1, 2, 4}))
{
    const fmpl::Session session(16);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    constexpr int kOrder[] = {5, 3, 9, 0, 15, 1};
    for (const std::size_t step : {7u, 1000u, 50000u, 1500000u}) {  // inline, longer, and too long to be copied aside
        std::vector<GuardedBuffer> out;
        for (std::size_t m = 0; m < std::size(kOrder); ++m) {
            out.emplace_back(kPlaces[m % 2], step + m);
            out.back().fill(message_key(step, m, rank()));
            REQUIRE_OK(fmpl_isend(out.back().data(), step + m, to, kOrder[m], FMPL_COMM_WORLD));
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        for (std::size_t m = 0; m < std::size(kOrder); ++m) {
            GuardedBuffer in(kPlaces[m / 2 % 2], step + 10);
            in.fill_byte(1);
            REQUIRE_OK(fmpl_recv(in.data(), in.size(), from, FMPL_ANY_TAG, FMPL_COMM_WORLD));
            expect_received(from, kOrder[m], step + m);
            EXPECT_TRUE(in.holds(message_key(step, m, from), step + m, 1));
        }
        for (const int index : kOrder) REQUIRE_OK(fmpl_isend_wait(to, index, FMPL_COMM_WORLD));
    }
}

FMPL_RANKS_TEST_AT(AnyTag, EverySizeArrivesWhicheverComesFirst, ({2, 3}))
{
    const fmpl::Session session(8);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    std::uint64_t message = 0;
    for (const bool receive_first : {true, false}) {
        for (const Place out_place : kPlaces) {
            for (const Place in_place : kPlaces) {
                for (const std::size_t bytes : kSizes) {
                    ++message;
                    const int index = static_cast<int>(message % 8);
                    GuardedBuffer out(out_place, bytes);
                    GuardedBuffer in(in_place, bytes);
                    out.fill(message_key(message, rank()));
                    if (receive_first) {
                        REQUIRE_OK(fmpl_irecv(in.data(), bytes, from, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                        REQUIRE_OK(fmpl_send(out.data(), bytes, to, index, FMPL_COMM_WORLD));
                        REQUIRE_OK(fmpl_irecv_wait(from, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                    } else {
                        REQUIRE_OK(fmpl_isend(out.data(), bytes, to, index, FMPL_COMM_WORLD));
                        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                        REQUIRE_OK(fmpl_recv(in.data(), bytes, from, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                    }
                    expect_received(from, index, bytes);
                    EXPECT_TRUE(in.holds(message_key(message, from))) << bytes << " bytes";
                    if (!receive_first) REQUIRE_OK(fmpl_isend_wait(to, index, FMPL_COMM_WORLD));
                }
            }
        }
    }
}

FMPL_RANKS_TEST_AT(AnyTag, ReceivesWithAnIndexTakePrecedenceOverAnOutstandingOne, ({2, 4}))
{
    const fmpl::Session session(8);
    const int peer = rank() ^ 1;
    for (const std::size_t bytes : {16u, 5000u, 200000u}) {
        GuardedBuffer a(Place::rdma, bytes);
        GuardedBuffer b(Place::heap, bytes);
        if (rank() % 2 == 0) {
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            a.fill(message_key(4));
            b.fill(message_key(6));
            REQUIRE_OK(fmpl_send(a.data(), bytes, peer, 4, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_send(b.data(), bytes, peer, 6, FMPL_COMM_WORLD));
        } else {
            GuardedBuffer& wild = a;
            GuardedBuffer& specific = b;
            REQUIRE_OK(fmpl_irecv(wild.data(), bytes, peer, FMPL_ANY_TAG, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_irecv(specific.data(), bytes, peer, 4, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_irecv_wait(peer, FMPL_ANY_TAG, FMPL_COMM_WORLD));
            expect_received(peer, 6, bytes);
            REQUIRE_OK(fmpl_irecv_wait(peer, 4, FMPL_COMM_WORLD));
            expect_received(peer, 4, bytes);
            EXPECT_TRUE(wild.holds(message_key(6)));
            EXPECT_TRUE(specific.holds(message_key(4)));
        }
    }
}

FMPL_RANKS_TEST_AT(AnyTag, MixesWithReceivesOfASpecificIndex, ({2}))
{
    const fmpl::Session session(8);
    constexpr int kRounds = 100;
    // Indices in the order 0 .. 5; the receiver takes 3 and 1 by name, the others with the wildcard.
    for (int round = 0; round < kRounds; ++round) {
        const auto bytes_of = [round](int index) { return std::size_t((round * 37 + index * 501) % 3000); };
        if (rank() == 0) {
            std::vector<GuardedBuffer> out;
            for (int index = 0; index < 6; ++index) {
                out.emplace_back(kPlaces[(round + index) % 2], bytes_of(index));
                out.back().fill(message_key(round, index));
                REQUIRE_OK(fmpl_isend(out.back().data(), bytes_of(index), 1, index, FMPL_COMM_WORLD));
            }
            for (int index = 0; index < 6; ++index) REQUIRE_OK(fmpl_isend_wait(1, index, FMPL_COMM_WORLD));
        } else {
            struct Take {
                int wanted;
                int expected;
            };
            constexpr Take kTakes[] = {
                {3, 3}, {FMPL_ANY_TAG, 0}, {1, 1}, {FMPL_ANY_TAG, 2}, {FMPL_ANY_TAG, 4}, {FMPL_ANY_TAG, 5}};
            for (const auto& [wanted, expected] : kTakes) {
                GuardedBuffer in(kPlaces[expected % 2], 3000);
                REQUIRE_OK(fmpl_recv(in.data(), 3000, 0, wanted, FMPL_COMM_WORLD));
                expect_received(0, expected, bytes_of(expected));
                EXPECT_TRUE(has_pattern(in.data(), bytes_of(expected), message_key(round, expected)));
            }
        }
    }
}

FMPL_RANKS_TEST_AT(AnyTag, MessagesOfOneIndexStayInOrder, ({2}))
{
    const fmpl::Session session(3);
    constexpr int kMessages = 400;
    if (rank() == 0) {
        for (int m = 0; m < kMessages; ++m) {
            std::vector<int> out(std::size_t(1 + m % 50), m);
            REQUIRE_OK(fmpl_send(out.data(), out.size() * sizeof(int), 1, m % 7 % 3, FMPL_COMM_WORLD));
        }
    } else {
        for (int m = 0; m < kMessages; ++m) {
            std::vector<int> in(50);
            REQUIRE_OK(fmpl_recv(in.data(), in.size() * sizeof(int), 0, FMPL_ANY_TAG, FMPL_COMM_WORLD));
            expect_received(0, m % 7 % 3, std::size_t(1 + m % 50) * sizeof(int));
            EXPECT_EQ(in[0], m);
            EXPECT_EQ(in[std::size_t(m % 50)], m);
        }
    }
}

FMPL_RANKS_TEST_AT(AnyTag, EachSourceHasAtMostOneOutstandingReceiveWithIt, ({3}))
{
    const fmpl::Session session(4);
    if (rank() == 0) {
        int a = 0;
        int b = 0;
        int c = 0;
        REQUIRE_OK(fmpl_irecv(&a, sizeof a, 1, FMPL_ANY_TAG, FMPL_COMM_WORLD));
        EXPECT_FAILS(FMPL_ERR_BUSY, fmpl_irecv(&c, sizeof c, 1, FMPL_ANY_TAG, FMPL_COMM_WORLD), "fmpl_irecv", "rank 0",
            "FMPL_ANY_TAG");
        EXPECT_FAILS(FMPL_ERR_BUSY, fmpl_recv(&c, sizeof c, 1, FMPL_ANY_TAG, FMPL_COMM_WORLD), "fmpl_recv", "rank 0");
        REQUIRE_OK(fmpl_irecv(&b, sizeof b, 2, FMPL_ANY_TAG, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_irecv_wait(2, FMPL_ANY_TAG, FMPL_COMM_WORLD));
        expect_received(2, 2, sizeof b);
        REQUIRE_OK(fmpl_irecv_wait(1, FMPL_ANY_TAG, FMPL_COMM_WORLD));
        expect_received(1, 1, sizeof a);
        EXPECT_EQ(a, 100);
        EXPECT_EQ(b, 200);
        EXPECT_EQ(c, 0);
        EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_irecv_wait(1, FMPL_ANY_TAG, FMPL_COMM_WORLD));
    } else {
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        const int word = rank() * 100;
        REQUIRE_OK(fmpl_send(&word, sizeof word, 0, rank(), FMPL_COMM_WORLD));
    }
}

FMPL_RANKS_TEST_AT(AnyTag, ATooLongMessageIsDiscardedAndTheNextOneTaken, ({2}))
{
    const fmpl::Session session(4);
    for (const bool receive_first : {true, false}) {
        for (const Place place : kPlaces) {
            for (const std::size_t bytes : {8u, 72u, 73u, 113u, 70000u}) {
                GuardedBuffer buffer(place, bytes);
                if (rank() == 0) {
                    buffer.fill(message_key(bytes));
                    if (receive_first) REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_isend(buffer.data(), bytes, 1, 3, FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_isend(buffer.data(), bytes - 1, 1, 1, FMPL_COMM_WORLD));
                    if (!receive_first) REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_isend_wait(1, 3, FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_isend_wait(1, 1, FMPL_COMM_WORLD));
                } else {
                    GuardedBuffer in(place, bytes - 1);
                    in.fill_byte(9);
                    if (receive_first) REQUIRE_OK(fmpl_irecv(in.data(), in.size(), 0, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                    const int code = receive_first ? fmpl_irecv_wait(0, FMPL_ANY_TAG, FMPL_COMM_WORLD)
                                                   : fmpl_recv(in.data(), in.size(), 0, FMPL_ANY_TAG, FMPL_COMM_WORLD);
                    EXPECT_FAILS(FMPL_ERR_TRUNCATED, code, std::to_string(bytes), std::to_string(bytes - 1));
                    expect_received(0, 3, bytes);
                    EXPECT_TRUE(in.is_all(9));
                    REQUIRE_OK(fmpl_recv(in.data(), in.size(), 0, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                    expect_received(0, 1, bytes - 1);
                    EXPECT_TRUE(in.holds(message_key(bytes)));
                }
            }
        }
    }
}

FMPL_RANKS_TEST_AT(AnyTag, IsNotAnIndexOfASend, ({2}))
{
    const fmpl::Session session(4);
    const int word = 1;
    const int peer = 1 - rank();
    EXPECT_FAILS(FMPL_ERR_INDEX, fmpl_send(&word, sizeof word, peer, FMPL_ANY_TAG, FMPL_COMM_WORLD), "fmpl_send");
    EXPECT_FAILS(FMPL_ERR_INDEX, fmpl_isend(&word, sizeof word, peer, FMPL_ANY_TAG, FMPL_COMM_WORLD), "fmpl_isend");
    EXPECT_FAILS(FMPL_ERR_INDEX, fmpl_isend_wait(peer, FMPL_ANY_TAG, FMPL_COMM_WORLD), "fmpl_isend_wait");
    EXPECT_FAILS(
        FMPL_ERR_INDEX, fmpl_send_any(&word, sizeof word, peer, FMPL_ANY_TAG, FMPL_COMM_WORLD), "fmpl_send_any");
}

FMPL_RANKS_TEST_AT(AnyTag, ManySourcesAreTakenByName, ({4, 7}))
{
    const fmpl::Session session(32);
    constexpr int kMessages = 20;
    if (rank() == 0) {
        for (int m = 0; m < kMessages; ++m) {
            for (int source = size() - 1; source > 0; --source) {
                int in[2] = {-1, -1};
                REQUIRE_OK(fmpl_recv(in, sizeof in, source, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                EXPECT_EQ(in[0], source);
                EXPECT_EQ(in[1], m);
                expect_received(source, (source + m) % 32, sizeof in);
            }
        }
    } else {
        for (int m = 0; m < kMessages; ++m) {
            const int out[2] = {rank(), m};
            REQUIRE_OK(fmpl_send(out, sizeof out, 0, (rank() + m) % 32, FMPL_COMM_WORLD));
        }
    }
}

// A receive with an index that has its message stands in nobody's way, waited for or not.
FMPL_RANKS_TEST_AT(AnyTag, TakesTheSecondMessageOfAnIndexWhoseReceiveHasTheFirst, ({2}))
{
    const fmpl::Session session(4);
    for (const Place place : kPlaces) {
        for (const std::size_t bytes : {8u, 5000u, 100000u}) {
            GuardedBuffer a(place, bytes);
            GuardedBuffer b(place, bytes);
            if (rank() == 0) {
                a.fill(message_key(1));
                b.fill(message_key(2));
                REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                REQUIRE_OK(fmpl_send(a.data(), bytes, 1, 2, FMPL_COMM_WORLD));
                REQUIRE_OK(fmpl_send(b.data(), bytes, 1, 2, FMPL_COMM_WORLD));
            } else {
                REQUIRE_OK(fmpl_irecv(a.data(), bytes, 0, 2, FMPL_COMM_WORLD));
                REQUIRE_OK(fmpl_irecv(b.data(), bytes, 0, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                REQUIRE_OK(fmpl_irecv_wait(0, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                expect_received(0, 2, bytes);
                REQUIRE_OK(fmpl_irecv_wait(0, 2, FMPL_COMM_WORLD));
                EXPECT_TRUE(a.holds(message_key(1)));
                EXPECT_TRUE(b.holds(message_key(2)));
            }
        }
    }
}

// An outstanding wildcard and a receive with an index, both of which fit two messages that come at any time: each takes
// one of them, and the receive with an index takes no earlier one than the wildcard leaves it.
FMPL_RANKS_TEST_AT(AnyTag, EachMessageIsTakenOnce, ({2}))
{
    const fmpl::Session session(4);
    std::mt19937_64 random(seed() + static_cast<std::uint64_t>(rank()));
    for (int round = 0; round < 120; ++round) {
        const std::size_t bytes = std::size_t{1} << (round % 20 + 2);  // 4 bytes .. 2 MiB
        const Place place = kPlaces[round / 20 % 2];
        const bool specific_blocks = round % 3 != 0;
        GuardedBuffer a(place, bytes);
        GuardedBuffer b(place, bytes);
        if (rank() == 0) {
            a.fill(message_key(round, 1));
            b.fill(message_key(round, 2));
            if (round % 2 == 0) REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            random_delay(random);
            REQUIRE_OK(fmpl_isend(a.data(), bytes, 1, 3, FMPL_COMM_WORLD));
            if (round % 2 == 1) REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_isend_wait(1, 3, FMPL_COMM_WORLD));
            random_delay(random);
            REQUIRE_OK(fmpl_send(b.data(), bytes, 1, 3, FMPL_COMM_WORLD));
        } else {
            REQUIRE_OK(fmpl_irecv(a.data(), bytes, 0, FMPL_ANY_TAG, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            random_delay(random);
            if (specific_blocks) {
                REQUIRE_OK(fmpl_recv(b.data(), bytes, 0, 3, FMPL_COMM_WORLD));
                REQUIRE_OK(fmpl_irecv_wait(0, FMPL_ANY_TAG, FMPL_COMM_WORLD));
            } else {
                REQUIRE_OK(fmpl_irecv(b.data(), bytes, 0, 3, FMPL_COMM_WORLD));
                REQUIRE_OK(fmpl_irecv_wait(0, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                expect_received(0, 3, bytes);
                REQUIRE_OK(fmpl_irecv_wait(0, 3, FMPL_COMM_WORLD));
            }
            expect_received(0, 3, bytes);
            const bool in_order = static_cast<bool>(a.holds(message_key(round, 1)));
            EXPECT_TRUE(a.holds(message_key(round, in_order ? 1 : 2))) << "round " << round;
            EXPECT_TRUE(b.holds(message_key(round, in_order ? 2 : 1))) << "round " << round;
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
}

// The source begins to deliver for an outstanding wildcard; a receive posted for that message afterwards completes
// although its rank waits for something else.
FMPL_RANKS_TEST_AT(AnyTag, AReceivePostedAfterItsMessageBeganToMoveCompletes, ({2}))
{
    const fmpl::Session session(4);
    for (const Place out_place : kPlaces) {
        for (const Place in_place : kPlaces) {
            for (const std::size_t bytes : {73u, 4095u, 300000u, 2000000u}) {
                GuardedBuffer first(in_place, bytes);
                GuardedBuffer second(in_place, bytes);
                if (rank() == 0) {
                    first.fill(message_key(1));
                    GuardedBuffer out(out_place, bytes);
                    out.fill(message_key(2));
                    REQUIRE_OK(fmpl_send(first.data(), bytes, 1, 1, FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_send(out.data(), bytes, 1, 2, FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_send(nullptr, 0, 1, 3, FMPL_COMM_WORLD));
                } else {
                    REQUIRE_OK(fmpl_irecv(first.data(), bytes, 0, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_irecv_wait(0, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                    EXPECT_TRUE(first.holds(message_key(1)));
                    REQUIRE_OK(fmpl_irecv(second.data(), bytes, 0, 2, FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_recv(nullptr, 0, 0, 3, FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_irecv_wait(0, 2, FMPL_COMM_WORLD));
                    EXPECT_TRUE(second.holds(message_key(2)));
                }
                REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            }
        }
    }
}

}  // namespace
