// Long messages that the sender packs into the receiver's memory, or the receiver takes from the sender's.
#include "job.hpp"
#include "mpi_shim/standard/message.hpp"
#include "support/ranks_test.hpp"

#include <mpi.h>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

using mpi_test::Job;
using mpi_test::Message;
using mpi_test::pattern_byte;

constexpr int kBytes = 96 * 1024;  // does not go with its envelope
constexpr int kTag = 7;

// A send that is complete needs no further call: here the news that the message is packed, or its pieces, find no room
// beside what was sent before.
void complete_send_needs_no_further_call(bool into_remote_dma)
{
    constexpr std::size_t kShort = 200;  // more than a ring of envelopes has
    const Job job;
    Message message(kBytes);
    unsigned char* memory = nullptr;
    ASSERT_EQ(MPI_Alloc_mem(kBytes, MPI_INFO_NULL, &memory), MPI_SUCCESS);
    unsigned char* const to = into_remote_dma ? memory : message.data();
    std::atomic<std::uint64_t>& announced = fmpl_test::shared_words()[0];
    std::atomic<std::uint64_t>& answered = fmpl_test::shared_words()[1];
    std::atomic<std::uint64_t>& filled = fmpl_test::shared_words()[2];
    std::atomic<std::uint64_t>& received = fmpl_test::shared_words()[3];
    std::array<MPI_Request, kShort> requests;
    MPI_Request request;
    if (job.rank == 0) {
        MPI_Datatype every_other;
        MPI_Type_vector(kBytes, 1, 2, MPI_BYTE, &every_other);
        MPI_Type_commit(&every_other);
        std::vector<unsigned char> spread(2 * kBytes);
        for (std::size_t i = 0; i < kBytes; ++i) spread[2 * i] = pattern_byte(1, i);
        MPI_Isend(spread.data(), 1, every_other, 1, kTag, MPI_COMM_WORLD, &request);
        announced = 1;
        fmpl_test::wait_until([&] { return answered == 1; }, "the receive");
        for (MPI_Request& r : requests) MPI_Isend(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &r);
        filled = 1;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        fmpl_test::wait_until([&] { return received == 1; }, "the message");
        MPI_Type_free(&every_other);
    } else {
        MPI_Irecv(to, kBytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &request);
        fmpl_test::wait_until([&] { return announced == 1; }, "the announcement");
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);  // answers
        EXPECT_EQ(done, 0);
        answered = 1;
        fmpl_test::wait_until([&] { return filled == 1; }, "the short messages");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (std::size_t i = 0; i < kBytes; ++i) ASSERT_EQ(to[i], pattern_byte(1, i)) << "byte " << i;
        received = 1;
        for (MPI_Request& r : requests) MPI_Irecv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &r);
    }
    EXPECT_EQ(MPI_Waitall(kShort, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    MPI_Free_mem(memory);
}

FMPL_RANKS_TEST_WITH(
    Negotiation, ACompleteSendOfPiecesNeedsNoFurtherCall, fmpl_test::RanksOptions{.ranks = {2}, .unmapped = false})
{
    complete_send_needs_no_further_call(false);
}

FMPL_RANKS_TEST_WITH(Negotiation, ACompleteSendIntoRemoteDmaMemoryNeedsNoFurtherCall,
    fmpl_test::RanksOptions{.ranks = {2}, .unmapped = false})
{
    complete_send_needs_no_further_call(true);
}

// Receives message 1 in one piece, and messages 2 and 3 spread over a buffer and cut.
void receive_in_several_forms()
{
    Message whole(kBytes);
    MPI_Recv(whole.data(), kBytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_TRUE(whole.holds(1));

    MPI_Datatype every_other;
    MPI_Type_vector(kBytes, 1, 2, MPI_BYTE, &every_other);
    MPI_Type_commit(&every_other);
    std::vector<unsigned char> spread(2 * kBytes);
    MPI_Recv(spread.data(), 1, every_other, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int wrong = 0;
    for (std::size_t i = 0; i < kBytes; ++i) wrong += spread[2 * i] != pattern_byte(2, i) || spread[2 * i + 1] != 0;
    EXPECT_EQ(wrong, 0);
    MPI_Type_free(&every_other);

    Message part(kBytes);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int code = MPI_Recv(part.data(), kBytes / 2, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    int error_class = 0;
    MPI_Error_class(code, &error_class);
    EXPECT_EQ(error_class, MPI_ERR_TRUNCATE);
    EXPECT_TRUE(part.begins_with(3, kBytes / 2));
}

// Where ranks share CPUs a receiver takes a message from private memory by itself, so that it need not wait for the
// sender's turn.
FMPL_RANKS_TEST_WITH(Negotiation, AReceiverTakesAMessageFromPrivateMemoryWithoutACallOfTheSenders,
    (fmpl_test::RanksOptions{.ranks = {2}, .unmapped = false, .environment = {{"FMPL_CPUS", "1"}}}))
{
    const Job job;
    std::atomic<std::uint64_t>& announced = fmpl_test::shared_words()[0];
    std::atomic<std::uint64_t>& received = fmpl_test::shared_words()[1];
    if (job.rank == 0) {
        const Message messages[] = {Message(kBytes, 1), Message(kBytes, 2), Message(kBytes, 3)};
        MPI_Request requests[3];
        for (int m = 0; m < 3; ++m) {
            MPI_Isend(messages[m].data(), kBytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &requests[m]);
        }
        announced = 1;
        fmpl_test::wait_until([&] { return received == 1; }, "the receives");
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    } else {
        fmpl_test::wait_until([&] { return announced == 1; }, "the announcements");
        receive_in_several_forms();
        received = 1;
    }
}

// Nor do messages that would go with their envelopes, where the ring has no room for them all.
FMPL_RANKS_TEST_WITH(Negotiation, AReceiverTakesShorterMessagesThanTheRingHasRoomForWithoutACallOfTheSenders,
    (fmpl_test::RanksOptions{.ranks = {2, 4}, .unmapped = false, .environment = {{"FMPL_CPUS", "1"}}}))
{
    constexpr int kShorter = 60'000;
    constexpr int kMany = 20;
    const Job job;
    std::atomic<std::uint64_t>& sent = fmpl_test::shared_words()[0];
    std::atomic<std::uint64_t>& received = fmpl_test::shared_words()[1];
    if (job.rank == 0) {
        const Message message(kShorter, 1);
        std::array<MPI_Request, kMany> requests;
        for (MPI_Request& request : requests)
            MPI_Isend(message.data(), kShorter, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &request);
        sent = 1;
        fmpl_test::wait_until([&] { return received == 1; }, "the receives");
        MPI_Waitall(kMany, requests.data(), MPI_STATUSES_IGNORE);
    } else if (job.rank == 1) {
        fmpl_test::wait_until([&] { return sent == 1; }, "the messages");
        for (int i = 0; i < kMany; ++i) {
            Message message(kShorter);
            MPI_Recv(message.data(), kShorter, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_TRUE(message.holds(1)) << "message " << i;
        }
        received = 1;
    }
}

// Where such messages are read slowly, later ones go through the ring (CopyRates), in the order in which they are sent.
void exchange_what_is_written_anew()
{
    const Job job;
    const auto peer = 1 - job.rank;
    constexpr std::uint64_t kMessages = 400;
    constexpr int kLengths[] = {20'000, 33'000, kBytes, kBytes + 1, 4 * kBytes - 3, 4 * kBytes, 4 * kBytes + 1};
    for (std::uint64_t i = 0; i < kMessages; ++i) {
        const auto rank = static_cast<std::uint64_t>(job.rank);
        const int bytes = kLengths[i / 3 % std::size(kLengths)];
        const auto size = static_cast<std::size_t>(bytes);
        const Message out(size, 2 * i + rank);
        const Message after(size, 2 * (kMessages + i) + rank);
        Message in(size);
        Message in_after(size);
        MPI_Request requests[4];
        MPI_Irecv(in.data(), bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out.data(), bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(after.data(), bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, &requests[2]);
        MPI_Irecv(in_after.data(), bytes, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        ASSERT_TRUE(in.holds(2 * i + 1 - rank)) << "message " << i << " of " << bytes << " bytes";
        ASSERT_TRUE(in_after.holds(2 * (kMessages + i) + 1 - rank)) << "message " << i << " of " << bytes << " bytes";
    }
    // Blocking ones, and nonblocking ones, one of them synchronous, more at once than the ring has room for.
    for (std::uint64_t i = 0; i < 40; ++i) {
        if (job.rank == 0) {
            MPI_Send(Message(kBytes, i).data(), kBytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
        } else {
            Message message(kBytes);
            MPI_Recv(message.data(), kBytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            ASSERT_TRUE(message.holds(i)) << "message " << i;
        }
    }
    constexpr int kAtOnce = 12;
    for (std::uint64_t i = 0; i < kMessages / 10; ++i) {
        std::vector<Message> messages;
        std::vector<MPI_Request> requests(kAtOnce);
        for (std::uint64_t m = 0; m < kAtOnce; ++m)
            messages.push_back(job.rank == 0 ? Message(kBytes, 100 * i + m) : Message(kBytes));
        for (std::size_t m = 0; m < kAtOnce; ++m) {
            if (job.rank != 0) {
                MPI_Irecv(messages[m].data(), kBytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &requests[m]);
            } else if (m == kAtOnce / 2) {
                MPI_Issend(messages[m].data(), kBytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &requests[m]);
            } else {
                MPI_Isend(messages[m].data(), kBytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &requests[m]);
            }
        }
        MPI_Waitall(kAtOnce, requests.data(), MPI_STATUSES_IGNORE);
        for (std::uint64_t m = 0; job.rank != 0 && m < kAtOnce; ++m)
            ASSERT_TRUE(messages[m].holds(100 * i + m)) << "message " << m << " of row " << i;
    }
}

FMPL_RANKS_TEST_WITH(Negotiation, MessagesThatAreWrittenAnewArriveWhicheverWayTheyGo,
    (fmpl_test::RanksOptions{.ranks = {2}, .unmapped = false, .environment = {{"FMPL_CPUS", "2"}}}))
{
    exchange_what_is_written_anew();
}

FMPL_RANKS_TEST_WITH(Negotiation, SoTheyDoWhereRanksShareCpus,
    (fmpl_test::RanksOptions{.ranks = {2}, .unmapped = false, .environment = {{"FMPL_CPUS", "1"}}}))
{
    exchange_what_is_written_anew();
}

// What one of two ranks reads slowly, here since its buffer has no pages yet, decides for the messages of both: else
// one's may be read and the other's not, slower than either way.
FMPL_RANKS_TEST_WITH(Negotiation, WhoReadsSlowlySendsThroughTheRing,
    (fmpl_test::RanksOptions{.ranks = {2}, .unmapped = false, .environment = {{"FMPL_CPUS", "1"}}}))
{
    constexpr int kShort = 64 * 1024;
    constexpr int kSlowReads = 300;
    constexpr int kAtOnce = 6;  // of which four are read all the same, now and then
    const Job job;
    const Message message(kShort, 1);
    std::atomic<std::uint64_t>& sent = fmpl_test::shared_words()[0];
    std::atomic<std::uint64_t>& over = fmpl_test::shared_words()[1];
    if (job.rank == 0) {
        for (int i = 0; i < kSlowReads; ++i) MPI_Send(message.data(), kShort, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
        fmpl_test::wait_until([&] { return sent == 1; }, "the messages");
        for (int i = 0; i < kAtOnce; ++i) {
            Message in(kShort);
            MPI_Recv(in.data(), kShort, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_TRUE(in.holds(1)) << "message " << i;
        }
        over = 1;
        return;
    }
    void* const fresh = mmap(nullptr, kShort, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(fresh, MAP_FAILED);
    for (int i = 0; i < kSlowReads; ++i) {
        MPI_Recv(fresh, kShort, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ASSERT_EQ(madvise(fresh, kShort, MADV_DONTNEED), 0);
    }
    munmap(fresh, kShort);
    int gone = 0;
    std::array<MPI_Request, kAtOnce> requests;
    for (MPI_Request& request : requests) {
        MPI_Isend(message.data(), kShort, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &request);
        int done = 0;
        MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
        gone += done;
    }
    EXPECT_GT(gone, 0);
    sent = 1;
    MPI_Waitall(kAtOnce, requests.data(), MPI_STATUSES_IGNORE);
    fmpl_test::wait_until([&] { return over == 1; }, "the receives");
}

// With a CPU for each, a sender that waits does the work of a receiver that computes.
FMPL_RANKS_TEST_WITH(Negotiation, ASenderThatWaitsNeedsNoFurtherCallOfTheReceivers,
    (fmpl_test::RanksOptions{.ranks = {2}, .unmapped = false, .environment = {{"FMPL_CPUS", "2"}}}))
{
    const Job job;
    std::atomic<std::uint64_t>& sent = fmpl_test::shared_words()[0];
    std::uint64_t number = 0;
    for (const int bytes : {kBytes, 300'000, 5'000'000}) {
        const auto size = static_cast<std::size_t>(bytes);
        ++number;
        if (job.rank == 0) {
            MPI_Send(Message(size, number).data(), bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
            sent = number;
            continue;
        }
        Message message(size);
        MPI_Request request;
        MPI_Status status;
        MPI_Probe(0, kTag, MPI_COMM_WORLD, &status);
        MPI_Irecv(message.data(), bytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &request);
        fmpl_test::wait_until([&] { return sent == number; }, "the message");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_TRUE(message.holds(number)) << bytes << " bytes";
    }
}

// A sender that computes is not waited for: its message is read where it lies. Nor is one that begins other sends, or
// waits for something else, after the receiver has matched the message.
FMPL_RANKS_TEST_WITH(Negotiation, AReceiverDoesNotWaitForASenderThatComputes,
    (fmpl_test::RanksOptions{.ranks = {2}, .unmapped = false, .environment = {{"FMPL_CPUS", "2"}}}))
{
    const Job job;
    std::atomic<std::uint64_t>& received = fmpl_test::shared_words()[0];
    std::uint64_t number = 0;
    for (int round = 0; round < 45; ++round) {
        for (const int bytes : {kBytes, 100'000, 300'000, 500'000, 2'000'000}) {
            ++number;
            // Passed on, so that the next one is waited for.
            Message before(300'000, 1);
            for (int i = 0; i < 70; ++i) {
                if (job.rank == 0) MPI_Send(before.data(), 300'000, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
                else MPI_Recv(before.data(), 300'000, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            Message message(bytes, job.rank == 0 ? number : 0);
            MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
            const std::uint64_t also = number + 1000;
            Message other(bytes, job.rank == 0 ? also : 0);
            char go = 0;
            if (job.rank == 0) {
                MPI_Isend(message.data(), bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &requests[0]);
                const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(round / 2);
                while (std::chrono::steady_clock::now() < until) continue;
                if (round % 3 == 1) MPI_Isend(other.data(), bytes, MPI_BYTE, 1, kTag + 1, MPI_COMM_WORLD, &requests[1]);
                if (round % 3 == 2) MPI_Recv(&go, 1, MPI_CHAR, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                fmpl_test::wait_until([&] { return received == number; }, "the message");
                if (round % 3 != 1) MPI_Isend(other.data(), bytes, MPI_BYTE, 1, kTag + 1, MPI_COMM_WORLD, &requests[1]);
                MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            } else {
                MPI_Irecv(message.data(), bytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &requests[0]);
                if (round % 3 == 2) MPI_Send(&go, 1, MPI_CHAR, 0, kTag, MPI_COMM_WORLD);
                MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
                ASSERT_TRUE(message.holds(number)) << bytes << " bytes";
                received = number;
                MPI_Recv(other.data(), bytes, MPI_BYTE, 0, kTag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                ASSERT_TRUE(other.holds(also)) << bytes << " bytes";
            }
        }
    }
}

// Many long messages both ways at once, up to 12 times `longest_by_12` bytes, some before their receives.
void cross_windows(int longest_by_12, int window = 40)
{
    const Job job;
    const auto bytes_of = [=](int m) { return longest_by_12 * (m % 13) + m; };
    const int next = (job.rank + 1) % job.size, previous = (job.rank + job.size - 1) % job.size;
    for (int round = 0; round < 6; ++round) {
        std::vector<Message> sent, received;
        for (int m = 0; m < window; ++m) {
            sent.emplace_back(bytes_of(m), 7 * job.rank + m + round);
            received.emplace_back(bytes_of(m));
        }
        std::vector<MPI_Request> requests(2 * window);
        for (int m = 0; m < window; ++m) {
            MPI_Isend(sent[m].data(), bytes_of(m), MPI_BYTE, next, m, MPI_COMM_WORLD, &requests[m]);
        }
        if ((job.rank + round) % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        for (int m = window; m-- > 0;) {
            MPI_Irecv(received[m].data(), bytes_of(m), MPI_BYTE, previous, m, MPI_COMM_WORLD, &requests[window + m]);
        }
        ASSERT_EQ(MPI_Waitall(2 * window, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
        for (int m = 0; m < window; ++m) EXPECT_TRUE(received[m].holds(7 * previous + m + round)) << "message " << m;
    }
}

// Of all lengths from eager to jointly copied.
FMPL_RANKS_TEST_WITH(Negotiation, WindowsOfPrivateMessagesCrossEachOther,
    (fmpl_test::RanksOptions{.ranks = {2, 3}, .environment = {{"FMPL_CPUS", "3"}}}))
{
    cross_windows(9'973);
}

// All in the ring, as far as there is room.
FMPL_RANKS_TEST_WITH(Negotiation, WindowsOfLongBodiesCrossEachOther,
    (fmpl_test::RanksOptions{.ranks = {2, 3}, .environment = {{"FMPL_CPUS", "3"}, {"FMPL_MPI_EAGER", "262144"}}}))
{
    cross_windows(19'973);
}

// Such as go through the ring in pieces, where it is long, and longer ones.
FMPL_RANKS_TEST_WITH(Negotiation, WindowsOfMessagesInPiecesCrossEachOther,
    (fmpl_test::RanksOptions{.ranks = {2, 3, 4}, .environment = {{"FMPL_CPUS", "16"}}}))
{
    cross_windows(61'973, 26);
}

// A body that comes in steps, into a buffer that is not in one piece, and one that is too short for it.
FMPL_RANKS_TEST_WITH(Negotiation, ALongBodyIsSpreadAndCut,
    (fmpl_test::RanksOptions{.ranks = {2}, .environment = {{"FMPL_CPUS", "2"}, {"FMPL_MPI_EAGER", "262144"}}}))
{
    const Job job;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Datatype spread;
    MPI_Type_vector(4, kBytes / 2, kBytes, MPI_BYTE, &spread);
    MPI_Type_commit(&spread);
    for (std::uint64_t i = 0; i < 40; ++i) {
        const Message message(2 * kBytes, i);
        if (job.rank == 0) {
            MPI_Send(message.data(), 2 * kBytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
            MPI_Send(message.data(), 2 * kBytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
            continue;
        }
        std::vector<char> blocks(4 * kBytes, 1), cut(kBytes + 1, 1);
        MPI_Status status;
        ASSERT_EQ(MPI_Recv(blocks.data(), 1, spread, 0, kTag, MPI_COMM_WORLD, &status), MPI_SUCCESS);
        for (int b = 0; b < 4; ++b) {
            EXPECT_EQ(std::memcmp(blocks.data() + b * kBytes, message.data() + b * (kBytes / 2), kBytes / 2), 0);
        }
        ASSERT_EQ(MPI_Recv(cut.data(), kBytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE);
        EXPECT_EQ(std::memcmp(cut.data(), message.data(), kBytes), 0);
        EXPECT_EQ(cut[kBytes], 1);
    }
    MPI_Type_free(&spread);
}

// Several at once, each longer than the ring that they go through, into buffers of another form and too short ones.
FMPL_RANKS_TEST_AT(Negotiation, ScatteredMessagesOfManyPiecesCrossEachOther, ({2, 3}))
{
    const Job job;
    constexpr int kLong = 300'000;
    constexpr int kAtOnce = 3;
    constexpr int kBlock = 7;
    MPI_Datatype spread;
    MPI_Type_vector(kLong / kBlock, kBlock, 2 * kBlock, MPI_BYTE, &spread);
    MPI_Type_commit(&spread);
    const int bytes = kLong / kBlock * kBlock;
    const auto at = [](std::vector<unsigned char>& buffer, int k) -> unsigned char& {
        return buffer[static_cast<std::size_t>(k / kBlock * 2 * kBlock + k % kBlock)];
    };
    const int to = (job.rank + 1) % job.size;
    const int from = (job.rank + job.size - 1) % job.size;
    std::vector<std::vector<unsigned char>> out(kAtOnce), in(kAtOnce);
    Message whole(static_cast<std::size_t>(bytes));
    Message cut(static_cast<std::size_t>(kBytes));
    MPI_Request requests[2 * kAtOnce];
    MPI_Status statuses[2 * kAtOnce];
    for (int m = 0; m < kAtOnce; ++m) {
        std::vector<unsigned char>& source = out[static_cast<std::size_t>(m)];
        source.resize(2 * kLong);
        in[static_cast<std::size_t>(m)].resize(2 * kLong);
        const auto key = static_cast<std::uint64_t>(10 * job.rank + m);
        for (int k = 0; k < bytes; ++k) at(source, k) = pattern_byte(key, static_cast<std::size_t>(k));
        MPI_Isend(source.data(), 1, spread, to, kTag, MPI_COMM_WORLD, &requests[kAtOnce + m]);
    }
    MPI_Irecv(in[0].data(), 1, spread, from, kTag, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(whole.data(), bytes, MPI_BYTE, from, kTag, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(cut.data(), kBytes, MPI_BYTE, from, kTag, MPI_COMM_WORLD, &requests[2]);
    EXPECT_EQ(MPI_Waitall(2 * kAtOnce, requests, statuses), MPI_ERR_IN_STATUS);
    EXPECT_EQ(statuses[0].MPI_ERROR, MPI_SUCCESS);
    EXPECT_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
    int error_class = MPI_SUCCESS;
    MPI_Error_class(statuses[2].MPI_ERROR, &error_class);
    EXPECT_EQ(error_class, MPI_ERR_TRUNCATE);
    const auto key = static_cast<std::uint64_t>(10 * from);
    for (int k = 0; k < bytes; ++k)
        ASSERT_EQ(at(in[0], k), pattern_byte(key, static_cast<std::size_t>(k))) << "byte " << k;
    EXPECT_TRUE(whole.holds(key + 1));
    EXPECT_TRUE(cut.begins_with(key + 2, static_cast<std::size_t>(kBytes)));
    MPI_Type_free(&spread);
}

// Messages of one piece in private memory into a vector type, and into one that is too short: read by the kernel in one
// part and in several, and in pieces.
void receive_pieces_of_a_private_message()
{
    const Job job;
    constexpr int kBlock = 100;
    for (const int bytes : {kBytes, 128 * 1024 + 1, 300'001, 512 * 1024, 1024 * 1024 + 3}) {
        const auto key = static_cast<std::uint64_t>(bytes);
        if (job.rank == 0) {
            const Message message(static_cast<std::size_t>(bytes), key);
            MPI_Send(message.data(), bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
            MPI_Send(message.data(), bytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
            continue;
        }
        for (const int room : {bytes / kBlock + 1, bytes / kBlock / 2}) {
            MPI_Datatype spread;
            MPI_Type_vector(room, kBlock, 2 * kBlock, MPI_BYTE, &spread);
            MPI_Type_commit(&spread);
            std::vector<unsigned char> in(2 * static_cast<std::size_t>(room) * kBlock, 0x5a);
            MPI_Status status;
            const int code = MPI_Recv(in.data(), 1, spread, 0, kTag, MPI_COMM_WORLD, &status);
            int error_class = MPI_SUCCESS;
            MPI_Error_class(code, &error_class);
            EXPECT_EQ(error_class, room * kBlock < bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS) << bytes;
            const auto length = static_cast<std::size_t>(std::min(bytes, room * kBlock));
            for (std::size_t at = 0; at < in.size(); ++at) {
                const std::size_t k = at / (2 * kBlock) * kBlock + at % (2 * kBlock);
                const bool is_data = at % (2 * kBlock) < kBlock && k < length;
                ASSERT_EQ(in[at], is_data ? pattern_byte(key, k) : 0x5a) << "byte " << at << " of " << bytes;
            }
            MPI_Type_free(&spread);
        }
    }
}

FMPL_RANKS_TEST_WITH(Negotiation, PrivateMessagesComeIntoScatteredBuffers,
    (fmpl_test::RanksOptions{.ranks = {2}, .environment = {{"FMPL_CPUS", "2"}}}))
{
    receive_pieces_of_a_private_message();
}

FMPL_RANKS_TEST_WITH(Negotiation, SoTheyDoIntoScatteredOnesWhereRanksShareCpus,
    (fmpl_test::RanksOptions{.ranks = {2}, .environment = {{"FMPL_CPUS", "1"}}}))
{
    receive_pieces_of_a_private_message();
}

FMPL_RANKS_TEST_WITH(Negotiation, WhereItDoesNotReachThatMemoryTheSenderPacksTheMessage,
    (fmpl_test::RanksOptions{.ranks = {2}, .environment = {{"FMPL_CPUS", "1"}, {"FMPL_PRIVATE_COPY", "staged"}}}))
{
    const Job job;
    if (job.rank == 0) {
        for (const std::uint64_t key : {1u, 2u, 3u}) {
            const Message message(kBytes, key);
            MPI_Send(message.data(), kBytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
        }
    } else {
        receive_in_several_forms();
    }
}

}  // namespace
