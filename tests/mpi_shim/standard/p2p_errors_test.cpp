// MPI-3.1, sections 3.2, 3.7.5 and 8.3: what a wrong argument and a message that is too long give, with errors
// returned.
#include "message.hpp"
#include "mpi_test.hpp"
#include "protocol_sizes.hpp"

namespace mpi_test {
namespace {

constexpr int kTag = 61;

// Calls every blocking, nonblocking and persistent call that sends or receives with the same arguments.
template <class Call>
void for_each_call(const Call& call)
{
    char byte = 0;
    call("MPI_Send", [&](int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
        return MPI_Send(&byte, count, type, peer, tag, comm);
    });
    call("MPI_Ssend", [&](int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
        return MPI_Ssend(&byte, count, type, peer, tag, comm);
    });
    call("MPI_Rsend", [&](int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
        return MPI_Rsend(&byte, count, type, peer, tag, comm);
    });
    call("MPI_Bsend", [&](int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
        return MPI_Bsend(&byte, count, type, peer, tag, comm);
    });
    call("MPI_Recv", [&](int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
        return MPI_Recv(&byte, count, type, peer, tag, comm, MPI_STATUS_IGNORE);
    });
    call("MPI_Isend", [&](int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
        MPI_Request request = MPI_REQUEST_NULL;
        return MPI_Isend(&byte, count, type, peer, tag, comm, &request);
    });
    call("MPI_Irecv", [&](int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
        MPI_Request request = MPI_REQUEST_NULL;
        return MPI_Irecv(&byte, count, type, peer, tag, comm, &request);
    });
    call("MPI_Send_init", [&](int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
        MPI_Request request = MPI_REQUEST_NULL;
        return MPI_Send_init(&byte, count, type, peer, tag, comm, &request);
    });
    call("MPI_Recv_init", [&](int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
        MPI_Request request = MPI_REQUEST_NULL;
        return MPI_Recv_init(&byte, count, type, peer, tag, comm, &request);
    });
    call("MPI_Sendrecv, as sender", [&](int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
        return MPI_Sendrecv(
            &byte, count, type, peer, tag, &byte, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
    });
    call("MPI_Sendrecv, as receiver", [&](int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
        return MPI_Sendrecv(
            &byte, 0, MPI_BYTE, MPI_PROC_NULL, 0, &byte, count, type, peer, tag, comm, MPI_STATUS_IGNORE);
    });
    call("MPI_Sendrecv_replace", [&](int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
        return MPI_Sendrecv_replace(&byte, count, type, peer, tag, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
    });
}

MPI_TEST_AT(Arguments, ABadPeerIsRefused, ({1, 2}))
{
    const ReturnErrors returned;
    for_each_call([](const char* name, const auto& call) {
        SCOPED_TRACE(name);
        EXPECT_CLASS(MPI_ERR_RANK, call(1, MPI_BYTE, size(), kTag, MPI_COMM_WORLD));
        EXPECT_CLASS(MPI_ERR_RANK, call(1, MPI_BYTE, -77, kTag, MPI_COMM_WORLD));
    });
    char byte = 0;
    EXPECT_CLASS(MPI_ERR_RANK, MPI_Send(&byte, 1, MPI_BYTE, MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD));
    int flag = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    EXPECT_CLASS(MPI_ERR_RANK, MPI_Probe(size(), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    EXPECT_CLASS(MPI_ERR_RANK, MPI_Iprobe(size(), kTag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    EXPECT_CLASS(MPI_ERR_RANK, MPI_Mprobe(size(), kTag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    EXPECT_CLASS(MPI_ERR_RANK, MPI_Improbe(size(), kTag, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
}

MPI_TEST_AT(Arguments, ABadTagIsRefused, ({1, 2}))
{
    const ReturnErrors returned;
    for_each_call([](const char* name, const auto& call) {
        SCOPED_TRACE(name);
        EXPECT_CLASS(MPI_ERR_TAG, call(1, MPI_BYTE, 0, -55, MPI_COMM_WORLD));
    });
    char byte = 0;
    EXPECT_CLASS(MPI_ERR_TAG, MPI_Send(&byte, 1, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD));
    EXPECT_CLASS(MPI_ERR_TAG, MPI_Probe(0, -55, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

MPI_TEST_AT(Arguments, ABadCountIsRefused, ({1, 2}))
{
    const ReturnErrors returned;
    for_each_call([](const char* name, const auto& call) {
        SCOPED_TRACE(name);
        EXPECT_CLASS(MPI_ERR_COUNT, call(-1, MPI_BYTE, 0, kTag, MPI_COMM_WORLD));
    });
}

MPI_TEST_AT(Arguments, ABadTypeIsRefused, ({1, 2}))
{
    const ReturnErrors returned;
    MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    for_each_call([&](const char* name, const auto& call) {
        SCOPED_TRACE(name);
        EXPECT_CLASS(MPI_ERR_TYPE, call(1, MPI_DATATYPE_NULL, 0, kTag, MPI_COMM_WORLD));
        EXPECT_CLASS(MPI_ERR_TYPE, call(1, uncommitted, 0, kTag, MPI_COMM_WORLD));
    });
    MPI_Type_free(&uncommitted);
}

// Section 8.3: an error without a communicator is raised on MPI_COMM_WORLD.
MPI_TEST_AT(Arguments, ABadCommunicatorIsRefused, ({1, 2}))
{
    const ReturnErrors returned;
    for_each_call([](const char* name, const auto& call) {
        SCOPED_TRACE(name);
        EXPECT_CLASS(MPI_ERR_COMM, call(1, MPI_BYTE, 0, kTag, MPI_COMM_NULL));
    });
    EXPECT_CLASS(MPI_ERR_COMM, MPI_Probe(0, kTag, MPI_COMM_NULL, MPI_STATUS_IGNORE));
}

MPI_TEST_AT(Arguments, ABadRequestIsRefused, ({1, 2}))
{
    const ReturnErrors returned;
    MPI_Request null = MPI_REQUEST_NULL;
    EXPECT_CLASS(MPI_ERR_REQUEST, MPI_Start(&null));
    EXPECT_CLASS(MPI_ERR_REQUEST, MPI_Startall(1, &null));
    EXPECT_CLASS(MPI_ERR_REQUEST, MPI_Request_free(&null));
    EXPECT_CLASS(MPI_ERR_REQUEST, MPI_Cancel(&null));
    const char out = 1;
    char byte = 0;
    MPI_Request plain = MPI_REQUEST_NULL;
    MPI_Irecv(&byte, 1, MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &plain);
    EXPECT_CLASS(MPI_ERR_REQUEST, MPI_Start(&plain));  // it is not persistent
    MPI_Send(&out, 1, MPI_BYTE, right(), kTag, MPI_COMM_WORLD);
    EXPECT_SUCCESS(MPI_Wait(&plain, MPI_STATUS_IGNORE));
}

MPI_TEST_AT(Arguments, AnActivePersistentRequestIsNotStartedAgain, ({1, 2}))
{
    const ReturnErrors returned;
    const char out = 1;
    char byte = 0;
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Recv_init(&byte, 1, MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &receive);
    EXPECT_SUCCESS(MPI_Start(&receive));
    EXPECT_CLASS(MPI_ERR_REQUEST, MPI_Start(&receive));
    MPI_Send(&out, 1, MPI_BYTE, right(), kTag, MPI_COMM_WORLD);
    EXPECT_SUCCESS(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    EXPECT_SUCCESS(MPI_Request_free(&receive));
}

MPI_TEST_AT(Arguments, TheTagUpperBoundIsAnAttributeAndATagAboveItIsRefused, ({1, 2}))
{
    const ReturnErrors returned;
    int* bound = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    REQUIRE(flag != 0 && bound != nullptr);
    EXPECT_GE(*bound, 32767);
    char in = 0;
    const char out = 5;
    MPI_Status status;
    EXPECT_SUCCESS(
        MPI_Sendrecv(&out, 1, MPI_CHAR, right(), *bound, &in, 1, MPI_CHAR, left(), *bound, MPI_COMM_WORLD, &status));
    EXPECT_EQ(in, 5);
    EXPECT_EQ(status.MPI_TAG, *bound);
    if (*bound < 2147483647) {
        EXPECT_CLASS(MPI_ERR_TAG, MPI_Send(&out, 1, MPI_CHAR, right(), *bound + 1, MPI_COMM_WORLD));
    }
}

MPI_TEST_AT(Arguments, ErrorsOfOneCommunicatorDoNotTouchAnother, ({1, 2}))
{
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    {
        const ReturnErrors returned(other);
        char byte = 0;
        EXPECT_CLASS(MPI_ERR_RANK, MPI_Send(&byte, 1, MPI_BYTE, size(), kTag, other));
    }
    MPI_Comm_free(&other);
}

// How a receive that is too short is made.
enum class Receive { blocking, posted, persistent, matched, sendrecv };

int receive_too_short(Receive how, Message& in, int source)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message = MPI_MESSAGE_NULL;
    int code = MPI_SUCCESS;
    switch (how) {
        case Receive::posted:
            MPI_Irecv(in.data(), in.count(), MPI_BYTE, source, kTag, MPI_COMM_WORLD, &request);
            MPI_Barrier(MPI_COMM_WORLD);
            return MPI_Wait(&request, MPI_STATUS_IGNORE);
        case Receive::persistent:
            MPI_Recv_init(in.data(), in.count(), MPI_BYTE, source, kTag, MPI_COMM_WORLD, &request);
            MPI_Start(&request);
            MPI_Barrier(MPI_COMM_WORLD);
            code = MPI_Wait(&request, MPI_STATUS_IGNORE);
            EXPECT_SUCCESS(MPI_Request_free(&request));
            return code;
        case Receive::matched:
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Mprobe(source, kTag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            return MPI_Mrecv(in.data(), in.count(), MPI_BYTE, &message, MPI_STATUS_IGNORE);
        case Receive::sendrecv:
            MPI_Barrier(MPI_COMM_WORLD);
            return MPI_Sendrecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, in.data(), in.count(), MPI_BYTE, source, kTag,
                MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        default:
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Probe(source, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            return MPI_Recv(in.data(), in.count(), MPI_BYTE, source, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

// The guards of a Message tell when something is written outside it. How much of the buffer is filled is open.
MPI_TEST_AT(Truncation, ItIsReportedWritesNothingBeyondTheBufferAndTheNextMessageArrives, ({2, 4}))
{
    const ReturnErrors returned;
    constexpr std::size_t kSizes[] = {1, 8, 25, 48, 64, 65, 1000, 8193, 70000, kRendezvous};
    for (const Receive how :
        {Receive::blocking, Receive::posted, Receive::persistent, Receive::matched, Receive::sendrecv}) {
        for (const std::size_t bytes : kSizes) {
            for (const std::size_t room : {std::size_t{0}, bytes / 2, bytes - 1}) {
                SCOPED_TRACE(std::to_string(bytes) + " bytes into " + std::to_string(room) + ", way " +
                             std::to_string(static_cast<int>(how)));
                if (rank() == 1) {
                    Message in(room);
                    EXPECT_CLASS(MPI_ERR_TRUNCATE, receive_too_short(how, in, 0));
                    for (std::size_t i = 0; i < Message::kGuard; ++i) {
                        EXPECT_EQ(in.data()[room + i], Message::kUntouched);
                        EXPECT_EQ(*(in.data() - 1 - i), Message::kUntouched);
                    }
                    Message next(bytes);
                    EXPECT_SUCCESS(
                        MPI_Recv(next.data(), next.count(), MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                    EXPECT_TRUE(next.holds(2));
                } else {
                    MPI_Barrier(MPI_COMM_WORLD);
                }
                if (rank() == 0) {
                    const Message first(bytes, 1);
                    const Message second(bytes, 2);
                    EXPECT_SUCCESS(MPI_Send(first.data(), first.count(), MPI_BYTE, 1, kTag, MPI_COMM_WORLD));
                    EXPECT_SUCCESS(MPI_Send(second.data(), second.count(), MPI_BYTE, 1, kTag, MPI_COMM_WORLD));
                }
            }
        }
    }
}

// A message that ends within an element is an error of its receiver, who alone can see it, and of nobody else.
MPI_TEST_AT(BrokenElement, ItIsAnErrorOfTheReceiver, ({2}))
{
    const ReturnErrors returned;
    for (const int bytes : {3, 27, 5001, 70'001}) {
        const Message out(static_cast<std::size_t>(bytes), 4);
        for (int manner = 0; manner < 4; ++manner) {
            if (rank() == 0) {
                EXPECT_SUCCESS(MPI_Send(out.data(), bytes, MPI_BYTE, 1, manner, MPI_COMM_WORLD));
                continue;
            }
            Message in(static_cast<std::size_t>(bytes) + 8);
            const int ints = bytes / 4 + 1;
            MPI_Status status;
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Datatype ints_type = MPI_INT;
            int code = MPI_SUCCESS;
            if (manner == 0) {
                code = MPI_Recv(in.data(), ints, MPI_INT, 0, manner, MPI_COMM_WORLD, &status);
            } else if (manner == 1) {
                EXPECT_SUCCESS(MPI_Irecv(in.data(), ints, MPI_INT, 0, manner, MPI_COMM_WORLD, &request));
                code = MPI_Wait(&request, &status);
            } else if (manner == 2) {
                MPI_Type_contiguous(ints, MPI_INT, &ints_type);
                MPI_Type_commit(&ints_type);
                code = MPI_Recv(in.data(), 1, ints_type, 0, manner, MPI_COMM_WORLD, &status);
                MPI_Type_free(&ints_type);
            } else {
                MPI_Message message = MPI_MESSAGE_NULL;
                EXPECT_SUCCESS(MPI_Mprobe(0, manner, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
                code = MPI_Mrecv(in.data(), ints, MPI_INT, &message, &status);
            }
            EXPECT_CLASS(MPI_ERR_TYPE, code) << bytes << " bytes, manner " << manner;
            EXPECT_TRUE(in.begins_with(4, static_cast<std::size_t>(bytes)));
            int count = 0;
            MPI_Get_count(&status, MPI_INT, &count);
            EXPECT_EQ(count, MPI_UNDEFINED);
        }
    }
    // Whole elements, fewer than there is room for, are none.
    int numbers[] = {1, 2, 3, 4};
    if (rank() == 0) {
        EXPECT_SUCCESS(MPI_Send(numbers, 3, MPI_INT, 1, 9, MPI_COMM_WORLD));
    } else {
        EXPECT_SUCCESS(MPI_Recv(numbers, 4, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

MPI_TEST_AT(Truncation, AReceiveWithGapsKeepsThem, ({2}))
{
    const ReturnErrors returned;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(10, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (const int ints : {11, 30, 80000}) {
        if (rank() == 0) {
            const std::vector<int> out(static_cast<std::size_t>(ints), 7);
            EXPECT_SUCCESS(MPI_Send(out.data(), ints, MPI_INT, 1, kTag, MPI_COMM_WORLD));
        } else {
            std::vector<int> in(40, -1);
            EXPECT_CLASS(MPI_ERR_TRUNCATE, MPI_Recv(in.data(), 1, type, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (std::size_t i = 0; i < 40; ++i) {
                EXPECT_TRUE(in[i] == -1 || (in[i] == 7 && i % 2 == 0 && i < 20)) << i;
            }
        }
    }
    MPI_Type_free(&type);
}

// Section 3.7.5.
MPI_TEST_AT(Truncation, WaitallSaysWhichRequestFailed, ({2}))
{
    const ReturnErrors returned;
    for (const std::size_t bytes : {std::size_t{100}, kRendezvous}) {
        for (const bool tests : {false, true}) {
            const Message out(bytes, 1);
            if (rank() == 0) {
                for (int i = 0; i < 3; ++i) {
                    MPI_Send(out.data(), out.count(), MPI_BYTE, 1, kTag + i, MPI_COMM_WORLD);
                }
            } else {
                Message in[3] = {Message(bytes), Message(bytes / 2), Message(bytes)};
                MPI_Request requests[3];
                MPI_Status statuses[3];
                for (int i = 0; i < 3; ++i) {
                    MPI_Irecv(in[i].data(), in[i].count(), MPI_BYTE, 0, kTag + i, MPI_COMM_WORLD, &requests[i]);
                }
                int errors[3] = {MPI_ERR_PENDING, MPI_ERR_PENDING, MPI_ERR_PENDING};
                const auto is_pending = [&](int i) { return error_class(errors[i]) == MPI_ERR_PENDING; };
                // With an error it may return before the others are complete.
                while (is_pending(0) || is_pending(1) || is_pending(2)) {
                    const bool failure_is_near = is_pending(1);
                    int flag = 1;
                    int code = MPI_SUCCESS;
                    const MPI_Request before[3] = {requests[0], requests[1], requests[2]};
                    if (tests) {
                        code = MPI_Testall(3, requests, &flag, statuses);
                    } else {
                        code = MPI_Waitall(3, requests, statuses);
                    }
                    if (code == MPI_SUCCESS && flag == 0) continue;
                    if (failure_is_near) {
                        EXPECT_CLASS(MPI_ERR_IN_STATUS, code);
                    }
                    for (int i = 0; i < 3; ++i) {
                        if (before[i] == MPI_REQUEST_NULL) continue;
                        errors[i] = code == MPI_SUCCESS ? MPI_SUCCESS : statuses[i].MPI_ERROR;
                    }
                }
                EXPECT_CLASS(MPI_SUCCESS, errors[0]);
                EXPECT_CLASS(MPI_ERR_TRUNCATE, errors[1]);
                EXPECT_CLASS(MPI_SUCCESS, errors[2]);
                EXPECT_TRUE(in[0].holds(1));
                EXPECT_TRUE(in[2].holds(1));
                for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
            }
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
}

MPI_TEST_AT(Truncation, WaitanyAndWaitsomeReturnTheErrorOfTheirRequest, ({2}))
{
    const ReturnErrors returned;
    for (const bool some : {false, true}) {
        if (rank() == 0) {
            const Message out(100, 1);
            MPI_Send(out.data(), out.count(), MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
        } else {
            Message in(50);
            MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
            MPI_Irecv(in.data(), in.count(), MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &requests[1]);
            int index = -1;
            int outcount = -1;
            MPI_Status status;
            if (some) {
                EXPECT_CLASS(MPI_ERR_IN_STATUS, MPI_Waitsome(2, requests, &outcount, &index, &status));
                EXPECT_EQ(outcount, 1);
                EXPECT_CLASS(MPI_ERR_TRUNCATE, status.MPI_ERROR);
            } else {
                EXPECT_CLASS(MPI_ERR_TRUNCATE, MPI_Waitany(2, requests, &index, &status));
            }
            EXPECT_EQ(index, 1);
            EXPECT_EQ(requests[1], MPI_REQUEST_NULL);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

}  // namespace
}  // namespace mpi_test
