// fmpl_isend_test and fmpl_irecv_test: nonblocking calls that are asked whether they are complete.
#include "../support/guarded_buffer.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <stdexcept>
#include <vector>

namespace {

using namespace fmpl_test;

// By a loop of tests alone, or by tests within a wait.
enum class Manner { loop, wait };

void complete(Manner manner, const std::function<bool()>& test)
{
    if (manner == Manner::loop) {
        while (!test()) {
        }
        return;
    }
    REQUIRE_OK(
        fmpl_wait_until([](void* context) { return (*static_cast<const std::function<bool()>*>(context))() ? 1 : 0; },
            const_cast<std::function<bool()>*>(&test), nullptr));
}

void complete_send(Manner manner, int dst, int mai)
{
    complete(manner, [&] {
        int done = -1;
        REQUIRE_OK(fmpl_isend_test(dst, mai, FMPL_COMM_WORLD, &done));
        return done == 1;
    });
    int done = -1;
    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_isend_test(dst, mai, FMPL_COMM_WORLD, &done), "fmpl_isend");
    EXPECT_EQ(done, 0);
}

void complete_receive(Manner manner, int src, int mai, int expected = FMPL_SUCCESS)
{
    complete(manner, [&] {
        int done = -1;
        const int code = fmpl_irecv_test(src, mai, FMPL_COMM_WORLD, &done);
        EXPECT_EQ(code, done == 1 ? expected : FMPL_SUCCESS) << fmpl_error_message();
        return done == 1 || code != FMPL_SUCCESS;
    });
    int done = -1;
    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_irecv_test(src, mai, FMPL_COMM_WORLD, &done), "fmpl_irecv");
    EXPECT_EQ(done, 0);
}

// Lane, inline, offered, held, shared and piped, as places and sizes make them; the send first, the receive first, or
// as it happens.
void every_way(Manner manner)
{
    const fmpl::Session session(4);
    const int peer = rank() ^ 1;
    if (peer >= size()) {
        constexpr int kBarriers = 3 * 2 * 2 * 8 * 2;  // of the loop below
        for (int k = 0; k < kBarriers; ++k) REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        return;
    }
    constexpr std::size_t kMessageSizes[] = {0, 8, 40, kInlineLimit, kInlineLimit + 1, 5000, 100000, 3 * kMiB};
    for (const int first : {0, 1, 2}) {  // 0: the sends, 1: the receives, 2: neither
        for (const Place out_place : kPlaces) {
            for (const Place in_place : kPlaces) {
                for (const std::size_t bytes : kMessageSizes) {
                    GuardedBuffer out(out_place, bytes);
                    GuardedBuffer in(in_place, bytes + 5);
                    out.fill(message_key(bytes, static_cast<std::uint64_t>(rank())));
                    in.fill_byte(0x55);
                    const auto send = [&] { REQUIRE_OK(fmpl_isend(out.data(), bytes, peer, 1, FMPL_COMM_WORLD)); };
                    const auto receive = [&] {
                        REQUIRE_OK(fmpl_irecv(in.data(), in.size(), peer, 1, FMPL_COMM_WORLD));
                    };
                    if (first == 0) send();
                    if (first == 1) receive();
                    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                    if (first != 1) receive();
                    if (first != 0) send();
                    complete_receive(manner, peer, 1);
                    complete_send(manner, peer, 1);
                    EXPECT_TRUE(in.holds(message_key(bytes, static_cast<std::uint64_t>(peer)), bytes, 0x55));
                    std::size_t received = 0;
                    REQUIRE_OK(fmpl_received(nullptr, nullptr, &received));
                    EXPECT_EQ(received, bytes);
                    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                }
            }
        }
    }
}

FMPL_RANKS_TEST_AT(RequestCompletion, ALoopOfTestsFinishesEveryWay, ({2, 3, 4}))
{
    every_way(Manner::loop);
}

FMPL_RANKS_TEST_AT(RequestCompletion, TestsWithinAWaitFinishEveryWay, ({2, 4}))
{
    every_way(Manner::wait);
}

FMPL_RANKS_TEST_WITH(RequestCompletion, TestsFinishEveryWayWithoutCopiesByTheKernel,
    (RanksOptions{.ranks = {2}, .environment = {{"FMPL_PRIVATE_COPY", "staged"}}}))
{
    every_way(Manner::loop);
}

FMPL_RANKS_TEST_AT(RequestCompletion, ATestIsNotDoneBeforeTheOtherSideActs, ({2}))
{
    const fmpl::Session session(2);
    std::vector<char> data(2 * kMiB);
    const bool sends = rank() == 0;
    for (int k = 0; k < 1000; ++k) {
        if (k == 0 && sends) REQUIRE_OK(fmpl_isend(data.data(), data.size(), 1, 0, FMPL_COMM_WORLD));
        if (k == 0 && !sends) REQUIRE_OK(fmpl_irecv(data.data(), data.size(), 0, 1, FMPL_COMM_WORLD));
        int done = -1;
        REQUIRE_OK(
            sends ? fmpl_isend_test(1, 0, FMPL_COMM_WORLD, &done) : fmpl_irecv_test(0, 1, FMPL_COMM_WORLD, &done));
        EXPECT_EQ(done, 0);
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    std::vector<char> other(2 * kMiB);
    if (sends) {
        REQUIRE_OK(fmpl_isend(other.data(), other.size(), 1, 1, FMPL_COMM_WORLD));
        complete_send(Manner::loop, 1, 1);
        complete_send(Manner::loop, 1, 0);
    } else {
        complete_receive(Manner::loop, 0, 1);
        REQUIRE_OK(fmpl_recv(other.data(), other.size(), 0, 0, FMPL_COMM_WORLD));
    }
}

FMPL_RANKS_TEST_AT(RequestCompletion, ATruncatedMessageIsDoneAndLeavesTheBufferAlone, ({2}))
{
    const fmpl::Session session(2);
    for (const std::size_t bytes : {std::size_t{9}, kInlineLimit + 1, std::size_t{100000}}) {
        for (const Place out_place : kPlaces) {
            for (const Place in_place : kPlaces) {
                if (rank() == 0) {
                    GuardedBuffer out(out_place, bytes);
                    REQUIRE_OK(fmpl_isend(out.data(), bytes, 1, 0, FMPL_COMM_WORLD));
                    complete_send(Manner::loop, 1, 0);
                } else {
                    GuardedBuffer in(in_place, bytes - 1);
                    in.fill_byte(0x33);
                    REQUIRE_OK(fmpl_irecv(in.data(), in.size(), 0, 0, FMPL_COMM_WORLD));
                    complete_receive(Manner::loop, 0, 0, FMPL_ERR_TRUNCATED);
                    EXPECT_TRUE(in.is_all(0x33));
                    std::size_t received = 0;
                    REQUIRE_OK(fmpl_received(nullptr, nullptr, &received));
                    EXPECT_EQ(received, bytes);
                }
            }
        }
    }
}

// Discarded in every way that the message may come; the next one arrives whole, and the sender completes.
FMPL_RANKS_TEST_AT(RequestCompletion, ADiscardedMessageIsConsumedWithoutAnError, ({2}))
{
    const fmpl::Session session(4);
    for (const Place place : kPlaces) {
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{5000}, std::size_t{3 * kMiB}}) {
            for (const bool send_first : {true, false}) {
                GuardedBuffer buffer(place, bytes);
                if (rank() == 0) {
                    buffer.fill(message_key(bytes, 1));
                    if (!send_first) REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_isend(buffer.data(), bytes, 1, 1, FMPL_COMM_WORLD));
                    if (send_first) REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                    complete_send(Manner::wait, 1, 1);
                    REQUIRE_OK(fmpl_send(buffer.data(), bytes, 1, 1, FMPL_COMM_WORLD));
                } else {
                    buffer.fill_byte(0x55);
                    if (send_first) REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_irecv_discard(0, 1, FMPL_COMM_WORLD));
                    if (!send_first) REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                    complete_receive(Manner::wait, 0, 1);
                    REQUIRE_OK(fmpl_recv(buffer.data(), bytes, 0, 1, FMPL_COMM_WORLD));
                    EXPECT_TRUE(buffer.holds(message_key(bytes, 1)));
                }
            }
        }
    }
}

// Rank 0 sends only when it knows of the receive, which may have been taken back and posted anew in another buffer.
FMPL_RANKS_TEST_AT(RequestCompletion, AReceiveAheadCanBeTakenBack, ({2}))
{
    const fmpl::Session session(4);
    for (const Place place : kPlaces) {
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{5000}, std::size_t{3 * kMiB}}) {
            for (int withdrawn = 0; withdrawn < 3; ++withdrawn) {
                if (rank() == 0) {
                    GuardedBuffer buffer(place, bytes);
                    buffer.fill(message_key(bytes, 1));
                    REQUIRE_OK(fmpl_recv(nullptr, 0, 1, 0, FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_send(buffer.data(), bytes, 1, 1, FMPL_COMM_WORLD));
                } else {
                    for (int k = 0; k < withdrawn; ++k) {
                        GuardedBuffer other(place, bytes);
                        REQUIRE_OK(fmpl_irecv_ahead(other.data(), bytes, 0, 1, FMPL_COMM_WORLD));
                        REQUIRE_OK(fmpl_irecv_withdraw(0, 1, FMPL_COMM_WORLD));
                    }
                    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_irecv_withdraw(0, 1, FMPL_COMM_WORLD), "fmpl_irecv");
                    GuardedBuffer buffer(place, bytes);
                    REQUIRE_OK(fmpl_irecv_ahead(buffer.data(), bytes, 0, 1, FMPL_COMM_WORLD));
                    REQUIRE_OK(fmpl_send(nullptr, 0, 0, 0, FMPL_COMM_WORLD));
                    complete_receive(withdrawn == 1 ? Manner::wait : Manner::loop, 0, 1);
                    EXPECT_TRUE(buffer.holds(message_key(bytes, 1)));
                }
            }
        }
    }
}

FMPL_RANKS_TEST_AT(RequestCompletion, AReceiveWhoseMessageHasComeIsNotTakenBack, ({2}))
{
    const fmpl::Session session(4);
    for (const Place place : kPlaces) {
        for (const std::size_t bytes : {std::size_t{8}, std::size_t{5000}, std::size_t{3 * kMiB}}) {
            GuardedBuffer buffer(place, bytes);
            if (rank() == 0) {
                buffer.fill(message_key(bytes, 1));
                REQUIRE_OK(fmpl_isend(buffer.data(), bytes, 1, 1, FMPL_COMM_WORLD));
                REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                complete_send(Manner::wait, 1, 1);
            } else {
                REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
                REQUIRE_OK(fmpl_irecv_ahead(buffer.data(), bytes, 0, 1, FMPL_COMM_WORLD));
                EXPECT_FAILS(FMPL_ERR_BUSY, fmpl_irecv_withdraw(0, 1, FMPL_COMM_WORLD), "has come", "index 1");
                complete_receive(Manner::wait, 0, 1);
                EXPECT_TRUE(buffer.holds(message_key(bytes, 1)));
            }
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));  // it has been received: the next one is announced at once
        }
    }
    GuardedBuffer buffer(Place::heap, 8);
    REQUIRE_OK(fmpl_irecv(buffer.data(), 8, 1 - rank(), 2, FMPL_COMM_WORLD));
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_irecv_withdraw(1 - rank(), 2, FMPL_COMM_WORLD), "fmpl_irecv_ahead", "index 2");
    REQUIRE_OK(fmpl_send("1234567", 8, 1 - rank(), 2, FMPL_COMM_WORLD));
    complete_receive(Manner::wait, 1 - rank(), 2);
}

FMPL_RANKS_TEST_AT(RequestCompletion, AReceiveWithAnyIndexCanBeTested, ({2}))
{
    const fmpl::Session session(8);
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{100}, std::size_t{70000}}) {
        for (const int index : {5, 2, 7}) {
            GuardedBuffer buffer(Place::heap, bytes);
            if (rank() == 0) {
                buffer.fill(message_key(static_cast<std::uint64_t>(index)));
                REQUIRE_OK(fmpl_isend(buffer.data(), bytes, 1, index, FMPL_COMM_WORLD));
                complete_send(Manner::loop, 1, index);
            } else {
                REQUIRE_OK(fmpl_irecv(buffer.data(), bytes, 0, FMPL_ANY_TAG, FMPL_COMM_WORLD));
                complete_receive(Manner::loop, 0, FMPL_ANY_TAG);
                EXPECT_TRUE(buffer.holds(message_key(static_cast<std::uint64_t>(index))));
                int found = -1;
                REQUIRE_OK(fmpl_received(nullptr, &found, nullptr));
                EXPECT_EQ(found, index);
            }
        }
    }
}

// Each rank tests one call alone, while the other's needs another transfer of this rank to go on.
FMPL_RANKS_TEST_WITH(RequestCompletion, TestsOfOneCallMakeTheOthersProgress,
    (RanksOptions{.ranks = {2}, .environment = {{"FMPL_PRIVATE_COPY", "staged"}}}))
{
    const fmpl::Session session(2);
    const int peer = 1 - rank();
    GuardedBuffer out(Place::heap, 3 * kMiB), in(Place::heap, 3 * kMiB);
    out.fill(message_key(1, static_cast<std::uint64_t>(rank())));
    REQUIRE_OK(fmpl_irecv(in.data(), in.size(), peer, 0, FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_isend(out.data(), out.size(), peer, 0, FMPL_COMM_WORLD));
    // Rank 0 tests its receive alone, rank 1 its send alone: that needs rank 0's receive; the other needs rank 1's
    // send.
    if (rank() == 0) {
        complete_receive(Manner::loop, peer, 0);
        complete_send(Manner::loop, peer, 0);
    } else {
        complete_send(Manner::loop, peer, 0);
        complete_receive(Manner::loop, peer, 0);
    }
    EXPECT_TRUE(in.holds(message_key(1, static_cast<std::uint64_t>(peer))));
}

FMPL_RANKS_TEST(RequestCompletion, WrongCallsAreRefusedInWords)
{
    const fmpl::Session session(2);
    int done = -1;
    EXPECT_FAILS(FMPL_ERR_RANK, fmpl_isend_test(size(), 0, FMPL_COMM_WORLD, &done), "dst", std::to_string(size()));
    EXPECT_FAILS(FMPL_ERR_RANK, fmpl_irecv_test(-1, 0, FMPL_COMM_WORLD, &done), "src", "-1");
    EXPECT_FAILS(FMPL_ERR_INDEX, fmpl_isend_test(0, 2, FMPL_COMM_WORLD, &done), "index 2");
    EXPECT_FAILS(FMPL_ERR_INDEX, fmpl_isend_test(0, FMPL_ANY_TAG, FMPL_COMM_WORLD, &done), "index");
    EXPECT_FAILS(FMPL_ERR_COMM, fmpl_irecv_test(0, 0, 4711, &done), "4711");
    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_isend_test(0, 1, FMPL_COMM_WORLD, &done), "index 1");
    EXPECT_FAILS(FMPL_ERR_NO_REQUEST, fmpl_irecv_test(0, FMPL_ANY_TAG, FMPL_COMM_WORLD, &done), "FMPL_ANY_TAG");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_isend_test(0, 1, FMPL_COMM_WORLD, nullptr), "done");
    EXPECT_FAILS(FMPL_ERR_ARGUMENT, fmpl_irecv_test(0, 1, FMPL_COMM_WORLD, nullptr), "done");
}

TEST(RequestCompletion, ALoopOfTestsEndsWithTheJob)
{
    std::atomic<int> code{0};
    try {
        fmpl::run_ranks(2, [&](int r) {
            const fmpl::Session session(2);
            EXPECT_EQ(fmpl_barrier(FMPL_COMM_WORLD), FMPL_SUCCESS);
            if (r == 1) throw std::runtime_error("thrown by the test");
            int done = 0, in = 0;
            EXPECT_EQ(fmpl_irecv(&in, sizeof in, 1, 0, FMPL_COMM_WORLD), FMPL_SUCCESS);
            while (code == 0) code = fmpl_irecv_test(1, 0, FMPL_COMM_WORLD, &done);
            throw fmpl::Error(code, "the follow-up of the first exception");
        });
    } catch (const std::exception&) {
    }
    EXPECT_EQ(code, FMPL_ERR_ABORTED);
}

}  // namespace
