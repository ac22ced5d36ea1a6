// fmpl_sendbuf_set and fmpl_sendbuf_check: sends that return before their receives.
#include "../support/guarded_buffer.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using namespace fmpl_test;

// Waits until all messages have left the send buffer; returns how many left it meanwhile.
int drain()
{
    int sent = 0;
    int pending = 1;
    wait_until(
        [&] {
            int now = 0;
            REQUIRE_OK(fmpl_sendbuf_check(&now, &pending));
            sent += now;
            return pending == 0;
        },
        "the send buffer to become empty");
    return sent;
}

// Sends messages of mixed sizes to the next rank before any rank receives, each from a buffer that is overwritten at
// once.
void send_all_then_receive_all(int messages, bool one_channel)
{
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    const auto bytes_of = [](int m) { return kSizes[std::size_t(m) % kSizes.size()] % 40000; };
    for (int m = 0; m < messages; ++m) {
        GuardedBuffer out(kPlaces[m / 2 % 2], bytes_of(m));
        out.fill(message_key(m, rank()));
        REQUIRE_OK(fmpl_send(out.data(), out.size(), to, one_channel ? 0 : m % 3, FMPL_COMM_WORLD));
        out.fill_byte(0xFF);
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    for (int m = 0; m < messages; ++m) {
        GuardedBuffer in(kPlaces[m % 2], bytes_of(m) + 3);
        in.fill_byte(1);
        const int index = one_channel ? 0 : m % 2 == 0 ? FMPL_ANY_TAG : m % 3;
        REQUIRE_OK(fmpl_recv(in.data(), in.size(), from, index, FMPL_COMM_WORLD));
        EXPECT_TRUE(in.holds(message_key(m, from), bytes_of(m), 1)) << "message " << m;
    }
}

FMPL_RANKS_TEST(SendBuffer, WithTimeoutZeroAndNoSizeItTakesHundredsOfMessages)
{
    const fmpl::Session session(4);
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
    send_all_then_receive_all(400, true);
    drain();
    send_all_then_receive_all(200, false);
}

FMPL_RANKS_TEST_AT(SendBuffer, TakesLargeMessagesToo, ({1, 2, 3}))
{
    const fmpl::Session session(2);
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    for (const Place place : kPlaces) {
        for (const std::size_t bytes : {65537u, 1048575u, 1048576u, 1048577u, 3145728u}) {
            GuardedBuffer out(place, bytes);
            out.fill(message_key(bytes, rank()));
            REQUIRE_OK(fmpl_send(out.data(), bytes, to, 1, FMPL_COMM_WORLD));
            out.fill_byte(0);
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        for (const std::size_t bytes : {65537u, 1048575u, 1048576u, 1048577u, 3145728u}) {
            GuardedBuffer in(place, bytes);
            REQUIRE_OK(fmpl_recv(in.data(), bytes, from, 1, FMPL_COMM_WORLD));
            EXPECT_TRUE(in.holds(message_key(bytes, from)));
        }
    }
}

FMPL_RANKS_TEST_AT(SendBuffer, AUsersBufferServesInAndOutOfRemoteDmaMemory, ({2, 3}))
{
    constexpr std::size_t kBytes = kMiB;
    // Allocated before fmpl_init and given back by fmpl_finalize, as the contract allows.
    void* in_arena = fmpl_malloc(kBytes);
    EXPECT_NE(in_arena, nullptr) << fmpl_error_message();
    std::vector<char> in_heap(kBytes);
    const fmpl::Session session(4);
    for (void* buffer : {in_arena, static_cast<void*>(in_heap.data())}) {
        REQUIRE_OK(fmpl_sendbuf_set(buffer, kBytes, 0));
        for (const bool one_channel : {true, false}) {
            send_all_then_receive_all(60, one_channel);
            drain();
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        }
    }
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, -1));
}

FMPL_RANKS_TEST_AT(SendBuffer, AFullBufferDelaysTheSenderAndLosesNothing, ({2, 3}))
{
    constexpr int kMessages = 200;
    constexpr std::size_t capacity = 20000;
    std::vector<char> heap(capacity);
    const fmpl::Session session(4);
    // The last rank only receives, the others send first: what they cannot spool waits for the receiver.
    for (const bool own : {true, false}) {
        REQUIRE_OK(fmpl_sendbuf_set(own ? nullptr : heap.data(), capacity, 0));
        const int last = size() - 1;
        const auto bytes_of = [](int m) { return std::size_t(m % 9 == 8 ? 50000 : 200 + m * 17 % 5000); };
        if (rank() != last) {
            for (int m = 0; m < kMessages; ++m) {
                GuardedBuffer out(kPlaces[m % 2], bytes_of(m));
                out.fill(message_key(m, rank()));
                REQUIRE_OK(fmpl_send(out.data(), out.size(), last, m % 2, FMPL_COMM_WORLD));
                out.fill_byte(0);
            }
            drain();
        } else {
            for (int m = 0; m < kMessages; ++m) {
                for (int source = 0; source < last; ++source) {
                    GuardedBuffer in(kPlaces[m / 2 % 2], bytes_of(m));
                    REQUIRE_OK(fmpl_recv(in.data(), in.size(), source, m % 2, FMPL_COMM_WORLD));
                    EXPECT_TRUE(in.holds(message_key(m, source))) << "message " << m << " from rank " << source;
                }
            }
        }
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    }
}

// Words go around the ranks; each looks until the next one has taken those that the buffer has got, for which that
// perhaps waits for the same CPU. A rank that kept it would have it for some milliseconds.
FMPL_RANKS_TEST_AT(SendBuffer, RanksThatCheckLetTheReceiversRun, ({3, 8}))
{
    const fmpl::Session session(4);
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    constexpr int kRounds = 100;
    constexpr int kWords = 8;  // of which the first may go past the buffer
    const int from = (rank() + size() - 1) % size();
    const int to = (rank() + 1) % size();
    const auto receive = [&](int round) {
        for (int expected = 0; expected < kWords; ++expected) {
            int word = -1;
            REQUIRE_OK(fmpl_recv(&word, sizeof word, from, 0, FMPL_COMM_WORLD));
            EXPECT_EQ(word, round * kWords + expected);
        }
    };
    const auto began = std::chrono::steady_clock::now();
    for (int round = 0; round < kRounds; ++round) {
        if (rank() > 0) receive(round);
        for (int i = 0; i < kWords; ++i) {
            const int word = round * kWords + i;
            REQUIRE_OK(fmpl_send(&word, sizeof word, to, 0, FMPL_COMM_WORLD));
        }
        // The last rank's go to rank 0, which takes them when its own have gone.
        for (int pending = to == 0 ? 0 : 1; pending > 0;) REQUIRE_OK(fmpl_sendbuf_check(nullptr, &pending));
        if (rank() == 0) receive(round);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(700)) << kRounds << " rounds";
}

FMPL_RANKS_TEST_AT(SendBuffer, TheCheckCountsMessagesInAndOut, ({2}))
{
    const fmpl::Session session(4);
    int sent = -1;
    int pending = -1;
    EXPECT_OK(fmpl_sendbuf_check(&sent, &pending));  // without a send buffer: nothing in it
    EXPECT_EQ(sent, 0);
    EXPECT_EQ(pending, 0);
    if (rank() == 0) {
        REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
        const std::vector<char> message(3000, 'm');
        for (int m = 0; m < 10; ++m) REQUIRE_OK(fmpl_send(message.data(), message.size(), 1, m % 4, FMPL_COMM_WORLD));
        EXPECT_OK(fmpl_sendbuf_check(&sent, &pending));
        EXPECT_EQ(sent, 0);
        EXPECT_EQ(pending, 10);
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));  // then rank 1 takes 4 messages
        REQUIRE_OK(fmpl_recv(nullptr, 0, 1, 0, FMPL_COMM_WORLD));
        int left = 0;
        wait_until(
            [&] {
                REQUIRE_OK(fmpl_sendbuf_check(&sent, &pending));
                left += sent;
                return left == 4;
            },
            "the count of 4 messages");
        EXPECT_EQ(pending, 6);
        EXPECT_OK(fmpl_sendbuf_check(nullptr, nullptr));
        EXPECT_OK(fmpl_sendbuf_check(nullptr, &pending));
        EXPECT_EQ(pending, 6);
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        EXPECT_EQ(drain(), 6);
        EXPECT_OK(fmpl_sendbuf_check(&sent, &pending));
        EXPECT_EQ(sent, 0);
        EXPECT_EQ(pending, 0);
        // A message whose receive is there, in memory that the sender can reach, does not pass through the buffer.
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_send(message.data(), message.size(), 1, 0, FMPL_COMM_WORLD));
        EXPECT_OK(fmpl_sendbuf_check(&sent, &pending));
        EXPECT_EQ(sent, 0);
        EXPECT_EQ(pending, 0);
    } else {
        std::vector<char> in(3000);
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        for (int m = 0; m < 4; ++m) REQUIRE_OK(fmpl_recv(in.data(), in.size(), 0, m, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_send(nullptr, 0, 0, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        for (int m = 4; m < 10; ++m) REQUIRE_OK(fmpl_recv(in.data(), in.size(), 0, m % 4, FMPL_COMM_WORLD));
        fmpl::Vector<char> reachable(3000);
        REQUIRE_OK(fmpl_irecv(reachable.data(), reachable.size(), 0, 0, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_irecv_wait(0, 0, FMPL_COMM_WORLD));
    }
}

FMPL_RANKS_TEST_AT(SendBuffer, MayNotBeReplacedWhileMessagesLieInIt, ({2}))
{
    const fmpl::Session session(4);
    if (rank() == 0) {
        std::vector<char> first(50000);
        std::vector<char> second(50000);
        const std::vector<char> message(3000, 'm');
        REQUIRE_OK(fmpl_sendbuf_set(first.data(), first.size(), 0));
        REQUIRE_OK(fmpl_send(message.data(), message.size(), 1, 1, FMPL_COMM_WORLD));
        EXPECT_FAILS(
            FMPL_ERR_BUSY, fmpl_sendbuf_set(second.data(), second.size(), 0), "fmpl_sendbuf_set", "rank 0", "1");
        EXPECT_FAILS(FMPL_ERR_BUSY, fmpl_sendbuf_set(nullptr, 0, -1), "fmpl_sendbuf_set");
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        drain();
        EXPECT_OK(fmpl_sendbuf_set(second.data(), second.size(), 0));
        first.assign(first.size(), 'x');  // the caller's again
        REQUIRE_OK(fmpl_send(message.data(), message.size(), 1, 1, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        drain();
        EXPECT_OK(fmpl_sendbuf_set(nullptr, 0, -1));
        // Without a send buffer: the receiver must be there.
        REQUIRE_OK(fmpl_send(message.data(), message.size(), 1, 1, FMPL_COMM_WORLD));
    } else {
        std::vector<char> in(3000);
        for (int round = 0; round < 2; ++round) {
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_recv(in.data(), in.size(), 0, 1, FMPL_COMM_WORLD));
            EXPECT_EQ(in, std::vector<char>(3000, 'm'));
        }
        REQUIRE_OK(fmpl_recv(in.data(), in.size(), 0, 1, FMPL_COMM_WORLD));
        EXPECT_EQ(in, std::vector<char>(3000, 'm'));
    }
}

FMPL_RANKS_TEST_AT(SendBuffer, APositiveTimeoutIsWaitedFor, ({2}))
{
    const fmpl::Session session(4);
    constexpr int kTimeoutMs = 5;
    if (rank() == 0) {
        REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, kTimeoutMs));
        GuardedBuffer out(Place::rdma, 9000);
        out.fill(message_key(1));
        const auto start = std::chrono::steady_clock::now();
        REQUIRE_OK(fmpl_send(out.data(), out.size(), 1, 1, FMPL_COMM_WORLD));
        // At least the time-out: no receive is posted before the barrier.
        EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(kTimeoutMs));
        out.fill_byte(0);
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    } else {
        GuardedBuffer in(Place::heap, 9000);
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_recv(in.data(), in.size(), 0, 1, FMPL_COMM_WORLD));
        EXPECT_TRUE(in.holds(message_key(1)));
    }
}

// Whoever posts a receive whose buffer nobody can write to, and computes, is not waited for.
FMPL_RANKS_TEST_WITH(SendBuffer, AReceiveThatCannotBeServedEndsTheWait,
    (RanksOptions{.ranks = {2}, .environment = {{"FMPL_PRIVATE_COPY", "staged"}}}))
{
    const fmpl::Session session(4);
    if (rank() == 0) REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 30'000));
    std::size_t next = 0;
    // In private memory, and a block of columns in remote-DMA memory.
    constexpr std::size_t kColumn = 512;
    constexpr std::size_t kStride = 600;
    constexpr std::size_t kBlock = 80 * kColumn;
    for (const std::size_t bytes : {std::size_t{1000}, std::size_t{100000}, kBlock}) {
        std::atomic<std::uint64_t>& sent = shared_words()[next++];
        const int index = static_cast<int>(next);  // a channel of its own, which begins with an offer
        if (rank() == 0) {
            GuardedBuffer out(bytes == kBlock ? Place::rdma : Place::heap, bytes / kColumn * kStride + bytes);
            fill_pattern(out.data(), bytes, message_key(bytes));
            // From the last column on, so that none is overwritten before it has moved.
            for (std::size_t j = bytes == kBlock ? bytes / kColumn : 0; j-- > 0;) {
                std::memmove(out.data() + j * kStride, out.data() + j * kColumn, kColumn);
            }
            char posted = 0;
            REQUIRE_OK(fmpl_recv(&posted, 1, 1, 0, FMPL_COMM_WORLD));
            const auto start = std::chrono::steady_clock::now();
            if (bytes == kBlock) {
                const fmpl_columns columns{kColumn, bytes / kColumn, kStride, 0, 0, kColumn, 0};
                REQUIRE_OK(fmpl_send_columns(out.data(), &columns, 1, index, FMPL_COMM_WORLD));
            } else {
                REQUIRE_OK(fmpl_send(out.data(), bytes, 1, index, FMPL_COMM_WORLD));
            }
            EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
            sent = 1;
        } else {
            GuardedBuffer in(Place::heap, bytes);
            REQUIRE_OK(fmpl_irecv(in.data(), bytes, 0, index, FMPL_COMM_WORLD));
            char word = 1;
            REQUIRE_OK(fmpl_send(&word, 1, 0, 0, FMPL_COMM_WORLD));
            wait_until([&] { return sent != 0; }, "the end of the send");
            REQUIRE_OK(fmpl_irecv_wait(0, index, FMPL_COMM_WORLD));
            EXPECT_TRUE(in.holds(message_key(bytes)));
        }
    }
}

FMPL_RANKS_TEST_AT(SendBuffer, ServesNonblockingSendsWhenTheyAreWaitedFor, ({2}))
{
    const fmpl::Session session(4);
    for (const std::size_t bytes : {100u, 9000u, 300000u}) {
        if (rank() == 0) {
            REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
            GuardedBuffer out(Place::heap, bytes);
            out.fill(message_key(bytes));
            REQUIRE_OK(fmpl_isend(out.data(), bytes, 1, 2, FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_isend_wait(1, 2, FMPL_COMM_WORLD));
            out.fill_byte(0);
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            drain();
        } else {
            GuardedBuffer in(Place::heap, bytes);
            REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
            REQUIRE_OK(fmpl_recv(in.data(), bytes, 0, 2, FMPL_COMM_WORLD));
            EXPECT_TRUE(in.holds(message_key(bytes)));
        }
    }
}

FMPL_RANKS_TEST_AT(SendBuffer, ServesTheAnyDomain, ({2, 4}))
{
    const fmpl::Session session(4);
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
    const int to = (rank() + 1) % size();
    constexpr int kMessages = 100;
    const auto bytes_of = [](int m) { return std::size_t(m % 10 == 9 ? 300000 : m * 91); };
    for (int m = 0; m < kMessages; ++m) {
        GuardedBuffer out(kPlaces[m % 2], bytes_of(m));
        out.fill(message_key(m, rank()));
        REQUIRE_OK(fmpl_send_any(out.data(), out.size(), to, m % 4, FMPL_COMM_WORLD));
        out.fill_byte(0);
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    for (int m = 0; m < kMessages; ++m) {
        GuardedBuffer in(kPlaces[m / 2 % 2], bytes_of(m));
        REQUIRE_OK(fmpl_recv_any(in.data(), in.size(), m % 4, FMPL_COMM_WORLD));
        EXPECT_TRUE(in.holds(message_key(m, (rank() + size() - 1) % size()))) << "message " << m;
    }
}

FMPL_RANKS_TEST_AT(SendBuffer, ServesABlockingSendToOneself, ({1, 3}))
{
    const fmpl::Session session(4);
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
    for (const Place place : kPlaces) {
        for (const std::size_t bytes : {0u, 8u, 113u, 5000u, 100000u}) {
            for (int m = 0; m < 5; ++m) {
                GuardedBuffer out(place, bytes);
                out.fill(message_key(bytes, m));
                REQUIRE_OK(fmpl_send(out.data(), bytes, rank(), 1, FMPL_COMM_WORLD));
                out.fill_byte(0);
            }
            for (int m = 0; m < 5; ++m) {
                GuardedBuffer in(place, bytes);
                REQUIRE_OK(fmpl_recv(in.data(), bytes, rank(), m % 2 == 0 ? 1 : FMPL_ANY_TAG, FMPL_COMM_WORLD));
                EXPECT_TRUE(in.holds(message_key(bytes, m))) << bytes << " bytes, message " << m;
            }
        }
    }
}

FMPL_RANKS_TEST(SendBuffer, AllRanksMaySendToAllBeforeAnyReceives)
{
    const fmpl::Session session(2);
    REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
    for (int round = 0; round < 20; ++round) {
        for (int peer = 0; peer < size(); ++peer) {
            std::vector<int> out(std::size_t(100 * round + 5), rank() * 1000 + round);
            REQUIRE_OK(fmpl_send(out.data(), out.size() * sizeof(int), peer, 1, FMPL_COMM_WORLD));
        }
        for (int peer = size() - 1; peer >= 0; --peer) {
            std::vector<int> in(std::size_t(100 * round + 5));
            REQUIRE_OK(fmpl_recv(in.data(), in.size() * sizeof(int), peer, 1, FMPL_COMM_WORLD));
            EXPECT_EQ(in, std::vector<int>(in.size(), peer * 1000 + round));
        }
    }
}

FMPL_RANKS_TEST_AT(SendBuffer, FinalizeDeliversWhatIsReceivedBeforeTheReceiversFinalize, ({2}))
{
    REQUIRE_OK(fmpl_init(nullptr, nullptr, 4));
    if (rank() == 0) {
        REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
        for (const std::size_t bytes : {8u, 300u, 70000u}) {
            std::vector<unsigned char> out(bytes);
            fill_pattern(out.data(), bytes, message_key(bytes));
            REQUIRE_OK(fmpl_send(out.data(), bytes, 1, 2, FMPL_COMM_WORLD));
        }
        shared_words()[0] = 1;
    } else {
        wait_until([] { return shared_words()[0] == 1; }, "the sends");
        for (const std::size_t bytes : {8u, 300u, 70000u}) {
            std::this_thread::yield();
            std::vector<unsigned char> in(bytes);
            REQUIRE_OK(fmpl_recv(in.data(), bytes, 0, 2, FMPL_COMM_WORLD));
            EXPECT_TRUE(has_pattern(in.data(), bytes, message_key(bytes)));
        }
    }
    EXPECT_OK(fmpl_finalize());
}

FMPL_RANKS_TEST_AT(SendBuffer, TruncatedMessagesLeaveItToo, ({2}))
{
    const fmpl::Session session(4);
    if (rank() == 0) {
        REQUIRE_OK(fmpl_sendbuf_set(nullptr, 0, 0));
        std::vector<char> out(9000, 'o');
        REQUIRE_OK(fmpl_send(out.data(), out.size(), 1, 2, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_send(out.data(), 4000, 1, 2, FMPL_COMM_WORLD));
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        EXPECT_EQ(drain(), 2);
    } else {
        std::vector<char> in(4000, 'i');
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        EXPECT_FAILS(FMPL_ERR_TRUNCATED, fmpl_recv(in.data(), in.size(), 0, 2, FMPL_COMM_WORLD), "9000", "4000");
        EXPECT_EQ(in, std::vector<char>(4000, 'i'));
        REQUIRE_OK(fmpl_recv(in.data(), in.size(), 0, 2, FMPL_COMM_WORLD));
        EXPECT_EQ(in, std::vector<char>(4000, 'o'));
    }
}

FMPL_RANKS_TEST_AT(SendBuffer, ASizeWithoutABufferIsALimitOfTheLibrarysOwn, ({2}))
{
    const fmpl::Session session(4);
    if (rank() == 0) {
        REQUIRE_OK(fmpl_sendbuf_set(nullptr, 30000, 0));
        const std::vector<char> out(1000, 'o');
        for (int m = 0; m < 15; ++m) REQUIRE_OK(fmpl_send(out.data(), out.size(), 1, 0, FMPL_COMM_WORLD));
        int pending = 0;
        REQUIRE_OK(fmpl_sendbuf_check(nullptr, &pending));
        EXPECT_EQ(pending, 15);
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        for (int m = 0; m < 100; ++m) REQUIRE_OK(fmpl_send(out.data(), out.size(), 1, 0, FMPL_COMM_WORLD));
    } else {
        REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
        std::vector<char> in(1000);
        for (int m = 0; m < 115; ++m) REQUIRE_OK(fmpl_recv(in.data(), in.size(), 0, 0, FMPL_COMM_WORLD));
        EXPECT_EQ(in, std::vector<char>(1000, 'o'));
    }
}

}  // namespace
