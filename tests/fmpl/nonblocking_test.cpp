// fmpl_isend, fmpl_irecv and their waits.
#include "../support/guarded_buffer.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace fmpl_test;

constexpr std::size_t kMixedSizes[] = {0, 8, 72, 73, 112, 500, 4096, 70000, 1048577};

FMPL_RANKS_TEST_AT(Nonblocking, BlockingAndNonblockingCallsMatchEachOther, ({2, 4}))
{
    const fmpl::Session session(2);
    const int peer = rank() ^ 1;
    std::uint64_t message = 0;
    for (const std::size_t bytes : kMixedSizes) {
        for (const Place place : kPlaces) {
            for (const bool send_blocks : {false, true}) {
                for (const bool receive_blocks : {false, true}) {
                    ++message;
                    GuardedBuffer buffer(place, bytes);
                    if (rank() % 2 == 0) {
                        buffer.fill(message_key(message));
                        if (send_blocks) {
                            REQUIRE_OK(fmpl_send(buffer.data(), bytes, peer, 1, FMPL_COMM_WORLD));
                        } else {
                            REQUIRE_OK(fmpl_isend(buffer.data(), bytes, peer, 1, FMPL_COMM_WORLD));
                            REQUIRE_OK(fmpl_isend_wait(peer, 1, FMPL_COMM_WORLD));
                        }
                    } else {
                        if (receive_blocks) {
                            REQUIRE_OK(fmpl_recv(buffer.data(), bytes, peer, 1, FMPL_COMM_WORLD));
                        } else {
                            REQUIRE_OK(fmpl_irecv(buffer.data(), bytes, peer, 1, FMPL_COMM_WORLD));
                            REQUIRE_OK(fmpl_irecv_wait(peer, 1, FMPL_COMM_WORLD));
                        }
                        EXPECT_TRUE(buffer.holds(message_key(message))) << bytes << " bytes";
                    }
                }
            }
        }
    }
}

FMPL_RANKS_TEST_AT(Nonblocking, ThousandsOfReceivesCompleteInTheWorstOrder, ({2, 3}))
{
    constexpr int kCount = 4096;
    const fmpl::Session session(kCount);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    const auto bytes_of = [](int index) { return std::size_t(index % 61 == 0 ? 3000 : index % 150); };

    std::vector<GuardedBuffer> in;
    for (int i = 0; i < kCount; ++i) in.emplace_back(kPlaces[i % 16 == 0 ? 0 : 1], bytes_of(i));
    for (int i = 0; i < kCount; ++i) REQUIRE_OK(fmpl_irecv(in[i].data(), in[i].size(), from, i, FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    // Sent last index first, waited for first index first.
    for (int i = kCount - 1; i >= 0; --i) {
        GuardedBuffer out(Place::heap, bytes_of(i));
        out.fill(message_key(i, rank()));
        REQUIRE_OK(fmpl_send(out.data(), out.size(), to, i, FMPL_COMM_WORLD));
    }
    for (int i = 0; i < kCount; ++i) {
        REQUIRE_OK(fmpl_irecv_wait(from, i, FMPL_COMM_WORLD));
        EXPECT_TRUE(in[i].holds(message_key(i, from))) << "index " << i;
    }
}

FMPL_RANKS_TEST_AT(Nonblocking, ThousandsOfSendsCompleteInAnyOrder, ({2, 3}))
{
    constexpr int kCount = 2000;
    const fmpl::Session session(kCount);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    std::mt19937_64 random(seed());
    std::vector<int> order(kCount);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);

    std::vector<GuardedBuffer> out;
    for (int i = 0; i < kCount; ++i) {
        out.emplace_back(kPlaces[i % 2], std::size_t(i % 301));
        out.back().fill(message_key(i, rank()));
    }
    for (int i = 0; i < kCount; ++i) REQUIRE_OK(fmpl_isend(out[i].data(), out[i].size(), to, i, FMPL_COMM_WORLD));
    for (const int i : order) {
        GuardedBuffer in(kPlaces[i / 2 % 2], out[i].size());
        REQUIRE_OK(fmpl_recv(in.data(), in.size(), from, i, FMPL_COMM_WORLD));
        EXPECT_TRUE(in.holds(message_key(i, from))) << "index " << i;
    }
    std::shuffle(order.begin(), order.end(), random);
    for (const int i : order) REQUIRE_OK(fmpl_isend_wait(to, i, FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_AT(Nonblocking, BothDirectionsOfOneIndexAreIndependent, ({2, 4}))
{
    const fmpl::Session session(1);
    const int peer = rank() ^ 1;
    for (const std::size_t bytes : kMixedSizes) {
        GuardedBuffer out(kPlaces[rank() / 2 % 2], bytes);
        GuardedBuffer in(kPlaces[rank() % 2], bytes);
        out.fill(message_key(bytes, rank()));
        REQUIRE_OK(fmpl_isend(out.data(), bytes, peer, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_irecv(in.data(), bytes, peer, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_irecv_wait(peer, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_isend_wait(peer, 0, FMPL_COMM_WORLD));
        EXPECT_TRUE(in.holds(message_key(bytes, peer)));
    }
}

// A destination that has posted a receive and computes: the source moves the message alone, to private buffers too
// where it can reach them, as between threads it always can.
void send_to_posted_receives_of_a_busy_rank()
{
    const fmpl::Session session(1);
    std::size_t word = 0;
    for (const std::size_t bytes : {std::size_t{4096}, std::size_t{100000}, 3 * kMiB + 5}) {
        for (const Place from : kPlaces) {
            for (const Place to : kPlaces) {
                if (from == Place::rdma && to == Place::heap && size() > 2) continue;  // the destination takes it then
                std::atomic<std::uint64_t>& posted = shared_words()[word++];
                std::atomic<std::uint64_t>& sent = shared_words()[word++];
                if (rank() == 0) {
                    GuardedBuffer in(to, bytes);
                    REQUIRE_OK(fmpl_irecv(in.data(), bytes, 1, 0, FMPL_COMM_WORLD));
                    posted = 1;
                    wait_until([&] { return sent != 0; }, "the end of the send");
                    EXPECT_TRUE(in.holds(message_key(bytes, word))) << bytes << " bytes, before the wait";
                    REQUIRE_OK(fmpl_irecv_wait(1, 0, FMPL_COMM_WORLD));
                    EXPECT_TRUE(in.holds(message_key(bytes, word))) << bytes << " bytes, after the wait";
                } else if (rank() == 1) {
                    GuardedBuffer out(from, bytes);
                    out.fill(message_key(bytes, word));
                    wait_until([&] { return posted != 0; }, "the receive to be posted");
                    REQUIRE_OK(fmpl_send(out.data(), bytes, 0, 0, FMPL_COMM_WORLD));
                    sent = 1;
                }
            }
        }
    }
}

FMPL_RANKS_TEST_WITH(Nonblocking, ALongSendToAPostedReceiveNeedsNoHelpOfTheDestination,
    (RanksOptions{.ranks = {2, 3}, .processes = false, .unmapped = false}))
{
    send_to_posted_receives_of_a_busy_rank();
}

// Neither when the source goes to sleep: the look before that is the last one.
FMPL_RANKS_TEST_WITH(Nonblocking, NorDoesOneThatSleepsAtOnce,
    (RanksOptions{.ranks = {2, 3},
        .processes = false,
        .unmapped = false,
        .environment = {{"FMPL_SPIN_US", "0"}, {"FMPL_YIELD_US", "0"}}}))
{
    send_to_posted_receives_of_a_busy_rank();
}

// The destination begins to take a long message in fmpl_irecv while the source waits and helps, and then computes: the
// source must not wait for its next call.
FMPL_RANKS_TEST_WITH(
    Nonblocking, ASourceThatHelpsDoesNotWaitForTheDestinationsNextCall, (RanksOptions{.ranks = {2}, .unmapped = false}))
{
    const fmpl::Session session(1);
    constexpr std::size_t kBytes = 8 * kMiB;
    for (std::size_t round = 0; round < 10; ++round) {
        std::atomic<std::uint64_t>& sending = shared_words()[2 * round];
        std::atomic<std::uint64_t>& sent = shared_words()[2 * round + 1];
        GuardedBuffer buffer(Place::rdma, kBytes);
        if (rank() == 0) {
            wait_until([&] { return sending != 0; }, "the send");
            std::this_thread::sleep_for(std::chrono::milliseconds(2));  // until the message has been offered
            REQUIRE_OK(fmpl_irecv(buffer.data(), kBytes, 1, 0, FMPL_COMM_WORLD));
            wait_until([&] { return sent != 0; }, "the end of the send, without a call of the destination");
            REQUIRE_OK(fmpl_irecv_wait(1, 0, FMPL_COMM_WORLD));
            EXPECT_TRUE(buffer.holds(message_key(round)));
        } else {
            buffer.fill(message_key(round));
            sending = 1;
            REQUIRE_OK(fmpl_send(buffer.data(), kBytes, 0, 0, FMPL_COMM_WORLD));
            sent = 1;
        }
    }
}

FMPL_RANKS_TEST_AT(Nonblocking, AnOutstandingSendMakesTheChannelBusy, ({2}))
{
    const fmpl::Session session(4);
    for (const std::size_t bytes : {8u, 3000u}) {
        std::vector<char> buffer(bytes, 'a');
        if (rank() == 0) {
            REQUIRE_OK(fmpl_isend(buffer.data(), bytes, 1, 2, FMPL_COMM_WORLD));
            EXPECT_FAILS(FMPL_ERR_BUSY, fmpl_isend(buffer.data(), bytes, 1, 2, FMPL_COMM_WORLD), "fmpl_isend", "rank 0",
                "2", "fmpl_isend_wait");
            EXPECT_FAILS(
                FMPL_ERR_BUSY, fmpl_send(buffer.data(), bytes, 1, 2, FMPL_COMM_WORLD), "fmpl_send", "rank 0", "2");
            // Another index is not concerned.
            REQUIRE_OK(fmpl_isend(buffer.data(), bytes, 1, 3, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_isend_wait(1, 3, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_isend_wait(1, 2, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_send(buffer.data(), bytes, 1, 2, FMPL_COMM_WORLD));
        } else {
            std::vector<char> in(bytes);
            REQUIRE_OK(fmpl_recv(in.data(), bytes, 0, 3, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_recv(in.data(), bytes, 0, 2, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_recv(in.data(), bytes, 0, 2, FMPL_COMM_WORLD));
            EXPECT_EQ(in, buffer);
        }
    }
}

FMPL_RANKS_TEST_AT(Nonblocking, AnOutstandingReceiveMakesTheChannelBusy, ({2}))
{
    const fmpl::Session session(4);
    for (const std::size_t bytes : {8u, 3000u}) {
        std::vector<char> buffer(bytes, 'a');
        if (rank() == 0) {
            std::vector<char> in(bytes);
            std::vector<char> other(bytes, 'o');
            REQUIRE_OK(fmpl_irecv(in.data(), bytes, 1, 2, FMPL_COMM_WORLD));
            EXPECT_FAILS(FMPL_ERR_BUSY, fmpl_irecv(other.data(), bytes, 1, 2, FMPL_COMM_WORLD), "fmpl_irecv", "rank 0",
                "2", "fmpl_irecv_wait");
            EXPECT_FAILS(
                FMPL_ERR_BUSY, fmpl_recv(other.data(), bytes, 1, 2, FMPL_COMM_WORLD), "fmpl_recv", "rank 0", "2");
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_irecv_wait(1, 2, FMPL_COMM_WORLD));
            EXPECT_EQ(in, buffer);
            EXPECT_EQ(other, std::vector<char>(bytes, 'o'));
        } else {
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_send(buffer.data(), bytes, 0, 2, FMPL_COMM_WORLD));
        }
    }
}

FMPL_RANKS_TEST_AT(Nonblocking, AWaitWithoutARequestIsRefused, ({1, 2}))
{
    const fmpl::Session session(4);
    const int peer = size() - 1 - rank();
    const std::string me = "rank " + std::to_string(rank());
    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_isend_wait(peer, 1, FMPL_COMM_WORLD), "fmpl_isend_wait", me, "1");
    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_irecv_wait(peer, 1, FMPL_COMM_WORLD), "fmpl_irecv_wait", me, "1");
    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_irecv_wait(peer, FMPL_ANY_TAG, FMPL_COMM_WORLD), "fmpl_irecv_wait", me);

    int out = 7;
    int in = 0;
    REQUIRE_OK(fmpl_irecv(&in, sizeof in, peer, 1, FMPL_COMM_WORLD));
    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_irecv_wait(peer, 2, FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_isend(&out, sizeof out, peer, 1, FMPL_COMM_WORLD));
    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_isend_wait(peer, 2, FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_irecv_wait(peer, 1, FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_isend_wait(peer, 1, FMPL_COMM_WORLD));
    EXPECT_EQ(in, 7);
    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_irecv_wait(peer, 1, FMPL_COMM_WORLD));
    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_isend_wait(peer, 1, FMPL_COMM_WORLD));
    // A blocking call leaves nothing to wait for.
    REQUIRE_OK(fmpl_send(&out, sizeof out, peer, 3, FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_recv(&in, sizeof in, peer, 3, FMPL_COMM_WORLD));
    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_isend_wait(peer, 3, FMPL_COMM_WORLD));
    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_irecv_wait(peer, 3, FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_AT(Nonblocking, ThePapersNameIssendIsTheSameCall, ({2}))
{
    const fmpl::Session session(2);
    for (const std::size_t bytes : {8u, 5000u}) {
        GuardedBuffer buffer(Place::heap, bytes);
        if (rank() == 0) {
            buffer.fill(message_key(bytes));
            REQUIRE_OK(fmpl_issend(buffer.data(), bytes, 1, 1, FMPL_COMM_WORLD));
            EXPECT_FAILS(FMPL_ERR_BUSY, fmpl_isend(buffer.data(), bytes, 1, 1, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_issend_wait(1, 1, FMPL_COMM_WORLD));
            EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_issend_wait(1, 1, FMPL_COMM_WORLD));
        } else {
            REQUIRE_OK(fmpl_recv(buffer.data(), bytes, 0, 1, FMPL_COMM_WORLD));
            EXPECT_TRUE(buffer.holds(message_key(bytes)));
        }
    }
}

FMPL_RANKS_TEST_AT(Nonblocking, TheSendBufferMayBeModifiedAfterTheWait, ({2}))
{
    const fmpl::Session session(1);
    for (const Place place : kPlaces) {
        for (const std::size_t bytes : kSizes) {
            GuardedBuffer buffer(place, bytes);
            if (rank() == 0) {
                buffer.fill(message_key(bytes));
                REQUIRE_OK(fmpl_isend(buffer.data(), bytes, 1, 0, FMPL_COMM_WORLD));
                REQUIRE_OK(fmpl_isend_wait(1, 0, FMPL_COMM_WORLD));
                buffer.fill_byte(0xFF);
            } else {
                REQUIRE_OK(fmpl_recv(buffer.data(), bytes, 0, 0, FMPL_COMM_WORLD));
                EXPECT_TRUE(buffer.holds(message_key(bytes))) << bytes << " bytes";
            }
        }
    }
}

// Whoever comes second moves the data: between mapped ranks a message in remote-DMA memory needs no call of the rank
// that came first, which here waits for a flag outside FMPL.
FMPL_RANKS_TEST_WITH(Nonblocking, AMessageInRemoteDmaMemoryNeedsNoCallOfTheRankThatCameFirst,
    RanksOptions{.ranks = {2}, .unmapped = false})
{
    const fmpl::Session session(2);
    auto flags = shared_words();
    std::uint64_t turn = 0;
    for (const std::size_t bytes : {8u, 72u, 73u, 4096u, 65536u, 3145728u}) {
        ++turn;
        GuardedBuffer buffer(Place::rdma, bytes);
        if (rank() == 0) {
            buffer.fill(message_key(bytes));
            REQUIRE_OK(fmpl_isend(buffer.data(), bytes, 1, 0, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            wait_until([&] { return flags[0] == turn; }, "the receive, which must not need the sender");
            REQUIRE_OK(fmpl_isend_wait(1, 0, FMPL_COMM_WORLD));

            GuardedBuffer in(Place::rdma, bytes);
            REQUIRE_OK(fmpl_irecv(in.data(), bytes, 1, 1, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            wait_until([&] { return flags[1] == turn; }, "the send, which must not need the receiver");
            REQUIRE_OK(fmpl_irecv_wait(1, 1, FMPL_COMM_WORLD));
            EXPECT_TRUE(in.holds(message_key(bytes)));
        } else {
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_recv(buffer.data(), bytes, 0, 0, FMPL_COMM_WORLD));
            EXPECT_TRUE(buffer.holds(message_key(bytes)));
            flags[0] = turn;
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_send(buffer.data(), bytes, 0, 1, FMPL_COMM_WORLD));
            flags[1] = turn;
        }
    }
}

// A rank that waits inside FMPL, in whatever call, serves the transfers of its outstanding messages.
FMPL_RANKS_TEST_AT(Nonblocking, OutstandingMessagesProgressInsideOtherWaits, ({2, 4}))
{
    const fmpl::Session session(4);
    const int peer = rank() ^ 1;
    for (const Place place : kPlaces) {
        constexpr std::size_t kBytes = 300000;
        GuardedBuffer buffer(place, kBytes);
        if (rank() % 2 == 0) {
            buffer.fill(message_key(kBytes));
            REQUIRE_OK(fmpl_isend(buffer.data(), kBytes, peer, 0, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_recv(nullptr, 0, peer, 1, FMPL_COMM_WORLD));  // comes after the other side has all
            REQUIRE_OK(fmpl_isend_wait(peer, 0, FMPL_COMM_WORLD));

            REQUIRE_OK(fmpl_isend(buffer.data(), kBytes, peer, 0, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));  // completes after the other side has all
            REQUIRE_OK(fmpl_isend_wait(peer, 0, FMPL_COMM_WORLD));

            GuardedBuffer in(place, kBytes);
            REQUIRE_OK(fmpl_irecv(in.data(), kBytes, peer, 2, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));  // the other side sends before it enters the barrier
            REQUIRE_OK(fmpl_irecv_wait(peer, 2, FMPL_COMM_WORLD));
            EXPECT_TRUE(in.holds(message_key(kBytes)));

            REQUIRE_OK(fmpl_irecv(in.data(), kBytes, peer, 2, FMPL_COMM_WORLD));
            int word = 0;
            REQUIRE_OK(fmpl_recv_any(&word, sizeof word, 9, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_irecv_wait(peer, 2, FMPL_COMM_WORLD));
        } else {
            REQUIRE_OK(fmpl_recv(buffer.data(), kBytes, peer, 0, FMPL_COMM_WORLD));
            EXPECT_TRUE(buffer.holds(message_key(kBytes)));
            REQUIRE_OK(fmpl_send(nullptr, 0, peer, 1, FMPL_COMM_WORLD));

            REQUIRE_OK(fmpl_recv(buffer.data(), kBytes, peer, 0, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));

            REQUIRE_OK(fmpl_send(buffer.data(), kBytes, peer, 2, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));

            REQUIRE_OK(fmpl_send(buffer.data(), kBytes, peer, 2, FMPL_COMM_WORLD));
            const int word = 1;
            REQUIRE_OK(fmpl_send_any(&word, sizeof word, peer, 9, FMPL_COMM_WORLD));
        }
    }
}

// More ranks than CPUs: a rank that kept its CPU while it polls would make of each hop below some milliseconds, and
// of the test minutes.
FMPL_RANKS_TEST_AT(Nonblocking, ANumberGoesAroundRanksThatTest, ({3, 8}))
{
    const fmpl::Session session(1);
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    constexpr int kRounds = 2000;
    for (int round = 0; round < kRounds; ++round) {
        int number = -1;
        const auto pass_on = [&](int value) {
            REQUIRE_OK(fmpl_isend(&value, sizeof value, to, 0, FMPL_COMM_WORLD));
            for (int done = 0; done == 0;) REQUIRE_OK(fmpl_isend_test(to, 0, FMPL_COMM_WORLD, &done));
        };
        if (rank() == 0) pass_on(round);
        REQUIRE_OK(fmpl_irecv(&number, sizeof number, from, 0, FMPL_COMM_WORLD));
        for (int done = 0; done == 0;) REQUIRE_OK(fmpl_irecv_test(from, 0, FMPL_COMM_WORLD, &done));
        EXPECT_EQ(number, round);
        if (rank() != 0) pass_on(number);
    }
}

FMPL_RANKS_TEST_AT(Nonblocking, ReceivedTellsOfTheLastCompletedReceive, ({3}))
{
    const fmpl::Session session(4);
    if (rank() == 0) {
        char a[20];
        char b[20];
        REQUIRE_OK(fmpl_irecv(a, sizeof a, 1, 3, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_irecv(b, sizeof b, 2, 2, FMPL_COMM_WORLD));
        int source = 0;
        int index = 0;
        std::size_t bytes = 0;
        REQUIRE_OK(fmpl_irecv_wait(2, 2, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_received(&source, &index, &bytes));
        EXPECT_EQ(source, 2);
        EXPECT_EQ(index, 2);
        EXPECT_EQ(bytes, 12u);
        REQUIRE_OK(fmpl_irecv_wait(1, 3, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_received(&source, &index, &bytes));
        EXPECT_EQ(source, 1);
        EXPECT_EQ(index, 3);
        EXPECT_EQ(bytes, 11u);
        // Any of the pointers may be null, and asking changes nothing.
        EXPECT_OK(fmpl_received(nullptr, nullptr, nullptr));
        EXPECT_OK(fmpl_received(nullptr, &index, nullptr));
        EXPECT_EQ(index, 3);
    } else {
        const char text[20] = "text";
        REQUIRE_OK(fmpl_send(text, 10 + std::size_t(rank()), 0, 4 - rank(), FMPL_COMM_WORLD));
    }
}

// A receive is posted from fmpl_irecv on, however small its buffer: the send of a longer message returns, and the order
// in which the receiver waits for things is its own affair.
FMPL_RANKS_TEST_AT(Nonblocking, ATooLongMessageDoesNotHoldUpItsSender, ({2}))
{
    const fmpl::Session session(2);
    for (const Place out_place : kPlaces) {
        for (const Place in_place : kPlaces) {
            for (const std::size_t room : {0u, 8u, 72u, 73u, 3000u}) {
                GuardedBuffer out(out_place, room + 1);
                if (rank() == 0) {
                    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_send(out.data(), out.size(), 1, 0, FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_send(nullptr, 0, 1, 1, FMPL_COMM_WORLD));
                } else {
                    GuardedBuffer in(in_place, room);
                    in.fill_byte(5);
                    REQUIRE_OK(fmpl_irecv(in.data(), room, 0, 0, FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_recv(nullptr, 0, 0, 1, FMPL_COMM_WORLD));  // sent after the long one
                    EXPECT_FAILS(FMPL_ERR_TRUNCATED, fmpl_irecv_wait(0, 0, FMPL_COMM_WORLD), std::to_string(room + 1));
                    EXPECT_TRUE(in.is_all(5));
                }
            }
        }
    }
}

}  // namespace
