// MPI-3.1, sections 3.7.3 to 3.7.6 and 3.9: completion of requests, one and many, null and inactive ones, persistent
// ones.
#include "message.hpp"
#include "mpi_test.hpp"
#include "protocol_sizes.hpp"

#include <algorithm>
#include <cstring>
#include <random>

namespace mpi_test {
namespace {

constexpr int kTag = 41;

MPI_Status marked_status()
{
    MPI_Status status;
    std::memset(&status, 0x5a, sizeof status);
    return status;
}

// Section 3.7.3: the empty status. MPI_ERROR is only set by the calls that fill several statuses.
void expect_empty(const MPI_Status& status, const char* call)
{
    SCOPED_TRACE(call);
    EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
    int count = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 0);
    MPI_Get_elements(&status, MPI_INT, &count);
    EXPECT_EQ(count, 0);
    int flag = -1;
    MPI_Test_cancelled(&status, &flag);
    EXPECT_EQ(flag, 0);
}

// `requests` are null or inactive: every call returns at once and says so.
void expect_nothing_active(std::vector<MPI_Request>& requests)
{
    const std::vector<MPI_Request> before = requests;
    const int n = static_cast<int>(requests.size());
    std::vector<int> indices(requests.size() + 1, -7);
    int flag = 0;
    int index = -7;
    int outcount = -7;
    MPI_Status status = marked_status();
    for (MPI_Request& request : requests) {
        MPI_Wait(&request, &status);
        expect_empty(status, "MPI_Wait");
        status = marked_status();
        MPI_Test(&request, &flag, &status);
        EXPECT_NE(flag, 0);
        expect_empty(status, "MPI_Test");
    }
    std::vector<MPI_Status> statuses(requests.size() + 1, marked_status());
    MPI_Waitall(n, requests.data(), statuses.data());
    for (std::size_t i = 0; i < requests.size(); ++i) expect_empty(statuses[i], "MPI_Waitall");
    std::fill(statuses.begin(), statuses.end(), marked_status());
    flag = 0;
    MPI_Testall(n, requests.data(), &flag, statuses.data());
    EXPECT_NE(flag, 0);
    for (std::size_t i = 0; i < requests.size(); ++i) expect_empty(statuses[i], "MPI_Testall");
    status = marked_status();
    MPI_Waitany(n, requests.data(), &index, &status);
    EXPECT_EQ(index, MPI_UNDEFINED);
    expect_empty(status, "MPI_Waitany");
    index = -7;
    flag = 0;
    status = marked_status();
    MPI_Testany(n, requests.data(), &index, &flag, &status);
    EXPECT_NE(flag, 0);
    EXPECT_EQ(index, MPI_UNDEFINED);
    if (!excepted("status of MPI_Testany without active requests")) {
        expect_empty(status, "MPI_Testany");
    }
    MPI_Waitsome(n, requests.data(), &outcount, indices.data(), statuses.data());
    EXPECT_EQ(outcount, MPI_UNDEFINED);
    outcount = -7;
    MPI_Testsome(n, requests.data(), &outcount, indices.data(), statuses.data());
    EXPECT_EQ(outcount, MPI_UNDEFINED);
    EXPECT_EQ(requests, before);
    MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE);
    MPI_Waitany(n, requests.data(), &index, MPI_STATUS_IGNORE);
    MPI_Waitsome(n, requests.data(), &outcount, indices.data(), MPI_STATUSES_IGNORE);
}

MPI_TEST_AT(Completion, NullRequestsAreCompleteAndTheirStatusIsEmpty, ({1, 2}))
{
    for (const std::size_t n : {0, 1, 5}) {
        std::vector<MPI_Request> requests(n, MPI_REQUEST_NULL);
        expect_nothing_active(requests);
    }
}

MPI_TEST_AT(Completion, InactivePersistentRequestsAreCompleteAndTheirStatusIsEmpty, ({1, 2}))
{
    Message buffer(8);
    std::vector<MPI_Request> requests(4, MPI_REQUEST_NULL);
    MPI_Send_init(buffer.data(), 8, MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(buffer.data(), 8, MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &requests[1]);
    MPI_Ssend_init(buffer.data(), 8, MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &requests[3]);
    expect_nothing_active(requests);
    for (MPI_Request& request : requests) {
        if (request == MPI_REQUEST_NULL) continue;
        int flag = 0;
        MPI_Status status = marked_status();
        MPI_Request_get_status(request, &flag, &status);
        EXPECT_NE(flag, 0);
        expect_empty(status, "MPI_Request_get_status");
        MPI_Request_free(&request);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
    }
    int flag = 0;
    MPI_Status status = marked_status();
    MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &status);
    EXPECT_NE(flag, 0);
    expect_empty(status, "MPI_Request_get_status");
}

// A receive from the left for each of `n` tags, and the sends that fill them when told to.
struct Exchange {
    std::vector<int> in;
    std::vector<int> out;
    std::vector<MPI_Request> receives;

    explicit Exchange(int n)
        : in(static_cast<std::size_t>(n), -1),
          out(static_cast<std::size_t>(n), -1),
          receives(static_cast<std::size_t>(n), MPI_REQUEST_NULL)
    {
        for (int i = 0; i < n; ++i) {
            const auto k = static_cast<std::size_t>(i);
            out[k] = 100 * rank() + i;
            MPI_Irecv(&in[k], 1, MPI_INT, left(), kTag + i, MPI_COMM_WORLD, &receives[k]);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    int count() const { return static_cast<int>(in.size()); }
    void send(int i) { MPI_Send(&out[static_cast<std::size_t>(i)], 1, MPI_INT, right(), kTag + i, MPI_COMM_WORLD); }
    void expect_received(int i, const MPI_Status& status) const
    {
        EXPECT_EQ(in[static_cast<std::size_t>(i)], 100 * left() + i);
        EXPECT_EQ(status.MPI_SOURCE, left());
        EXPECT_EQ(status.MPI_TAG, kTag + i);
        int count = -1;
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT_EQ(count, 1);
    }
};

MPI_TEST(Completion, WaitReturnsEachRequestAsNull)
{
    Exchange exchange(4);
    for (int i = 3; i >= 0; --i) {
        exchange.send(i);
        MPI_Status status;
        MPI_Request& request = exchange.receives[static_cast<std::size_t>(i)];
        MPI_Wait(&request, &status);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
        exchange.expect_received(i, status);
    }
}

MPI_TEST(Completion, WaitanyFindsTheOneThatIsComplete)
{
    Exchange exchange(6);
    for (const int expected : {3, 0, 5, 1, 4, 2}) {
        int index = -1;
        int flag = -1;
        MPI_Status status;
        MPI_Testany(exchange.count(), exchange.receives.data(), &index, &flag, &status);
        EXPECT_EQ(flag, 0);
        EXPECT_EQ(index, MPI_UNDEFINED);
        MPI_Barrier(MPI_COMM_WORLD);
        exchange.send(expected);
        if (expected % 2 == 0) {
            MPI_Waitany(exchange.count(), exchange.receives.data(), &index, &status);
        } else {
            while (flag == 0) MPI_Testany(exchange.count(), exchange.receives.data(), &index, &flag, &status);
        }
        EXPECT_EQ(index, expected);
        exchange.expect_received(expected, status);
        EXPECT_EQ(exchange.receives[static_cast<std::size_t>(expected)], MPI_REQUEST_NULL);
    }
    int index = -1;
    MPI_Waitany(exchange.count(), exchange.receives.data(), &index, MPI_STATUS_IGNORE);
    EXPECT_EQ(index, MPI_UNDEFINED);
}

MPI_TEST(Completion, WaitsomeAndTestsomeGiveEachCompletedRequestOnce)
{
    for (const bool tests : {false, true}) {
        Exchange exchange(9);
        for (const int first : {6, 0, 3}) {  // three at a time
            int outcount = -1;
            std::vector<int> indices(9, -1);
            std::vector<MPI_Status> statuses(9);
            MPI_Testsome(9, exchange.receives.data(), &outcount, indices.data(), statuses.data());
            EXPECT_EQ(outcount, 0);
            MPI_Barrier(MPI_COMM_WORLD);
            for (int i = first; i < first + 3; ++i) exchange.send(i);
            std::vector<int> seen;
            while (seen.size() < 3) {
                (tests ? MPI_Testsome : MPI_Waitsome)(
                    9, exchange.receives.data(), &outcount, indices.data(), statuses.data());
                REQUIRE(outcount != MPI_UNDEFINED);
                EXPECT_TRUE(tests || outcount > 0);
                for (int k = 0; k < outcount; ++k) {
                    const int i = indices[static_cast<std::size_t>(k)];
                    seen.push_back(i);
                    exchange.expect_received(i, statuses[static_cast<std::size_t>(k)]);
                    EXPECT_EQ(exchange.receives[static_cast<std::size_t>(i)], MPI_REQUEST_NULL);
                }
            }
            std::sort(seen.begin(), seen.end());
            EXPECT_EQ(seen, (std::vector<int>{first, first + 1, first + 2}));
        }
        int outcount = -1;
        std::vector<int> indices(9, -1);
        (tests ? MPI_Testsome : MPI_Waitsome)(
            9, exchange.receives.data(), &outcount, indices.data(), MPI_STATUSES_IGNORE);
        EXPECT_EQ(outcount, MPI_UNDEFINED);
    }
}

MPI_TEST(Completion, TestallChangesNothingUntilAllAreComplete)
{
    Exchange exchange(5);
    const std::vector<MPI_Request> before = exchange.receives;
    for (int i = 0; i < 4; ++i) exchange.send(i);
    std::vector<MPI_Status> statuses(5);
    int flag = -1;
    for (int i = 0; i < 20; ++i) {
        MPI_Testall(5, exchange.receives.data(), &flag, statuses.data());
        EXPECT_EQ(flag, 0);
        EXPECT_EQ(exchange.receives, before);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    exchange.send(4);
    while (flag == 0) MPI_Testall(5, exchange.receives.data(), &flag, statuses.data());
    EXPECT_EQ(exchange.receives, std::vector<MPI_Request>(5, MPI_REQUEST_NULL));
    for (int i = 0; i < 5; ++i) exchange.expect_received(i, statuses[static_cast<std::size_t>(i)]);
}

MPI_TEST(Completion, WaitallGivesTheStatusOfEachInItsPlace)
{
    Exchange exchange(7);
    const std::vector<int> order = {6, 2, 0, 5, 1, 4, 3};
    for (const int i : order) exchange.send(i);
    exchange.receives.insert(exchange.receives.begin() + 3, MPI_REQUEST_NULL);
    std::vector<MPI_Status> statuses(8, marked_status());
    MPI_Waitall(8, exchange.receives.data(), statuses.data());
    expect_empty(statuses[3], "MPI_Waitall");
    for (int i = 0; i < 7; ++i) exchange.expect_received(i, statuses[static_cast<std::size_t>(i < 3 ? i : i + 1)]);
    EXPECT_EQ(exchange.receives, std::vector<MPI_Request>(8, MPI_REQUEST_NULL));
}

MPI_TEST(Completion, RequestGetStatusLeavesTheRequest)
{
    Exchange exchange(1);
    MPI_Request request = exchange.receives[0];
    int flag = -1;
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    exchange.send(0);
    MPI_Status status;
    while (flag == 0) MPI_Request_get_status(request, &flag, &status);
    exchange.expect_received(0, status);
    status = marked_status();
    MPI_Request_get_status(request, &flag, &status);
    EXPECT_NE(flag, 0);
    exchange.expect_received(0, status);
    status = marked_status();
    MPI_Wait(&request, &status);
    exchange.expect_received(0, status);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
}

MPI_TEST(Completion, TestLeavesAnIncompleteRequestAndTakesACompleteOne)
{
    Exchange exchange(1);
    MPI_Request request = exchange.receives[0];
    int flag = -1;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(request, exchange.receives[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    exchange.send(0);
    MPI_Status status;
    while (flag == 0) MPI_Test(&request, &flag, &status);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    exchange.expect_received(0, status);
}

// A send of a few bytes is over when its call returns, and its request may stand for others like it. Whatever is asked
// of one leaves the others as they are.
MPI_TEST(Completion, ShortSendsAreAskedForOneByOneAndTogether)
{
    constexpr int kSends = 8;
    int in[kSends] = {};
    const int out[kSends] = {10, 11, 12, 13, 14, 15, 16, 17};
    std::vector<MPI_Request> receives(kSends, MPI_REQUEST_NULL), sends(kSends, MPI_REQUEST_NULL);
    for (int i = 0; i < kSends; ++i)
        MPI_Irecv(&in[i], 1, MPI_INT, left(), kTag + i, MPI_COMM_WORLD, &receives[static_cast<std::size_t>(i)]);
    for (int i = 0; i < kSends; ++i)
        MPI_Isend(&out[i], 1, MPI_INT, right(), kTag + i, MPI_COMM_WORLD, &sends[static_cast<std::size_t>(i)]);

    const auto expect_that_of_a_send = [](MPI_Status& status) {
        int count = -1, cancelled = -1;
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Test_cancelled(&status, &cancelled);
        EXPECT_EQ(count, 0);
        EXPECT_EQ(cancelled, 0);
    };
    MPI_Status status, statuses[kSends];
    int flag = 0, index = -1, outcount = -1, indices[kSends];
    MPI_Request_get_status(sends[0], &flag, &status);
    EXPECT_NE(flag, 0);
    EXPECT_NE(sends[0], MPI_REQUEST_NULL);
    expect_that_of_a_send(status);
    MPI_Wait(&sends[0], &status);
    EXPECT_EQ(sends[0], MPI_REQUEST_NULL);
    expect_that_of_a_send(status);
    MPI_Cancel(&sends[1]);
    MPI_Test(&sends[1], &flag, &status);
    EXPECT_NE(flag, 0);
    EXPECT_EQ(sends[1], MPI_REQUEST_NULL);
    expect_that_of_a_send(status);
    MPI_Request_free(&sends[2]);
    EXPECT_EQ(sends[2], MPI_REQUEST_NULL);
    MPI_Waitany(kSends, sends.data(), &index, &status);
    EXPECT_EQ(index, 3);
    EXPECT_EQ(sends[3], MPI_REQUEST_NULL);
    MPI_Testany(kSends, sends.data(), &index, &flag, &status);
    EXPECT_EQ(index, 4);
    EXPECT_EQ(sends[4], MPI_REQUEST_NULL);
    EXPECT_NE(sends[5], MPI_REQUEST_NULL);
    MPI_Testsome(1, &sends[5], &outcount, indices, statuses);
    EXPECT_EQ(outcount, 1);
    MPI_Waitsome(kSends, sends.data(), &outcount, indices, statuses);
    EXPECT_EQ(outcount, 2);
    EXPECT_EQ(indices[1], kSends - 1);
    expect_nothing_active(sends);
    MPI_Waitall(kSends, sends.data(), statuses);
    MPI_Waitall(kSends, receives.data(), statuses);
    for (int i = 0; i < kSends; ++i) EXPECT_EQ(in[i], out[i]);
}

MPI_TEST(Persistent, AStartedOneTwiceInAnArrayIsAnError)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int in = -1;
    const int out = rank();
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Recv_init(&in, 1, MPI_INT, left(), kTag, MPI_COMM_WORLD, &receive);
    MPI_Start(&receive);
    MPI_Send(&out, 1, MPI_INT, right(), kTag, MPI_COMM_WORLD);
    MPI_Request both[2] = {receive, receive};
    int error_class = MPI_SUCCESS;
    MPI_Error_class(MPI_Waitall(2, both, MPI_STATUSES_IGNORE), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_REQUEST);
    EXPECT_EQ(in, left());
    MPI_Request_free(&receive);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

MPI_TEST(Completion, ShortSendsInOneArrayWithReceives)
{
    int in[2] = {-1, -1};
    const int out[2] = {rank(), 100 + rank()};
    std::vector<MPI_Request> requests(5, MPI_REQUEST_NULL);
    MPI_Isend(&out[0], 1, MPI_INT, right(), kTag, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, left(), kTag, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&out[1], 1, MPI_INT, right(), kTag, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(&in[0], 1, MPI_INT, left(), kTag, MPI_COMM_WORLD, &requests[3]);
    MPI_Isend(&out[1], 1, MPI_INT, MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &requests[4]);
    MPI_Status statuses[5];
    MPI_Waitall(5, requests.data(), statuses);
    expect_nothing_active(requests);
    EXPECT_EQ(in[1], left());
    EXPECT_EQ(in[0], 100 + left());
    EXPECT_EQ(statuses[1].MPI_SOURCE, left());
    EXPECT_EQ(statuses[3].MPI_SOURCE, left());
}

// Section 3.7.3: the communication of a request that is freed completes.
MPI_TEST(Completion, AFreedSendStillArrives)
{
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{64}, std::size_t{10000}, std::size_t{200000}}) {
        Message in(bytes);
        const Message out(bytes, static_cast<std::uint64_t>(rank()));
        MPI_Request send = MPI_REQUEST_NULL;
        MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &send);
        MPI_Request_free(&send);
        EXPECT_EQ(send, MPI_REQUEST_NULL);
        MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_TRUE(in.holds(static_cast<std::uint64_t>(left())));
        MPI_Barrier(MPI_COMM_WORLD);  // only then may the buffer go
    }
}

MPI_TEST(Completion, AFreedReceiveStillFillsItsBuffer)
{
    Message in(8);
    const Message out(8, 7);
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &receive);
    MPI_Request_free(&receive);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD);
    // Its message has been matched when a later one has arrived; a message of eight bytes is then in its buffer.
    const int note = 1;
    int noted = 0;
    MPI_Sendrecv(
        &note, 1, MPI_INT, right(), kTag + 1, &noted, 1, MPI_INT, left(), kTag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_TRUE(in.holds(7));
}

MPI_TEST(Completion, RandomMixesOfAllCompletionCallsFinishEverything)
{
    std::mt19937_64 random(seed() + static_cast<std::uint64_t>(rank()) * 77);
    constexpr std::size_t kMessages = 120;
    std::vector<Message> in;
    std::vector<Message> out;
    for (std::size_t i = 0; i < kMessages; ++i) {
        const std::size_t bytes = i % 10 == 0 ? 70000 : i * 3;
        in.emplace_back(bytes);
        out.emplace_back(bytes, 1000 * static_cast<std::uint64_t>(rank()) + i);
    }
    std::vector<MPI_Request> requests(2 * kMessages, MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < kMessages; ++i) {
        MPI_Isend(out[i].data(), out[i].count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Irecv(in[i].data(), in[i].count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
    const int n = static_cast<int>(requests.size());
    std::vector<int> indices(requests.size());
    const auto all_done = [&] {
        return std::all_of(requests.begin(), requests.end(), [](MPI_Request r) { return r == MPI_REQUEST_NULL; });
    };
    while (!all_done()) {
        int flag = 0;
        int index = 0;
        const auto one = static_cast<std::size_t>(random() % requests.size());
        switch (random() % 6) {
            case 0:
                MPI_Test(&requests[one], &flag, MPI_STATUS_IGNORE);
                break;
            case 1:
                MPI_Waitany(n, requests.data(), &index, MPI_STATUS_IGNORE);
                break;
            case 2:
                MPI_Testany(n, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
                break;
            case 3:
                MPI_Waitsome(n, requests.data(), &index, indices.data(), MPI_STATUSES_IGNORE);
                break;
            case 4:
                MPI_Testsome(n, requests.data(), &index, indices.data(), MPI_STATUSES_IGNORE);
                break;
            default:
                MPI_Testall(n, requests.data(), &flag, MPI_STATUSES_IGNORE);
        }
    }
    for (std::size_t i = 0; i < kMessages; ++i) {
        EXPECT_TRUE(in[i].holds(1000 * static_cast<std::uint64_t>(left()) + i)) << "message " << i;
    }
}

MPI_TEST(Persistent, ARequestIsStartedManyTimes)
{
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{40}, std::size_t{5000}, std::size_t{100000}}) {
        Message in(bytes);
        Message out(bytes);
        MPI_Request requests[2];
        MPI_Recv_init(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &requests[0]);
        MPI_Send_init(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &requests[1]);
        for (std::uint64_t round = 0; round < 20; ++round) {
            in.clear();
            out.fill(round + 100 * static_cast<std::uint64_t>(rank()));
            if (round % 2 == 0) {
                MPI_Startall(2, requests);
            } else {
                MPI_Start(&requests[1]);
                MPI_Start(&requests[0]);
            }
            MPI_Status statuses[2];
            MPI_Waitall(2, requests, statuses);
            EXPECT_NE(requests[0], MPI_REQUEST_NULL);
            EXPECT_NE(requests[1], MPI_REQUEST_NULL);
            EXPECT_EQ(statuses[0].MPI_SOURCE, left());
            EXPECT_TRUE(in.holds(round + 100 * static_cast<std::uint64_t>(left())));
        }
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
    }
}

MPI_TEST(Persistent, APersistentSendMatchesAnyReceiveAndAnySendAPersistentReceive)
{
    Message in(50);
    const Message out(50, 9);
    MPI_Request persistent = MPI_REQUEST_NULL;
    MPI_Request other = MPI_REQUEST_NULL;
    MPI_Send_init(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &persistent);
    MPI_Start(&persistent);
    MPI_Recv(in.data(), in.count(), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_TRUE(in.holds(9));
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Request_free(&persistent);
    in.clear();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv_init(in.data(), in.count(), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &persistent);
    MPI_Start(&persistent);
    MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &other);
    MPI_Status status;
    MPI_Wait(&persistent, &status);
    EXPECT_EQ(status.MPI_SOURCE, left());
    EXPECT_EQ(status.MPI_TAG, kTag);
    EXPECT_TRUE(in.holds(9));
    MPI_Wait(&other, MPI_STATUS_IGNORE);
    MPI_Request_free(&persistent);
}

MPI_TEST(Persistent, WaitanyAndWaitsomeLeaveACompletedOneInactive)
{
    int in = -1;
    const int out = rank();
    std::vector<MPI_Request> requests(2, MPI_REQUEST_NULL);
    MPI_Recv_init(&in, 1, MPI_INT, left(), kTag, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < 4; ++round) {
        MPI_Start(&requests[1]);
        MPI_Request send = MPI_REQUEST_NULL;
        MPI_Isend(&out, 1, MPI_INT, right(), kTag, MPI_COMM_WORLD, &send);
        int index = -1;
        int outcount = 1;
        if (round % 2 == 0) {
            MPI_Waitany(2, requests.data(), &index, MPI_STATUS_IGNORE);
        } else {
            MPI_Waitsome(2, requests.data(), &outcount, &index, MPI_STATUSES_IGNORE);
        }
        EXPECT_EQ(outcount, 1);
        EXPECT_EQ(index, 1);
        EXPECT_EQ(in, left());
        EXPECT_NE(requests[1], MPI_REQUEST_NULL);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        expect_nothing_active(requests);
    }
    MPI_Request_free(&requests[1]);
}

MPI_TEST(Persistent, AStartedOneThatIsFreedStillArrives)
{
    Message in(100);
    const Message out(100, 4);
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Send_init(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &send);
    MPI_Start(&send);
    MPI_Request_free(&send);
    EXPECT_EQ(send, MPI_REQUEST_NULL);
    MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_TRUE(in.holds(4));
    MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace mpi_test
