// Messages of 4 to 64 KiB in remote-DMA memory, which the receiver reads where they lie.
#include "job.hpp"
#include "mpi_shim/p2p/require.hpp"
#include "mpi_shim/standard/message.hpp"
#include "support/ranks_test.hpp"

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace {

using mpi_test::Job;
using mpi_test::Message;
using mpi_test::pattern_byte;
using mpi_test::require;

constexpr int kBytes = 8192;
constexpr int kTag = 7;

// Remote-DMA memory.
class Memory {
public:
    explicit Memory(std::size_t bytes)
    {
        require(MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, &at_), "MPI_Alloc_mem");
    }
    ~Memory() { MPI_Free_mem(at_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    unsigned char* data() { return at_; }
    void fill(std::uint64_t key, std::size_t begin, std::size_t bytes)
    {
        for (std::size_t i = 0; i < bytes; ++i) at_[begin + i] = pattern_byte(key, i);
    }

private:
    unsigned char* at_ = nullptr;
};

// However many they are, and in whatever order: FMPL's channels would take sixteen.
FMPL_RANKS_TEST_WITH(
    DirectReading, ComesWithoutAnyCallOfTheSender, fmpl_test::RanksOptions{.ranks = {2}, .unmapped = false})
{
    constexpr int kMessages = 40;
    const Job job;
    std::atomic<std::uint64_t>& received = fmpl_test::shared_words()[0];
    for (int round = 0; round < 3; ++round) {
        if (job.rank == 0) {
            Memory memory(std::size_t{kMessages} * kBytes);
            MPI_Request requests[kMessages];
            for (int m = 0; m < kMessages; ++m) {
                memory.fill(static_cast<std::uint64_t>(m), static_cast<std::size_t>(m) * kBytes, kBytes);
                MPI_Isend(memory.data() + m * kBytes, kBytes, MPI_BYTE, 1, m, MPI_COMM_WORLD, &requests[m]);
            }
            if (round == 0) fmpl_test::wait_until([&] { return received == 1; }, "the receives");
            MPI_Waitall(kMessages, requests, MPI_STATUSES_IGNORE);
        } else {
            for (int m = kMessages - 1; m >= 0; --m) {
                Message message(kBytes);
                MPI_Recv(message.data(), kBytes, MPI_BYTE, 0, m, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                EXPECT_TRUE(message.holds(static_cast<std::uint64_t>(m)));
            }
            if (round == 0) received = 1;
        }
    }
}

FMPL_RANKS_TEST_AT(DirectReading, ShortAndStridedBuffersGetWhatFits, ({2}))
{
    const Job job;
    for (const int bytes : {4097, 8192, 65535}) {
        if (job.rank == 0) {
            Memory memory(static_cast<std::size_t>(bytes));
            memory.fill(1, 0, static_cast<std::size_t>(bytes));
            for (int copy = 0; copy < 2; ++copy) MPI_Send(memory.data(), bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
            continue;
        }
        Message message(static_cast<std::size_t>(bytes));
        MPI_Status status;
        const int code = MPI_Recv(message.data(), bytes - 1000, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &status);
        int error_class = 0;
        MPI_Error_class(code, &error_class);
        EXPECT_EQ(error_class, MPI_ERR_TRUNCATE);
        EXPECT_TRUE(message.begins_with(1, static_cast<std::size_t>(bytes) - 1000));

        MPI_Datatype every_other;
        MPI_Type_vector(bytes, 1, 2, MPI_BYTE, &every_other);
        MPI_Type_commit(&every_other);
        std::vector<unsigned char> spread(2 * static_cast<std::size_t>(bytes), Message::kUntouched);
        MPI_Recv(spread.data(), 1, every_other, 0, kTag, MPI_COMM_WORLD, &status);
        MPI_Type_free(&every_other);
        for (std::size_t i = 0; i < static_cast<std::size_t>(bytes); ++i) {
            if (spread[2 * i] != pattern_byte(1, i) || spread[2 * i + 1] != Message::kUntouched) {
                ADD_FAILURE() << "byte " << i << " of " << bytes;
                break;
            }
        }
    }
}

// Neither is complete before the receive, whatever the sender does meanwhile.
FMPL_RANKS_TEST_AT(DirectReading, SendsEndWithTheReceive, ({2}))
{
    const Job job;
    if (job.rank == 0) {
        Memory memory(2 * kBytes);
        memory.fill(1, 0, kBytes);
        memory.fill(2, kBytes, kBytes);
        MPI_Request requests[2];
        MPI_Issend(memory.data(), kBytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(memory.data() + kBytes, kBytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[1]);
        int done = 0;
        for (int look = 0; look < 1000 && done == 0; ++look) {
            int which = 0;
            MPI_Testany(2, requests, &which, &done, MPI_STATUS_IGNORE);
        }
        EXPECT_EQ(done, 0);
        MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        return;
    }
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (const int tag : {2, 1}) {
        Message message(kBytes);
        MPI_Recv(message.data(), kBytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_TRUE(message.holds(static_cast<std::uint64_t>(tag)));
    }
}

// The program's buffer is free at once; the one that was attached is kept until the messages have been read.
FMPL_RANKS_TEST_AT(DirectReading, BufferedSendsFromRemoteDmaMemory, ({2}))
{
    constexpr int kMessages = 20;
    const Job job;
    if (job.rank == 0) {
        Memory attached(std::size_t{kMessages} * (kBytes + MPI_BSEND_OVERHEAD));
        MPI_Buffer_attach(attached.data(), kMessages * (kBytes + MPI_BSEND_OVERHEAD));
        for (int m = 0; m < kMessages; ++m) {
            Message message(kBytes, static_cast<std::uint64_t>(m));
            EXPECT_EQ(MPI_Bsend(message.data(), kBytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD), MPI_SUCCESS);
        }
        MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        void* detached = nullptr;
        int bytes = 0;
        MPI_Buffer_detach(&detached, &bytes);
        std::memset(detached, 0, static_cast<std::size_t>(bytes));
        return;
    }
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int m = 0; m < kMessages; ++m) {
        Message message(kBytes);
        MPI_Recv(message.data(), kBytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_TRUE(message.holds(static_cast<std::uint64_t>(m)));
    }
}

// Thousands under way in both directions; requests that were given away, and a communicator that waits for them.
FMPL_RANKS_TEST_AT(DirectReading, ThousandsUnderWay, ({2, 3}))
{
    constexpr int kMessages = 2000;
    constexpr int kLength = 4200;
    const Job job;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int to = (job.rank + 1) % job.size;
    const int from = (job.rank + job.size - 1) % job.size;
    Memory memory(std::size_t{kMessages} * kLength);
    for (int m = 0; m < kMessages; ++m) {
        memory.fill(
            static_cast<std::uint64_t>(job.rank * kMessages + m), static_cast<std::size_t>(m) * kLength, kLength);
        MPI_Request request;
        MPI_Isend(memory.data() + static_cast<std::ptrdiff_t>(m) * kLength, kLength, MPI_BYTE, to, m, comm, &request);
        MPI_Request_free(&request);
    }
    for (int i = 0; i < kMessages; ++i) {
        const int m = i % 2 == 0 ? kMessages - 1 - i / 2 : i / 2;
        Message message(kLength);
        MPI_Recv(message.data(), kLength, MPI_BYTE, from, m, comm, MPI_STATUS_IGNORE);
        EXPECT_TRUE(message.holds(static_cast<std::uint64_t>(from * kMessages + m)));
    }
    MPI_Comm_disconnect(&comm);  // waits until all has been read
}

// Where such messages are read slowly, later ones go through the ring (CopyRates), in the order in which they are sent.
FMPL_RANKS_TEST_WITH(DirectReading, MessagesThatAreWrittenAnewArriveWhicheverWayTheyGo,
    (fmpl_test::RanksOptions{.ranks = {2}, .unmapped = false, .environment = {{"FMPL_CPUS", "2"}}}))
{
    constexpr std::uint64_t kMessages = 1200;
    constexpr int kLongest = 65'536;
    constexpr int kAtOnce = 60;
    constexpr int kLengths[] = {5000, 12'288, 16'384, 33'000, kLongest - 1, kLongest};
    const Job job;
    const int peer = 1 - job.rank;
    const auto rank = static_cast<std::uint64_t>(job.rank);
    Memory out(kLongest);
    Memory in(kLongest);
    Message heap(kLongest);
    Memory many(std::size_t{kAtOnce} * kBytes);
    // More at once than the ring has room for, with one tag, some of them synchronous.
    const auto exchange_many = [&](std::uint64_t key) {
        MPI_Request requests[kAtOnce];
        for (int m = 0; m < kAtOnce; ++m) {
            unsigned char* const at = many.data() + std::ptrdiff_t{m} * kBytes;
            if (job.rank != 0) {
                MPI_Irecv(at, kBytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &requests[m]);
                continue;
            }
            many.fill(key + static_cast<std::uint64_t>(m), static_cast<std::size_t>(m) * kBytes, kBytes);
            const auto send = m % 7 == 3 ? MPI_Issend : MPI_Isend;
            send(at, kBytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &requests[m]);
        }
        MPI_Waitall(kAtOnce, requests, MPI_STATUSES_IGNORE);
        for (int m = 0; job.rank != 0 && m < kAtOnce; ++m) {
            const unsigned char* const at = many.data() + std::ptrdiff_t{m} * kBytes;
            for (std::size_t k = 0; k < kBytes; ++k) {
                ASSERT_EQ(at[k], pattern_byte(key + static_cast<std::uint64_t>(m), k)) << "byte " << k << " of " << m;
            }
        }
    };
    for (std::uint64_t i = 0; i < kMessages; ++i) {
        const int bytes = kLengths[i / 7 % std::size(kLengths)];
        const auto size = static_cast<std::size_t>(bytes);
        const bool blocking = i / 200 % 2 == 1;
        if (i % 50 == 0) exchange_many(i);
        unsigned char* const to = i % 5 == 0 ? heap.data() : in.data();
        out.fill(2 * i + rank, 0, size);
        if (blocking && job.rank == 0) {
            MPI_Send(out.data(), bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
            MPI_Recv(to, bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (blocking) {
            MPI_Recv(to, bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out.data(), bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
        } else {
            MPI_Request requests[2];
            MPI_Irecv(to, bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(out.data(), bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        for (std::size_t k = 0; k < size; ++k) {
            ASSERT_EQ(to[k], pattern_byte(2 * i + 1 - rank, k)) << "byte " << k << " of message " << i;
        }
    }
}

// The receiver's answer finds no room beside what it has sent before; its next call of whatever kind brings it.
FMPL_RANKS_TEST_AT(DirectReading, TheAnswerGoesWhenThereIsRoom, ({2}))
{
    constexpr int kShort = 500;  // more than a ring of envelopes has
    const Job job;
    std::atomic<std::uint64_t>& sent = fmpl_test::shared_words()[0];
    std::atomic<std::uint64_t>& received = fmpl_test::shared_words()[1];
    if (job.rank == 0) {
        Memory memory(kBytes);
        memory.fill(5, 0, kBytes);
        MPI_Request request;
        MPI_Isend(memory.data(), kBytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &request);
        sent = 1;
        fmpl_test::wait_until([&] { return received == 1; }, "the receive");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int m = 0; m < kShort; ++m) {
            int got = -1;
            MPI_Recv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_EQ(got, m);
        }
        return;
    }
    fmpl_test::wait_until([&] { return sent == 1; }, "the message");
    std::vector<int> numbers(kShort);
    std::vector<MPI_Request> requests(kShort);
    for (int m = 0; m < kShort; ++m) {
        numbers[static_cast<std::size_t>(m)] = m;
        MPI_Isend(&numbers[static_cast<std::size_t>(m)], 1, MPI_INT, 0, 0, MPI_COMM_WORLD,
            &requests[static_cast<std::size_t>(m)]);
    }
    Message message(kBytes);
    MPI_Recv(message.data(), kBytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_TRUE(message.holds(5));
    received = 1;
    MPI_Waitall(kShort, requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace
