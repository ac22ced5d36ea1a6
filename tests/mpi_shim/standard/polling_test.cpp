// MPI-3.1, sections 3.7 and 3.8: ranks that ask again and again where they could wait, while others need their CPU. A
// poll that kept it to the end of its time slice would make of each hop below some milliseconds, and of each body
// minutes: the harness ends it.
#include "message.hpp"
#include "mpi_test.hpp"
#include "protocol_sizes.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace mpi_test {
namespace {

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

// Two ranks reduce to the first one, who finds all that it needs, until the second hears that a long message of a third
// one to the first has gone. How often?
MPI_TEST_AT(Polling, CollectiveCallsLetTheMessageOfAThirdRankArrive, ({3}))
{
    constexpr int kMany = 1000;
    const Message out(1'000'000, 1);
    MPI_Comm two = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank() == 2 ? MPI_UNDEFINED : 0, rank(), &two);
    std::vector<int> calls;
    for (int round = 0; round < 9; ++round) {
        int word = 0;
        if (rank() == 2) {
            MPI_Send(out.data(), out.count(), MPI_BYTE, 0, kTag, MPI_COMM_WORLD);
            MPI_Send(&word, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD);
        } else {
            Message in(1'000'000);
            MPI_Request request = MPI_REQUEST_NULL;
            rank() == 0 ? MPI_Irecv(in.data(), in.count(), MPI_BYTE, 2, kTag, MPI_COMM_WORLD, &request)
                        : MPI_Irecv(&word, 1, MPI_INT, 2, kTag, MPI_COMM_WORLD, &request);
            int done = 0;
            calls.push_back(0);
            for (int all_done = 0; all_done == 0; ++calls.back()) {
                if (rank() == 1 && done == 0) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
                MPI_Reduce(&done, &all_done, 1, MPI_INT, MPI_SUM, 0, two);
                if (rank() == 1) all_done = done;
            }
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            EXPECT_TRUE(rank() != 0 || in.holds(1));
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank() == 0) {
        std::nth_element(calls.begin(), calls.begin() + 4, calls.end());
        EXPECT_LT(calls[4], kMany);
    }
    if (two != MPI_COMM_NULL) MPI_Comm_free(&two);
}

}  // namespace
}  // namespace mpi_test
