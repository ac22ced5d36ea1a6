// MPI-3.1, section 3.8: probe, matched probe, and receives of matched messages; cancel.
#include "message.hpp"
#include "mpi_test.hpp"
#include "protocol_sizes.hpp"

#include <string>

namespace mpi_test {
namespace {

constexpr int kTag = 31;

int count_of(const MPI_Status& status)
{
    int count = -1;
    MPI_Get_count(&status, MPI_BYTE, &count);
    return count;
}

MPI_TEST(Probe, ItTellsSourceTagAndLengthOfTheMessageThatTheReceiveThenGets)
{
    for (const std::size_t bytes : protocol_sizes()) {
        for (const bool wild : {false, true}) {
            const Message out(bytes, bytes);
            MPI_Request send = MPI_REQUEST_NULL;
            MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &send);
            MPI_Status status;
            MPI_Probe(wild ? MPI_ANY_SOURCE : left(), wild ? MPI_ANY_TAG : kTag, MPI_COMM_WORLD, &status);
            EXPECT_EQ(status.MPI_SOURCE, left());
            EXPECT_EQ(status.MPI_TAG, kTag);
            EXPECT_EQ(count_of(status), out.count());
            Message in(bytes);
            MPI_Recv(in.data(), in.count(), MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
            EXPECT_TRUE(in.holds(bytes));
            MPI_Wait(&send, MPI_STATUS_IGNORE);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

MPI_TEST(Probe, IprobeSeesNothingBeforeAndTheMessageInTheEnd)
{
    int flag = -1;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{24}, std::size_t{9000}, std::size_t{70000}}) {
        const Message out(bytes, bytes);
        MPI_Request send = MPI_REQUEST_NULL;
        MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &send);
        MPI_Status status;
        do {
            MPI_Iprobe(left(), kTag, MPI_COMM_WORLD, &flag, &status);
        } while (flag == 0);
        EXPECT_EQ(count_of(status), out.count());
        MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);  // it is still there
        EXPECT_NE(flag, 0);
        MPI_Iprobe(left(), kTag + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        EXPECT_EQ(flag, 0);
        Message in(bytes);
        MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_TRUE(in.holds(bytes));
        MPI_Iprobe(left(), kTag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        EXPECT_EQ(flag, 0);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);  // the next message comes after this look
    }
}

MPI_TEST(Probe, ItFindsTheFirstMessageThatMatches)
{
    MPI_Request sends[3];
    const Message out(30, 1);
    for (int i = 0; i < 3; ++i) {
        MPI_Isend(out.data(), 10 * (i + 1), MPI_BYTE, right(), kTag + i % 2, MPI_COMM_WORLD, &sends[i]);
    }
    MPI_Status status;
    MPI_Probe(left(), kTag + 1, MPI_COMM_WORLD, &status);
    EXPECT_EQ(count_of(status), 20);
    MPI_Probe(left(), MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    EXPECT_EQ(count_of(status), 10);
    EXPECT_EQ(status.MPI_TAG, kTag);
    for (const int expected : {10, 20, 30}) {
        Message in(30);
        MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        EXPECT_EQ(count_of(status), expected);
        EXPECT_TRUE(in.begins_with(1, static_cast<std::size_t>(expected)));
    }
    MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
}

MPI_TEST(Probe, APostedReceiveHidesItsMessageFromProbes)
{
    Message in(8);
    const Message out(8, 1);
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &receive);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request sends[2];
    MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &sends[0]);
    MPI_Isend(out.data(), 4, MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &sends[1]);
    MPI_Status status;
    MPI_Probe(left(), kTag, MPI_COMM_WORLD, &status);
    EXPECT_EQ(count_of(status), 4);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    EXPECT_TRUE(in.holds(1));
    MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
}

MPI_TEST(MatchedProbe, EverySizeIsReceivedByMrecvAndByImrecv)
{
    for (const std::size_t bytes : protocol_sizes()) {
        for (const bool blocking_probe : {false, true}) {
            for (const bool blocking_receive : {false, true}) {
                const Message out(bytes, bytes);
                MPI_Request send = MPI_REQUEST_NULL;
                MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &send);
                MPI_Message message = MPI_MESSAGE_NULL;
                MPI_Status status;
                if (blocking_probe) {
                    MPI_Mprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &message, &status);
                } else {
                    int flag = 0;
                    while (flag == 0) MPI_Improbe(left(), MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
                }
                EXPECT_NE(message, MPI_MESSAGE_NULL);
                EXPECT_EQ(status.MPI_SOURCE, left());
                EXPECT_EQ(status.MPI_TAG, kTag);
                EXPECT_EQ(count_of(status), out.count());
                Message in(bytes);
                MPI_Status received;
                if (blocking_receive) {
                    MPI_Mrecv(in.data(), in.count(), MPI_BYTE, &message, &received);
                    EXPECT_EQ(message, MPI_MESSAGE_NULL);
                } else {
                    MPI_Request receive = MPI_REQUEST_NULL;
                    MPI_Imrecv(in.data(), in.count(), MPI_BYTE, &message, &receive);
                    EXPECT_EQ(message, MPI_MESSAGE_NULL);
                    MPI_Wait(&receive, &received);
                }
                EXPECT_EQ(received.MPI_SOURCE, left());
                EXPECT_EQ(received.MPI_TAG, kTag);
                EXPECT_EQ(count_of(received), out.count());
                EXPECT_TRUE(in.holds(bytes)) << bytes << " bytes";
                MPI_Wait(&send, MPI_STATUS_IGNORE);
            }
        }
    }
}

MPI_TEST(MatchedProbe, AMatchedMessageIsTakenFromAllOtherReceivesAndProbes)
{
    for (const std::size_t bytes : {std::size_t{16}, std::size_t{100000}}) {
        MPI_Request sends[2];
        const Message first(bytes, 1);
        const Message second(bytes, 2);
        MPI_Isend(first.data(), first.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &sends[0]);
        MPI_Isend(second.data(), second.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &sends[1]);
        MPI_Message matched = MPI_MESSAGE_NULL;
        MPI_Mprobe(left(), kTag, MPI_COMM_WORLD, &matched, MPI_STATUS_IGNORE);
        Message in(bytes);
        MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_TRUE(in.holds(2));
        int flag = -1;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        EXPECT_EQ(flag, 0);
        MPI_Message none = MPI_MESSAGE_NULL;
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &none, MPI_STATUS_IGNORE);
        EXPECT_EQ(flag, 0);
        MPI_Mrecv(in.data(), in.count(), MPI_BYTE, &matched, MPI_STATUS_IGNORE);
        EXPECT_TRUE(in.holds(1));
        MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

MPI_TEST(MatchedProbe, SeveralMatchedMessagesAreReceivedInAnyOrder)
{
    constexpr int kMessages = 20;
    std::vector<Message> out;
    std::vector<Message> in;
    std::vector<MPI_Request> sends(kMessages);
    std::vector<MPI_Request> receives(kMessages);
    std::vector<MPI_Message> matched(kMessages);
    for (int i = 0; i < kMessages; ++i) {
        const auto bytes = static_cast<std::size_t>(i % 4 * i * 700);
        out.emplace_back(bytes, static_cast<std::uint64_t>(i));
        in.emplace_back(bytes);
    }
    for (std::size_t i = 0; i < kMessages; ++i) {
        MPI_Isend(out[i].data(), out[i].count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &sends[i]);
    }
    for (std::size_t i = 0; i < kMessages; ++i) {
        MPI_Mprobe(left(), kTag, MPI_COMM_WORLD, &matched[i], MPI_STATUS_IGNORE);
    }
    for (std::size_t i = kMessages; i-- > 0;) {
        MPI_Imrecv(in[i].data(), in[i].count(), MPI_BYTE, &matched[i], &receives[i]);
    }
    MPI_Waitall(kMessages, receives.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < kMessages; ++i) EXPECT_TRUE(in[i].holds(i)) << "message " << i;
    MPI_Waitall(kMessages, sends.data(), MPI_STATUSES_IGNORE);
}

MPI_TEST(MatchedProbe, AMatchedMessageIsReceivedByAnotherType)
{
    std::vector<int> out(40);
    for (int i = 0; i < 40; ++i) out[static_cast<std::size_t>(i)] = i + 100 * rank();
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Isend(out.data(), 40, MPI_INT, right(), kTag, MPI_COMM_WORLD, &send);
    MPI_Datatype every_third = MPI_DATATYPE_NULL;
    MPI_Type_vector(40, 1, 3, MPI_INT, &every_third);
    MPI_Type_commit(&every_third);
    MPI_Message matched = MPI_MESSAGE_NULL;
    MPI_Mprobe(left(), kTag, MPI_COMM_WORLD, &matched, MPI_STATUS_IGNORE);
    std::vector<int> in(120, -1);
    MPI_Status status;
    MPI_Mrecv(in.data(), 1, every_third, &matched, &status);
    for (int i = 0; i < 120; ++i) {
        EXPECT_EQ(in[static_cast<std::size_t>(i)], i % 3 == 0 ? i / 3 + 100 * left() : -1);
    }
    int count = -1;
    MPI_Get_count(&status, every_third, &count);
    EXPECT_EQ(count, 1);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Type_free(&every_third);
}

MPI_TEST(MatchedProbe, NoProcessGivesAMessageWithoutData)
{
    const auto expect_no_process = [](const MPI_Status& status) {
        EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
        EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
        EXPECT_EQ(count_of(status), 0);
    };
    MPI_Status status;
    int flag = 0;
    MPI_Probe(MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &status);
    expect_no_process(status);
    MPI_Iprobe(MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &flag, &status);
    EXPECT_NE(flag, 0);
    expect_no_process(status);
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Mprobe(MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &message, &status);
    EXPECT_EQ(message, MPI_MESSAGE_NO_PROC);
    expect_no_process(status);
    Message in(10);
    MPI_Mrecv(in.data(), in.count(), MPI_BYTE, &message, &status);
    EXPECT_EQ(message, MPI_MESSAGE_NULL);
    expect_no_process(status);
    MPI_Improbe(MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &flag, &message, &status);
    EXPECT_NE(flag, 0);
    EXPECT_EQ(message, MPI_MESSAGE_NO_PROC);
    expect_no_process(status);
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Imrecv(in.data(), in.count(), MPI_BYTE, &message, &receive);
    EXPECT_EQ(message, MPI_MESSAGE_NULL);
    MPI_Wait(&receive, &status);
    expect_no_process(status);
    EXPECT_TRUE(in.is_untouched());
}

MPI_TEST(Cancel, ACancelledReceiveTakesNoMessage)
{
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{100000}}) {
        Message cancelled(bytes);
        MPI_Request receive = MPI_REQUEST_NULL;
        MPI_Irecv(cancelled.data(), cancelled.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &receive);
        MPI_Cancel(&receive);
        MPI_Status status;
        MPI_Wait(&receive, &status);
        EXPECT_EQ(receive, MPI_REQUEST_NULL);
        int flag = -1;
        MPI_Test_cancelled(&status, &flag);
        EXPECT_NE(flag, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        const Message out(bytes, 1);
        MPI_Request send = MPI_REQUEST_NULL;
        MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &send);
        Message in(bytes);
        MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &status);
        MPI_Test_cancelled(&status, &flag);
        EXPECT_EQ(flag, 0);
        EXPECT_TRUE(in.holds(1));
        EXPECT_TRUE(cancelled.is_untouched());
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
}

MPI_TEST(Cancel, ACancelledReceiveAmongOthersLeavesTheirOrder)
{
    Message in[3] = {Message(8), Message(8), Message(8)};
    MPI_Request receives[3];
    for (int i = 0; i < 3; ++i) {
        MPI_Irecv(in[i].data(), in[i].count(), MPI_BYTE, i == 1 ? MPI_ANY_SOURCE : left(), kTag, MPI_COMM_WORLD,
            &receives[i]);
    }
    MPI_Cancel(&receives[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (std::uint64_t i = 0; i < 2; ++i) {
        const Message out(8, i);
        MPI_Send(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD);
    }
    MPI_Status statuses[3];
    MPI_Waitall(3, receives, statuses);
    for (int i = 0; i < 3; ++i) {
        int flag = -1;
        MPI_Test_cancelled(&statuses[i], &flag);
        EXPECT_EQ(flag != 0, i == 1);
    }
    EXPECT_TRUE(in[0].holds(0));
    EXPECT_TRUE(in[1].is_untouched());
    EXPECT_TRUE(in[2].holds(1));
}

MPI_TEST(Cancel, AReceiveThatHasItsMessageIsNotCancelled)
{
    Message in(8);
    const Message out(8, 3);
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &receive);
    MPI_Send(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD);
    int flag = 0;
    while (flag == 0) MPI_Request_get_status(receive, &flag, MPI_STATUS_IGNORE);
    MPI_Cancel(&receive);
    MPI_Status status;
    MPI_Wait(&receive, &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(count_of(status), 8);
    EXPECT_TRUE(in.holds(3));
}

MPI_TEST(Cancel, ACancelledPersistentReceiveCanBeStartedAgain)
{
    Message in(8);
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Recv_init(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &receive);
    for (std::uint64_t round = 0; round < 3; ++round) {
        MPI_Start(&receive);
        MPI_Cancel(&receive);
        MPI_Status status;
        MPI_Wait(&receive, &status);
        int flag = 0;
        MPI_Test_cancelled(&status, &flag);
        EXPECT_NE(flag, 0);
        EXPECT_NE(receive, MPI_REQUEST_NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Start(&receive);
        const Message out(8, round);
        MPI_Send(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD);
        MPI_Wait(&receive, &status);
        MPI_Test_cancelled(&status, &flag);
        EXPECT_EQ(flag, 0);
        EXPECT_TRUE(in.holds(round));
    }
    MPI_Request_free(&receive);
}

}  // namespace
}  // namespace mpi_test
