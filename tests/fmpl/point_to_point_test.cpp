// fmpl_send and fmpl_recv, and the delivery that all point-to-point calls share: sizes, places, order, truncation.
#include "../support/guarded_buffer.hpp"

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

namespace {

using namespace fmpl_test;

constexpr unsigned char kUntouched = 0xEE;

int right_of(int r)
{
    return (r + 1) % size();
}
int left_of(int r)
{
    return (r + size() - 1) % size();
}

enum class First { receive, send };

// One message around the ring of all ranks (from the caller to its right neighbour), receive or send posted first.
// Returns after the caller's part has completed.
void pass_right(First first, const GuardedBuffer& out, GuardedBuffer& in, int index)
{
    const int to = right_of(rank());
    const int from = left_of(rank());
    if (first == First::receive) {
        REQUIRE_OK(fmpl_irecv(in.data(), in.size(), from, index, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_send(out.data(), out.size(), to, index, FMPL_COMM_WORLD));
        EXPECT_OK(fmpl_irecv_wait(from, index, FMPL_COMM_WORLD));
    } else {
        REQUIRE_OK(fmpl_isend(out.data(), out.size(), to, index, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        EXPECT_OK(fmpl_recv(in.data(), in.size(), from, index, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_isend_wait(to, index, FMPL_COMM_WORLD));
    }
}

void every_size_arrives(First first)
{
    const fmpl::Session session(4);
    std::uint64_t message = 0;
    for (const Place out_place : kPlaces) {
        for (const Place in_place : kPlaces) {
            for (const std::size_t bytes : kSizes) {
                ++message;
                SCOPED_TRACE(
                    std::to_string(bytes) + " bytes from " + place_name(out_place) + " to " + place_name(in_place));
                GuardedBuffer out(out_place, bytes);
                GuardedBuffer in(in_place, bytes);
                out.fill(message_key(message, rank()));
                in.fill_byte(kUntouched);
                pass_right(first, out, in, 1);
                EXPECT_TRUE(in.holds(message_key(message, left_of(rank()))));
                EXPECT_TRUE(out.holds(message_key(message, rank())));
            }
        }
    }
}

FMPL_RANKS_TEST(PointToPoint, EverySizeArrivesWhenTheReceiveComesFirst)
{
    every_size_arrives(First::receive);
}

FMPL_RANKS_TEST(PointToPoint, EverySizeArrivesWhenTheSendComesFirst)
{
    every_size_arrives(First::send);
}

FMPL_RANKS_TEST_AT(PointToPoint, BuffersNeedNoAlignment, ({2, 3}))
{
    const fmpl::Session session(4);
    std::uint64_t message = 0;
    for (const First first : {First::receive, First::send}) {
        for (const Place place : kPlaces) {
            for (const std::size_t bytes : {1u, 7u, 48u, 72u, 73u, 113u, 1000u, 4097u, 70001u}) {
                for (const std::size_t shift : {1u, 3u, 8u, 60u}) {
                    ++message;
                    GuardedBuffer out(place, bytes, shift);
                    GuardedBuffer in(place, bytes, (shift * 7 + 5) % 64);
                    out.fill(message_key(message, rank()));
                    pass_right(first, out, in, 0);
                    EXPECT_TRUE(in.holds(message_key(message, left_of(rank())))) << bytes << " bytes, shift " << shift;
                }
            }
        }
    }
}

FMPL_RANKS_TEST_AT(PointToPoint, StackArraysAreValidBuffers, ({2}))
{
    const fmpl::Session session(4);
    std::array<double, 1000> numbers{};
    if (rank() == 0) {
        std::iota(numbers.begin(), numbers.end(), 1.0);
        fmpl::world.send<double>(numbers, 1, 2);
        fmpl::world.recv<double>(numbers, 1, 2);
        EXPECT_EQ(numbers[999], -1000.0);
    } else {
        const fmpl::Received received = fmpl::world.recv<double>(numbers, 0, 2);
        EXPECT_EQ(received.bytes, 8000u);
        for (double& x : numbers) x = -x;
        fmpl::world.send<double>(numbers, 0, 2);
    }
}

FMPL_RANKS_TEST_AT(PointToPoint, OneChannelDeliversInTheOrderSent, ({2, 4}))
{
    const fmpl::Session session(2);
    constexpr int kMessages = 300;
    if (rank() % 2 == 0) {
        for (int m = 0; m < kMessages; ++m) {
            GuardedBuffer out(kPlaces[m / 3 % 2], kSizes[m % 20]);
            out.fill(message_key(m, rank()));
            REQUIRE_OK(fmpl_send(out.data(), out.size(), rank() + 1, 0, FMPL_COMM_WORLD));
            out.fill_byte(0);  // fmpl_send has returned: the buffer is the caller's again
        }
    } else {
        for (int m = 0; m < kMessages; ++m) {
            GuardedBuffer in(kPlaces[m / 5 % 2], kSizes[m % 20]);
            REQUIRE_OK(fmpl_recv(in.data(), in.size(), rank() - 1, 0, FMPL_COMM_WORLD));
            EXPECT_TRUE(in.holds(message_key(m, rank() - 1))) << "message " << m;
        }
    }
}

FMPL_RANKS_TEST_AT(PointToPoint, ChannelsOfOneSourceDoNotMix, ({2, 3}))
{
    constexpr int kIndices = 40;
    const fmpl::Session session(kIndices);
    // Sent in ascending order of the index, taken in descending order.
    std::vector<GuardedBuffer> out;
    for (int i = 0; i < kIndices; ++i) {
        out.emplace_back(kPlaces[i % 2], kSizes[i % kSizes.size()] % 70000);
        out.back().fill(message_key(i, rank()));
        REQUIRE_OK(fmpl_isend(out.back().data(), out.back().size(), right_of(rank()), i, FMPL_COMM_WORLD));
    }
    for (int i = kIndices - 1; i >= 0; --i) {
        GuardedBuffer in(kPlaces[i / 2 % 2], out[i].size());
        REQUIRE_OK(fmpl_recv(in.data(), in.size(), left_of(rank()), i, FMPL_COMM_WORLD));
        EXPECT_TRUE(in.holds(message_key(i, left_of(rank())))) << "index " << i;
    }
    for (int i = 0; i < kIndices; ++i) REQUIRE_OK(fmpl_isend_wait(right_of(rank()), i, FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST(PointToPoint, AllRanksExchangeWithAll)
{
    const fmpl::Session session(1);
    const int n = size();
    for (const std::size_t bytes : {8u, 112u, 3000u, 200000u}) {
        std::vector<GuardedBuffer> in;
        std::vector<GuardedBuffer> out;
        for (int peer = 0; peer < n; ++peer) {
            in.emplace_back(kPlaces[peer % 2], bytes);
            out.emplace_back(kPlaces[(peer + rank()) % 2], bytes);
            out.back().fill(message_key(bytes, rank(), peer));
        }
        for (int peer = 0; peer < n; ++peer) REQUIRE_OK(fmpl_irecv(in[peer].data(), bytes, peer, 0, FMPL_COMM_WORLD));
        for (int peer = 0; peer < n; ++peer) REQUIRE_OK(fmpl_isend(out[peer].data(), bytes, peer, 0, FMPL_COMM_WORLD));
        for (int peer = n - 1; peer >= 0; --peer) {
            REQUIRE_OK(fmpl_isend_wait(peer, 0, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_irecv_wait(peer, 0, FMPL_COMM_WORLD));
            EXPECT_TRUE(in[peer].holds(message_key(bytes, peer, rank())));
        }
    }
}

FMPL_RANKS_TEST_AT(PointToPoint, AShorterMessageLeavesTheRestOfTheBufferAlone, ({2}))
{
    const fmpl::Session session(4);
    std::uint64_t message = 0;
    for (const First first : {First::receive, First::send}) {
        for (const Place out_place : kPlaces) {
            for (const Place in_place : kPlaces) {
                for (const std::size_t bytes : {0u, 1u, 48u, 72u, 73u, 112u, 113u, 5000u, 100000u, 1048577u}) {
                    ++message;
                    GuardedBuffer out(out_place, bytes);
                    GuardedBuffer in(in_place, bytes + 777);
                    out.fill(message_key(message, rank()));
                    in.fill_byte(kUntouched);
                    pass_right(first, out, in, 3);
                    EXPECT_TRUE(in.holds(message_key(message, left_of(rank())), bytes, kUntouched))
                        << bytes << " bytes";
                    // The wait for the send may have come after the receive; fmpl_received still tells of the receive.
                    int source = -1;
                    int index = -1;
                    std::size_t length = 12345;
                    EXPECT_OK(fmpl_received(&source, &index, &length));
                    EXPECT_EQ(source, left_of(rank()));
                    EXPECT_EQ(index, 3);
                    EXPECT_EQ(length, bytes);
                }
            }
        }
    }
}

FMPL_RANKS_TEST_AT(PointToPoint, ATooLongMessageIsDiscardedAndTheChannelStaysUsable, ({2, 4}))
{
    const fmpl::Session session(4);
    struct Case {
        std::size_t sent;
        std::size_t room;
    };
    constexpr Case kCases[] = {{1, 0}, {5, 0}, {8, 7}, {49, 48}, {64, 1}, {72, 71}, {73, 72}, {73, 0}, {112, 111},
        {129, 64}, {4097, 4096}, {65537, 100}, {65537, 65536}, {100000, 0}, {1048577, 1048576}, {1048577, 8}};
    std::uint64_t message = 0;
    for (const First first : {First::receive, First::send}) {
        for (const Place out_place : kPlaces) {
            for (const Place in_place : kPlaces) {
                for (const Case& c : kCases) {
                    SCOPED_TRACE(std::to_string(c.sent) + " bytes into " + std::to_string(c.room));
                    ++message;
                    const int peer = rank() ^ 1;
                    GuardedBuffer out(out_place, c.sent);
                    GuardedBuffer in(in_place, c.room);
                    out.fill(message_key(message, 1));
                    in.fill_byte(kUntouched);
                    GuardedBuffer good_out(out_place, c.room);
                    good_out.fill(message_key(message, 2));
                    if (rank() % 2 == 0) {
                        if (first == First::receive) {
                            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                            EXPECT_OK(fmpl_send(out.data(), out.size(), peer, 2, FMPL_COMM_WORLD));
                        } else {
                            REQUIRE_OK(fmpl_isend(out.data(), out.size(), peer, 2, FMPL_COMM_WORLD));
                            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                            EXPECT_OK(fmpl_isend_wait(peer, 2, FMPL_COMM_WORLD));
                        }
                        REQUIRE_OK(fmpl_send(good_out.data(), good_out.size(), peer, 2, FMPL_COMM_WORLD));
                    } else {
                        int code = FMPL_SUCCESS;
                        if (first == First::receive) {
                            REQUIRE_OK(fmpl_irecv(in.data(), in.size(), peer, 2, FMPL_COMM_WORLD));
                            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                            code = fmpl_irecv_wait(peer, 2, FMPL_COMM_WORLD);
                        } else {
                            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                            code = fmpl_recv(in.data(), in.size(), peer, 2, FMPL_COMM_WORLD);
                        }
                        EXPECT_FAILS(FMPL_ERR_TRUNCATED, code, "rank " + std::to_string(rank()),
                            first == First::receive ? "fmpl_irecv_wait" : "fmpl_recv", std::to_string(c.sent),
                            std::to_string(c.room));
                        EXPECT_TRUE(in.is_all(kUntouched));
                        std::size_t length = 0;
                        EXPECT_OK(fmpl_received(nullptr, nullptr, &length));
                        EXPECT_EQ(length, c.sent);
                        EXPECT_OK(fmpl_recv(in.data(), in.size(), peer, 2, FMPL_COMM_WORLD));
                        EXPECT_TRUE(in.holds(message_key(message, 2)));
                    }
                }
            }
        }
    }
}

FMPL_RANKS_TEST_AT(PointToPoint, ASendThatFitsTheCompletionLineReturnsBeforeTheReceive, ({1, 2, 4}))
{
    const fmpl::Session session(8);
    int index = 0;
    for (const std::size_t bytes :
        {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{48}, kInlineLimit - 1, kInlineLimit}) {
        GuardedBuffer out(kPlaces[index % 2], bytes);
        GuardedBuffer in(kPlaces[index / 2 % 2], bytes);
        out.fill(message_key(bytes, rank()));
        REQUIRE_OK(fmpl_send(out.data(), bytes, right_of(rank()), index, FMPL_COMM_WORLD));
        out.fill_byte(0);
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));  // all have sent; nobody has received
        REQUIRE_OK(fmpl_recv(in.data(), bytes, left_of(rank()), index, FMPL_COMM_WORLD));
        EXPECT_TRUE(in.holds(message_key(bytes, left_of(rank())))) << bytes << " bytes";
        ++index;
    }
}

FMPL_RANKS_TEST_AT(PointToPoint, TheSendBufferMayBeModifiedAfterTheSend, ({2}))
{
    const fmpl::Session session(2);
    for (int repetition = 0; repetition < 3; ++repetition) {
        for (const Place place : kPlaces) {
            for (const std::size_t bytes : kSizes) {
                GuardedBuffer buffer(place, bytes);
                if (rank() == 0) {
                    buffer.fill(message_key(bytes));
                    REQUIRE_OK(fmpl_send(buffer.data(), bytes, 1, 1, FMPL_COMM_WORLD));
                    buffer.fill_byte(0xFF);
                } else {
                    REQUIRE_OK(fmpl_recv(buffer.data(), bytes, 0, 1, FMPL_COMM_WORLD));
                    EXPECT_TRUE(buffer.holds(message_key(bytes))) << bytes << " bytes";
                }
            }
        }
    }
}

FMPL_RANKS_TEST(PointToPoint, ARankMaySendToItself)
{
    const fmpl::Session session(8);
    for (const Place place : kPlaces) {
        for (const std::size_t bytes : kSizes) {
            SCOPED_TRACE(std::to_string(bytes) + " bytes in " + place_name(place));
            GuardedBuffer out(place, bytes);
            GuardedBuffer in(place == Place::rdma ? Place::heap : Place::rdma, bytes);
            out.fill(message_key(bytes, 1));
            REQUIRE_OK(fmpl_irecv(in.data(), bytes, rank(), 5, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_send(out.data(), bytes, rank(), 5, FMPL_COMM_WORLD));
            EXPECT_OK(fmpl_irecv_wait(rank(), 5, FMPL_COMM_WORLD));
            EXPECT_TRUE(in.holds(message_key(bytes, 1)));

            out.fill(message_key(bytes, 2));
            REQUIRE_OK(fmpl_isend(out.data(), bytes, rank(), 5, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_recv(in.data(), bytes, rank(), 5, FMPL_COMM_WORLD));
            EXPECT_OK(fmpl_isend_wait(rank(), 5, FMPL_COMM_WORLD));
            EXPECT_TRUE(in.holds(message_key(bytes, 2)));

            if (bytes <= kInlineLimit) {
                out.fill(message_key(bytes, 3));
                REQUIRE_OK(fmpl_send(out.data(), bytes, rank(), 6, FMPL_COMM_WORLD));
                out.fill_byte(0);
                REQUIRE_OK(fmpl_recv(in.data(), bytes, rank(), FMPL_ANY_TAG, FMPL_COMM_WORLD));
                EXPECT_TRUE(in.holds(message_key(bytes, 3)));
            }
        }
    }
}

FMPL_RANKS_TEST_AT(PointToPoint, ZeroBytesNeedNoBuffer, ({1, 2}))
{
    const fmpl::Session session(1);
    REQUIRE_OK(fmpl_send(nullptr, 0, right_of(rank()), 0, FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_recv(nullptr, 0, left_of(rank()), 0, FMPL_COMM_WORLD));
    std::size_t length = 1;
    EXPECT_OK(fmpl_received(nullptr, nullptr, &length));
    EXPECT_EQ(length, 0u);
}

FMPL_RANKS_TEST_AT(PointToPoint, EveryIndexBelowTheCountIsAChannel, ({2}))
{
    constexpr int kCount = 5000;
    const fmpl::Session session(kCount);
    for (int index = 0; index < kCount; ++index) {
        int word = rank() == 0 ? index * 3 : -1;
        if (rank() == 0) {
            REQUIRE_OK(fmpl_send(&word, sizeof word, 1, index, FMPL_COMM_WORLD));
        } else {
            REQUIRE_OK(fmpl_recv(&word, sizeof word, 0, index, FMPL_COMM_WORLD));
            EXPECT_EQ(word, index * 3);
        }
    }
}

// Everything that the sender wrote before the send is visible to the receiver: ThreadSanitizer reports a race on the
// plain bytes when the protocol of any size does not order them.
FMPL_RANKS_TEST_AT(PointToPoint, WhatTheSenderWroteBeforeIsVisibleAfterTheReceive, ({2}))
{
    const fmpl::Session session(1);
    unsigned char* const plain = shared_plain().data();
    unsigned char turn = 0;
    for (const std::size_t bytes : {0u, 8u, 72u, 73u, 4096u, 65536u, 1048576u}) {
        for (const Place place : kPlaces) {
            for (int sender = 0; sender < 2; ++sender) {
                GuardedBuffer buffer(place, bytes);
                ++turn;
                if (rank() == sender) {
                    std::memset(plain, turn, 64);
                    REQUIRE_OK(fmpl_send(buffer.data(), bytes, 1 - sender, 0, FMPL_COMM_WORLD));
                } else {
                    REQUIRE_OK(fmpl_recv(buffer.data(), bytes, sender, 0, FMPL_COMM_WORLD));
                    EXPECT_EQ(plain[0], turn);
                    EXPECT_EQ(plain[63], turn);
                    // The other direction of the turn, so that the next write is ordered after this read.
                }
                if (rank() == sender) {
                    REQUIRE_OK(fmpl_recv(nullptr, 0, 1 - sender, 0, FMPL_COMM_WORLD));
                } else {
                    REQUIRE_OK(fmpl_send(nullptr, 0, sender, 0, FMPL_COMM_WORLD));
                }
            }
        }
    }
}

}  // namespace
