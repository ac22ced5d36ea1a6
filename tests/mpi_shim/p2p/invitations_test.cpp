// Receives of 64 KiB and more in remote-DMA memory, of which the source is told before its message comes.
#include "job.hpp"
#include "mpi_shim/standard/message.hpp"
#include "support/ranks_test.hpp"

#include <fmpl.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace {

using mpi_test::Job;
using mpi_test::pattern_byte;

constexpr int kBytes = 64 * 1024;
constexpr int kTag = 7;
constexpr unsigned char kUntouched = 0x5a;

// Remote-DMA memory of the rank's.
class Memory {
public:
    explicit Memory(int bytes = kBytes) : bytes_(bytes), at_(static_cast<unsigned char*>(fmpl_malloc(room())))
    {
        if (at_ == nullptr) throw std::bad_alloc();
        clear();
    }
    Memory(int bytes, std::uint64_t key) : Memory(bytes) { fill(key); }
    ~Memory() { fmpl_free(at_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    unsigned char* data() { return at_; }
    void clear() { std::fill_n(at_, room(), kUntouched); }
    void fill(std::uint64_t key)
    {
        for (int i = 0; i < bytes_; ++i) at_[i] = pattern_byte(key, static_cast<std::size_t>(i));
    }
    // The first `length` bytes are the message `key`'s, and the others untouched.
    bool holds(std::uint64_t key, int length) const
    {
        for (std::size_t i = 0; i < room(); ++i) {
            if (at_[i] != (i < static_cast<std::size_t>(length) ? pattern_byte(key, i) : kUntouched)) return false;
        }
        return true;
    }
    bool holds(std::uint64_t key) const { return holds(key, bytes_); }

private:
    std::size_t room() const { return static_cast<std::size_t>(bytes_) + 64; }

    int bytes_;
    unsigned char* at_;
};

MPI_Request receive(Memory& memory, int bytes, int source, int tag, MPI_Comm comm = MPI_COMM_WORLD)
{
    MPI_Request request;
    EXPECT_EQ(MPI_Irecv(memory.data(), bytes, MPI_BYTE, source, tag, comm, &request), MPI_SUCCESS);
    return request;
}

int wait_for(MPI_Request& request)
{
    MPI_Status status;
    EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    int bytes = -1;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    return bytes;
}

void send(int bytes, std::uint64_t key, int destination, int tag, MPI_Comm comm = MPI_COMM_WORLD)
{
    Memory memory(bytes, key);
    EXPECT_EQ(MPI_Send(memory.data(), bytes, MPI_BYTE, destination, tag, comm), MPI_SUCCESS);
}

// The receiver makes no MPI call from posting the receives until the sends are over.
FMPL_RANKS_TEST_WITH(
    Invitations, TheSendEndsWithoutTheReceiver, fmpl_test::RanksOptions{.ranks = {2}, .unmapped = false})
{
    const Job job;
    std::atomic<std::uint64_t>& posted = fmpl_test::shared_words()[0];
    std::atomic<std::uint64_t>& sent = fmpl_test::shared_words()[1];
    for (std::uint64_t round = 1; round <= 20; ++round) {
        const int bytes = kBytes + 4096 * static_cast<int>(round);
        if (job.rank == 0) {
            fmpl_test::wait_until([&] { return posted == round; }, "the receives");
            send(bytes, 2 * round, 1, 0);
            Memory memory(bytes, 2 * round + 1);
            MPI_Request request;
            MPI_Issend(memory.data(), bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            sent = round;
        } else {
            Memory first(bytes), second(bytes);
            MPI_Request requests[] = {receive(second, bytes, 0, 1), receive(first, bytes, 0, 0)};
            posted = round;
            fmpl_test::wait_until([&] { return sent == round; }, "the sends");
            EXPECT_EQ(wait_for(requests[0]), bytes);
            EXPECT_EQ(wait_for(requests[1]), bytes);
            EXPECT_TRUE(first.holds(2 * round));
            EXPECT_TRUE(second.holds(2 * round + 1));
        }
    }
}

// More than there are channels, in whatever order they come.
FMPL_RANKS_TEST_AT(Invitations, ManyAtOnce, ({2, 4}))
{
    constexpr int kMessages = 40;
    const Job job;
    const int to = (job.rank + 1) % job.size, from = (job.rank + job.size - 1) % job.size;
    for (int round = 0; round < 4; ++round) {
        std::array<Memory, kMessages> memories;
        std::array<MPI_Request, kMessages> requests;
        for (std::size_t m = 0; m < kMessages; ++m)
            requests[m] = receive(memories[m], kBytes, from, static_cast<int>(m));
        for (int m = 0; m < kMessages; ++m) {
            const int tag = round % 2 == 0 ? m : kMessages - 1 - m;
            send(kBytes, static_cast<std::uint64_t>(tag + 100 * job.rank), to, tag);
        }
        EXPECT_EQ(MPI_Waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
        for (std::size_t m = 0; m < kMessages; ++m)
            EXPECT_TRUE(memories[m].holds(m + static_cast<unsigned>(100 * from)));
    }
}

// Receives that match the same messages get them in the order in which they were posted, with a wildcard or without.
FMPL_RANKS_TEST_AT(Invitations, TheFirstReceiveGetsTheFirstMessage, ({2}))
{
    const Job job;
    constexpr std::array<std::array<int, 2>, 5> kTags = {
        {{kTag, kTag}, {MPI_ANY_TAG, kTag}, {kTag, MPI_ANY_TAG}, {MPI_ANY_TAG, MPI_ANY_TAG}, {kTag, kTag}}};
    for (const auto& tags : kTags) {
        for (const int source : {0, MPI_ANY_SOURCE}) {
            if (job.rank == 0) {
                MPI_Barrier(MPI_COMM_WORLD);
                for (std::uint64_t m = 1; m <= 4; ++m) send(kBytes, m, 1, kTag);
            } else {
                std::array<Memory, 4> memories;
                std::array<MPI_Request, 4> requests;
                requests[0] = receive(memories[0], kBytes, source, tags[0]);
                requests[1] = receive(memories[1], kBytes, 0, tags[1]);
                MPI_Barrier(MPI_COMM_WORLD);
                EXPECT_EQ(wait_for(requests[0]), kBytes);
                for (std::size_t m = 2; m < 4; ++m) requests[m] = receive(memories[m], kBytes, 0, kTag);
                for (std::size_t m = 1; m < 4; ++m) EXPECT_EQ(wait_for(requests[m]), kBytes);
                for (std::size_t m = 0; m < 4; ++m) EXPECT_TRUE(memories[m].holds(m + 1)) << m;
            }
        }
    }
}

// A message that was sent before the sender knew of the receive is the one for it.
FMPL_RANKS_TEST_AT(Invitations, AMessageOnItsWayComesFirst, ({2}))
{
    Job job;
    for (int round = 0; round < 200; ++round) {
        if (job.rank == 0) {
            job.delay();
            for (const std::uint64_t m : {1, 2, 3}) send(kBytes, m, 1, kTag);
            MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            job.delay();
            std::array<Memory, 3> memories;
            for (Memory& memory : memories) {
                MPI_Request request = receive(memory, kBytes, 0, kTag);
                EXPECT_EQ(wait_for(request), kBytes);
            }
            for (std::size_t m = 0; m < 3; ++m) EXPECT_TRUE(memories[m].holds(m + 1)) << m << " of round " << round;
            MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
}

// What is not as long as the receive, or does not lie in one piece, goes as it would otherwise; and to that receive.
FMPL_RANKS_TEST_AT(Invitations, OtherMessagesForTheReceive, ({2}))
{
    const Job job;
    MPI_Datatype every_other;
    MPI_Type_vector(kBytes, 1, 2, MPI_BYTE, &every_other);
    MPI_Type_commit(&every_other);
    for (const int bytes : {0, 8, 3000, 20000, kBytes - 1, kBytes, kBytes + 1, 3 * kBytes}) {
        for (const bool strided : {false, true}) {
            if (strided && bytes != kBytes) continue;
            if (job.rank == 0) {
                MPI_Barrier(MPI_COMM_WORLD);
                if (strided) {
                    Memory memory(2 * kBytes);
                    for (int i = 0; i < kBytes; ++i)
                        memory.data()[2 * i] = pattern_byte(1, static_cast<std::size_t>(i));
                    MPI_Send(memory.data(), 1, every_other, 1, kTag, MPI_COMM_WORLD);
                } else {
                    send(bytes, 1, 1, kTag);
                }
                send(kBytes, 2, 1, kTag);
            } else {
                Memory first, second;
                MPI_Request requests[] = {receive(first, kBytes, 0, kTag), MPI_REQUEST_NULL};
                MPI_Barrier(MPI_COMM_WORLD);
                MPI_Status status;
                const int code = MPI_Wait(&requests[0], &status);
                int error_class = MPI_SUCCESS;
                MPI_Error_class(code, &error_class);
                EXPECT_EQ(error_class, bytes > kBytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS) << bytes;
                EXPECT_TRUE(first.holds(1, std::min(bytes, kBytes))) << bytes;
                requests[1] = receive(second, kBytes, 0, kTag);
                EXPECT_EQ(wait_for(requests[1]), kBytes);
                EXPECT_TRUE(second.holds(2));
            }
        }
    }
    MPI_Type_free(&every_other);
}

// A receive that is cancelled either gets its message or lets go of its buffer, and the next one gets it.
FMPL_RANKS_TEST_AT(Invitations, CancelledReceives, ({2}))
{
    Job job;
    for (int round = 0; round < 300; ++round) {
        if (job.rank == 0) {
            if (round % 2 == 0) MPI_Barrier(MPI_COMM_WORLD);
            job.delay();
            send(kBytes, 1, 1, kTag);
            MPI_Barrier(MPI_COMM_WORLD);
        } else {
            Memory first, second;
            MPI_Request request = receive(first, kBytes, 0, kTag);
            if (round % 2 == 0) MPI_Barrier(MPI_COMM_WORLD);
            job.delay();
            EXPECT_EQ(MPI_Cancel(&request), MPI_SUCCESS);
            MPI_Status status;
            MPI_Wait(&request, &status);
            int cancelled = 0;
            MPI_Test_cancelled(&status, &cancelled);
            if (cancelled != 0) {
                EXPECT_TRUE(first.holds(0, 0));
                request = receive(second, kBytes, 0, kTag);
                EXPECT_EQ(wait_for(request), kBytes);
                EXPECT_TRUE(first.holds(0, 0));
            }
            EXPECT_TRUE((cancelled != 0 ? second : first).holds(1)) << "round " << round;
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
}

// Invitations wake nobody: a rank that sleeps while they fill its ring is woken by what finds no room there.
FMPL_RANKS_TEST_AT(Invitations, ASleepingSourceWhoseRingIsFull, ({2}))
{
    const Job job;
    for (int round = 0; round < 3; ++round) {
        if (job.rank == 0) {
            int value = 0;
            MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_EQ(value, round);
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            Memory memory;
            for (int k = 0; k < 300; ++k) {
                MPI_Request request = receive(memory, kBytes, 0, kTag);
                MPI_Cancel(&request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            MPI_Send(&round, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
}

// A send that is complete needs no further call: here its announcement would find no room beside what was sent before.
FMPL_RANKS_TEST_WITH(
    Invitations, ACompleteSendNeedsNoFurtherCall, fmpl_test::RanksOptions{.ranks = {2}, .unmapped = false})
{
    constexpr std::size_t kShort = 200;
    const Job job;
    std::atomic<std::uint64_t>& posted = fmpl_test::shared_words()[0];
    std::atomic<std::uint64_t>& sending = fmpl_test::shared_words()[1];
    std::atomic<std::uint64_t>& received = fmpl_test::shared_words()[2];
    std::array<MPI_Request, kShort> requests;
    if (job.rank == 0) {
        Memory memory(kBytes, 1);
        fmpl_test::wait_until([&] { return posted == 1; }, "the receive");
        int flag = 0;
        MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);  // learns of the receive
        for (MPI_Request& request : requests) MPI_Isend(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        sending = 1;
        MPI_Send(memory.data(), kBytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
        fmpl_test::wait_until([&] { return received == 1; }, "the message");
    } else {
        Memory memory;
        MPI_Request request = receive(memory, kBytes, 0, kTag);
        posted = 1;
        fmpl_test::wait_until([&] { return sending == 1; }, "the short messages");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_EQ(wait_for(request), kBytes);
        EXPECT_TRUE(memory.holds(1));
        received = 1;
        for (MPI_Request& r : requests) MPI_Irecv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &r);
    }
    EXPECT_EQ(MPI_Waitall(kShort, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

// All ranks to all, over two communicators, each with receives posted ahead of random delays.
FMPL_RANKS_TEST(Invitations, AgainAndAgain)
{
    Job job;
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    const auto ranks = static_cast<std::size_t>(job.size);
    const std::array<MPI_Comm, 2> comms = {MPI_COMM_WORLD, other};
    std::vector<std::unique_ptr<Memory>> memories;
    for (std::size_t m = 0; m < 2 * ranks; ++m) memories.push_back(std::make_unique<Memory>());
    const auto key = [](int round, int comm, int from, int to) {
        return static_cast<std::uint64_t>(((round * 2 + comm) * 64 + from) * 64 + to);
    };
    for (int round = 0; round < 24; ++round) {
        std::vector<MPI_Request> requests(2 * ranks, MPI_REQUEST_NULL);
        for (int comm = 0; comm < 2; ++comm) {
            for (int from = 0; from < job.size; ++from) {
                const std::size_t m = static_cast<std::size_t>(comm) * ranks + static_cast<std::size_t>(from);
                memories[m]->clear();
                if (from != job.rank)
                    requests[m] = receive(*memories[m], kBytes, from, round % 3, comms[static_cast<std::size_t>(comm)]);
            }
        }
        job.delay();
        for (int distance = 1; distance < job.size; ++distance) {
            const int to = (job.rank + distance) % job.size;
            for (int comm = 0; comm < 2; ++comm)
                send(kBytes, key(round, comm, job.rank, to), to, round % 3, comms[static_cast<std::size_t>(comm)]);
        }
        EXPECT_EQ(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
        for (int comm = 0; comm < 2; ++comm) {
            for (int from = 0; from < job.size; ++from) {
                const std::size_t m = static_cast<std::size_t>(comm) * ranks + static_cast<std::size_t>(from);
                if (from == job.rank) continue;
                EXPECT_TRUE(memories[m]->holds(key(round, comm, from, job.rank))) << "round " << round;
            }
        }
    }
    MPI_Comm_free(&other);
}

// A receive that was never matched does not keep the rank from leaving.
FMPL_RANKS_TEST_AT(Invitations, LeavingWithOpenReceives, ({2, 3}))
{
    const Job job;
    void* const buffer = fmpl_malloc(kBytes);  // the job's until its end
    MPI_Request request;
    MPI_Irecv(buffer, kBytes, MPI_BYTE, (job.rank + 1) % job.size, kTag, MPI_COMM_WORLD, &request);
}

}  // namespace
