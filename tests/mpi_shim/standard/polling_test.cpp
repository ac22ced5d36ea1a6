// MPI-3.1, sections 3.7 and 3.8: ranks that ask again and again where they could wait, while others need their CPU. A
// poll that kept it to the end of its time slice would make of each hop below some milliseconds, and of each body
// minutes: the harness ends it.
#include "message.hpp"
#include "mpi_test.hpp"
#include "protocol_sizes.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace mpi_test {
namespace {

using namespace std::chrono_literals;

constexpr int kTag = 21;
constexpr int kRounds = 1000;

// Receives a number from the left by polling.
using Poll = std::function<void(int* number)>;

// A number goes around the ranks, each of which polls for it.
void send_around(const Poll& poll)
{
    for (int round = 0; round < kRounds; ++round) {
        int number = -1;
        if (rank() != 0) poll(&number);
        const int next = rank() == 0 ? round : number;
        MPI_Send(&next, 1, MPI_INT, right(), kTag, MPI_COMM_WORLD);
        if (rank() == 0) poll(&number);
        if (number != round) {
            EXPECT_EQ(number, round);
            break;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

MPI_Request posted(int* number)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(number, 1, MPI_INT, left(), kTag, MPI_COMM_WORLD, &request);
    return request;
}

MPI_TEST_AT(Polling, ANumberGoesAroundRanksThatTest, ({3, 8}))
{
    send_around([](int* number) {
        MPI_Request request = posted(number);
        for (int flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    });
    send_around([](int* number) {
        MPI_Request request = posted(number);
        for (int flag = 0; flag == 0;) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
}

MPI_TEST_AT(Polling, ANumberGoesAroundRanksThatTestSeveral, ({3, 8}))
{
    send_around([](int* number) {
        MPI_Request requests[] = {MPI_REQUEST_NULL, posted(number)};
        for (int flag = 0, index = 0; flag == 0;) MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
    });
    send_around([](int* number) {
        MPI_Request requests[] = {MPI_REQUEST_NULL, posted(number)};
        for (int flag = 0; flag == 0;) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    });
    send_around([](int* number) {
        MPI_Request requests[] = {MPI_REQUEST_NULL, posted(number)};
        int indices[2];
        for (int found = 0; found == 0;) MPI_Testsome(2, requests, &found, indices, MPI_STATUSES_IGNORE);
    });
}

MPI_TEST_AT(Polling, ANumberGoesAroundRanksThatProbe, ({3, 8}))
{
    send_around([](int* number) {
        for (int flag = 0; flag == 0;) MPI_Iprobe(left(), kTag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(number, 1, MPI_INT, left(), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    send_around([](int* number) {
        MPI_Message message = MPI_MESSAGE_NULL;
        for (int flag = 0; flag == 0;)
            MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(number, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    });
}

MPI_TEST_AT(Polling, RanksThatTestANonblockingCollectiveCallMeet, ({3, 8}))
{
    for (int round = 0; round < kRounds; ++round) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        for (int flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
}

// Long messages go through channels, whose transfers a look makes go on one by one.
MPI_TEST_AT(Polling, LongMessagesGoAroundRanksThatTest, ({3, 8}))
{
    constexpr std::size_t kBytes = 100'000;
    constexpr int kMessages = 8;
    const Message out(kBytes, 1);
    for (int round = 0; round < 10; ++round) {
        std::vector<Message> in(kMessages, Message(kBytes));
        MPI_Request requests[2 * kMessages];
        for (int m = 0; m < kMessages; ++m) {
            MPI_Irecv(in[static_cast<std::size_t>(m)].data(), out.count(), MPI_BYTE, left(), kTag + m, MPI_COMM_WORLD,
                &requests[m]);
            MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), kTag + m, MPI_COMM_WORLD, &requests[kMessages + m]);
        }
        for (int flag = 0; flag == 0;) MPI_Testall(2 * kMessages, requests, &flag, MPI_STATUSES_IGNORE);
        for (const Message& message : in) EXPECT_TRUE(message.holds(1));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// How often the operation of the test below has been applied: by its root alone, when the operands have come.
std::atomic<int> applied = 0;

void add(void* in, void* inout, int* length, MPI_Datatype*)
{
    std::transform(static_cast<int*>(in), static_cast<int*>(in) + *length, static_cast<int*>(inout),
        static_cast<int*>(inout), std::plus<>());
    ++applied;
}

// Two ranks reduce to the first one, who finds all that it needs. Long operands of a third rank for the first one have
// been on their way for some milliseconds: how many calls until they are there?
MPI_TEST_AT(Polling, CollectiveCallsLetTheMessageOfAThirdRankArrive, ({3}))
{
    constexpr int kCalls = 1000;
    constexpr int kLong = 250'000;
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(add, 0, &op);
    MPI_Comm busy = MPI_COMM_NULL;  // ranks 0 and 1
    MPI_Comm_split(MPI_COMM_WORLD, rank() == 2 ? MPI_UNDEFINED : 0, rank(), &busy);
    MPI_Comm other = MPI_COMM_NULL;  // ranks 0 and 2
    MPI_Comm_split(MPI_COMM_WORLD, rank() == 1 ? MPI_UNDEFINED : 0, rank(), &other);
    std::vector<int> calls;
    for (int round = 0; round < 9; ++round) {
        const std::vector<int> ones(kLong, 1);
        std::vector<int> sums(kLong);
        if (rank() == 0) applied = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank() == 0) MPI_Ireduce(ones.data(), sums.data(), kLong, MPI_INT, op, 0, other, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank() == 2) MPI_Ireduce(ones.data(), nullptr, kLong, MPI_INT, op, 0, other, &request);
        if (rank() == 0) std::this_thread::sleep_for(10ms);
        int before = 0;
        for (int call = 0, sum = 0; call < kCalls && rank() != 2; ++call) {
            MPI_Reduce(&call, &sum, 1, MPI_INT, MPI_SUM, 0, busy);
            if (applied == 0) ++before;
        }
        calls.push_back(before);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(std::count(sums.begin(), sums.end(), rank() == 0 ? 2 : 0), kLong);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank() == 0) {
        // On a busy machine the third rank may not have had a CPU meanwhile.
        std::nth_element(calls.begin(), calls.begin() + 2, calls.end());
        EXPECT_LT(calls[2], kCalls / 10);
    }
    MPI_Op_free(&op);
    if (busy != MPI_COMM_NULL) MPI_Comm_free(&busy);
    if (other != MPI_COMM_NULL) MPI_Comm_free(&other);
}

}  // namespace
}  // namespace mpi_test
