// MPI-3.1, sections 3.2, 3.4 to 3.7 and 3.9: the four modes of sending, each blocking, nonblocking and persistent.
#include "message.hpp"
#include "mpi_test.hpp"
#include "protocol_sizes.hpp"

#include <algorithm>
#include <string>

namespace mpi_test {
namespace {

constexpr int kTag = 11;
constexpr int kNote = 12;

using SendCall = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using StartCall = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

struct Mode {
    const char* name;
    SendCall send;
    StartCall isend;
    StartCall init;
    bool needs_buffer;
    bool needs_posted_receive;
};

const Mode kModes[] = {
    {"standard", &MPI_Send, &MPI_Isend, &MPI_Send_init, false, false},
    {"synchronous", &MPI_Ssend, &MPI_Issend, &MPI_Ssend_init, false, false},
    {"buffered", &MPI_Bsend, &MPI_Ibsend, &MPI_Bsend_init, true, false},
    {"ready", &MPI_Rsend, &MPI_Irsend, &MPI_Rsend_init, false, true},
};

enum class Form { blocking, nonblocking, persistent };
constexpr Form kForms[] = {Form::blocking, Form::nonblocking, Form::persistent};

void send_by(const Mode& mode, Form form, const Message& out, int dest)
{
    MPI_Request request = MPI_REQUEST_NULL;
    switch (form) {
        case Form::blocking:
            mode.send(out.data(), out.count(), MPI_BYTE, dest, kTag, MPI_COMM_WORLD);
            return;
        case Form::nonblocking:
            mode.isend(out.data(), out.count(), MPI_BYTE, dest, kTag, MPI_COMM_WORLD, &request);
            break;
        case Form::persistent:
            mode.init(out.data(), out.count(), MPI_BYTE, dest, kTag, MPI_COMM_WORLD, &request);
            MPI_Start(&request);
            break;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (form == Form::persistent) MPI_Request_free(&request);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
}

// The buffer of MPI_Bsend, attached while it lives and big enough for `messages` of `bytes` each.
class AttachedBuffer {
public:
    explicit AttachedBuffer(std::size_t bytes, int messages = 1)
    {
        int packed = 0;
        MPI_Pack_size(static_cast<int>(bytes), MPI_BYTE, MPI_COMM_WORLD, &packed);
        memory_.resize(static_cast<std::size_t>(messages) * (static_cast<std::size_t>(packed) + MPI_BSEND_OVERHEAD));
        MPI_Buffer_attach(memory_.data(), static_cast<int>(memory_.size()));
    }
    ~AttachedBuffer() { detach(); }
    AttachedBuffer(const AttachedBuffer&) = delete;
    AttachedBuffer& operator=(const AttachedBuffer&) = delete;

    // The library has done with it: whatever it still keeps there would be lost.
    void detach()
    {
        if (memory_.empty()) return;
        void* address = nullptr;
        int bytes = -1;
        MPI_Buffer_detach(&address, &bytes);
        EXPECT_EQ(address, memory_.data());
        EXPECT_EQ(bytes, static_cast<int>(memory_.size()));
        std::fill(memory_.begin(), memory_.end(), static_cast<unsigned char>(0xee));
        memory_.clear();
    }

private:
    std::vector<unsigned char> memory_;
};

void expect_status(const MPI_Status& status, int source, int tag, std::size_t bytes)
{
    int count = -1;
    MPI_Get_count(&status, MPI_BYTE, &count);
    EXPECT_EQ(status.MPI_SOURCE, source);
    EXPECT_EQ(status.MPI_TAG, tag);
    EXPECT_EQ(count, static_cast<int>(bytes));
}

void send_note(int dest)
{
    MPI_Send(nullptr, 0, MPI_BYTE, dest, kNote, MPI_COMM_WORLD);
}

void await_note(int source)
{
    MPI_Recv(nullptr, 0, MPI_BYTE, source, kNote, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

MPI_TEST(SendModes, EveryModeAndFormFillsAPostedReceive)
{
    for (const Mode& mode : kModes) {
        for (const Form form : kForms) {
            for (const std::size_t bytes : protocol_sizes()) {
                SCOPED_TRACE(std::string(mode.name) + ", form " + std::to_string(static_cast<int>(form)) + ", " +
                             std::to_string(bytes) + " bytes");
                const AttachedBuffer buffer(mode.needs_buffer ? bytes : 0);
                Message in(bytes + 3);
                Message out(bytes, bytes + static_cast<std::size_t>(rank()));
                MPI_Request receive = MPI_REQUEST_NULL;
                MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &receive);
                MPI_Sendrecv(nullptr, 0, MPI_BYTE, left(), kNote, nullptr, 0, MPI_BYTE, right(), kNote, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE);
                send_by(mode, form, out, right());
                out.clear();
                MPI_Status status;
                MPI_Wait(&receive, &status);
                expect_status(status, left(), kTag, bytes);
                EXPECT_TRUE(in.begins_with(bytes + static_cast<std::size_t>(left()), bytes));
            }
        }
    }
}

MPI_TEST(SendModes, EveryFormOfTheModesThatNeedNoPostedReceiveFillsALateOne)
{
    for (const Mode& mode : kModes) {
        if (mode.needs_posted_receive) continue;
        for (const std::size_t bytes : protocol_sizes()) {
            for (const bool is_persistent : {false, true}) {
                SCOPED_TRACE(std::string(mode.name) + ", " + std::to_string(bytes) + " bytes");
                const AttachedBuffer buffer(mode.needs_buffer ? bytes : 0);
                Message out(bytes, bytes + static_cast<std::size_t>(rank()));
                MPI_Request send = MPI_REQUEST_NULL;
                if (is_persistent) {
                    mode.init(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &send);
                    MPI_Start(&send);
                } else {
                    mode.isend(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &send);
                }
                MPI_Status status;
                MPI_Probe(left(), kTag, MPI_COMM_WORLD, &status);  // it has come before its receive
                expect_status(status, left(), kTag, bytes);
                Message in(bytes);
                MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &status);
                expect_status(status, left(), kTag, bytes);
                EXPECT_TRUE(in.holds(bytes + static_cast<std::size_t>(left())));
                MPI_Wait(&send, MPI_STATUS_IGNORE);
                if (is_persistent) MPI_Request_free(&send);
            }
        }
    }
}

MPI_TEST_AT(SendModes, ABlockingSendWaitsForALateReceive, ({2, 3, 4}))
{
    for (const Mode& mode : kModes) {
        if (mode.needs_posted_receive) continue;
        for (const std::size_t bytes : protocol_sizes()) {
            SCOPED_TRACE(std::string(mode.name) + ", " + std::to_string(bytes) + " bytes");
            if (rank() == 0) {
                const AttachedBuffer buffer(mode.needs_buffer ? bytes : 0);
                Message out(bytes, bytes);
                mode.send(out.data(), out.count(), MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
                out.clear();
            } else if (rank() == 1) {
                Message in(bytes);
                MPI_Probe(0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Recv(in.data(), in.count(), MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                EXPECT_TRUE(in.holds(bytes));
            }
        }
    }
}

// What was received long ago takes no room, though the sender never receives anything.
MPI_TEST_AT(SendModes, AFewShortMessagesAreBufferedHoweverManyWentBefore, ({2}))
{
    constexpr int kRounds = 1000;
    constexpr int kUnreceived = 32;
    long word = 0;
    for (int round = 0; round < kRounds; ++round) {
        for (int i = 0; i < kUnreceived && rank() == 0; ++i) MPI_Send(&word, 1, MPI_LONG, 1, i, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < kUnreceived && rank() == 1; ++i)
            MPI_Recv(&word, 1, MPI_LONG, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

MPI_TEST(SendModes, ARankSendsToItselfInEveryMode)
{
    for (const Mode& mode : kModes) {
        for (const Form form : kForms) {
            for (const std::size_t bytes : protocol_sizes()) {
                SCOPED_TRACE(std::string(mode.name) + ", " + std::to_string(bytes) + " bytes");
                const AttachedBuffer buffer(mode.needs_buffer ? bytes : 0);
                Message in(bytes);
                Message out(bytes, bytes);
                MPI_Request receive = MPI_REQUEST_NULL;
                MPI_Irecv(in.data(), in.count(), MPI_BYTE, 0, kTag, MPI_COMM_SELF, &receive);
                MPI_Request send = MPI_REQUEST_NULL;
                if (form == Form::blocking) {
                    mode.send(out.data(), out.count(), MPI_BYTE, 0, kTag, MPI_COMM_SELF);
                } else {
                    (form == Form::persistent ? mode.init : mode.isend)(
                        out.data(), out.count(), MPI_BYTE, 0, kTag, MPI_COMM_SELF, &send);
                    if (form == Form::persistent) MPI_Start(&send);
                }
                MPI_Status status;
                MPI_Wait(&receive, &status);
                MPI_Wait(&send, MPI_STATUS_IGNORE);
                if (form == Form::persistent) MPI_Request_free(&send);
                expect_status(status, 0, kTag, bytes);
                EXPECT_TRUE(in.holds(bytes));
            }
        }
    }
}

MPI_TEST(SendModes, ARankReceivesLateWhatItSentToItself)
{
    for (const std::size_t bytes : protocol_sizes()) {
        Message in(bytes);
        Message out(bytes, bytes);
        MPI_Request sends[2];
        MPI_Isend(out.data(), out.count(), MPI_BYTE, rank(), kTag, MPI_COMM_WORLD, &sends[0]);
        MPI_Issend(out.data(), out.count(), MPI_BYTE, rank(), kTag, MPI_COMM_WORLD, &sends[1]);
        for (int i = 0; i < 2; ++i) {
            in.clear();
            MPI_Status status;
            MPI_Recv(in.data(), in.count(), MPI_BYTE, rank(), kTag, MPI_COMM_WORLD, &status);
            expect_status(status, rank(), kTag, bytes);
            EXPECT_TRUE(in.holds(bytes)) << bytes << " bytes";
        }
        MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    }
}

// The receiver posts its receive only after a message that the sender sends after its tests.
MPI_TEST_AT(SendModes, ASynchronousSendIsNotCompleteBeforeItsReceiveIsPosted, ({2, 3}))
{
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{8192}, kRendezvous}) {
        if (rank() == 0) {
            const Message out(bytes, bytes);
            MPI_Request send = MPI_REQUEST_NULL;
            MPI_Issend(out.data(), out.count(), MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &send);
            await_note(1);  // it has probed: the message is there, and probing is not receiving
            int complete = 0;
            for (int i = 0; i < 200 && complete == 0; ++i) MPI_Test(&send, &complete, MPI_STATUS_IGNORE);
            EXPECT_EQ(complete, 0) << bytes << " bytes";
            send_note(1);
            MPI_Wait(&send, MPI_STATUS_IGNORE);
        } else if (rank() == 1) {
            Message in(bytes);
            MPI_Probe(0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            send_note(0);
            await_note(0);
            MPI_Recv(in.data(), in.count(), MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_TRUE(in.holds(bytes));
        }
    }
}

MPI_TEST(SendModes, ASynchronousSendToTheRankItselfIsNotCompleteBeforeItsReceiveIsPosted)
{
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{8192}}) {
        Message in(bytes);
        const Message out(bytes, bytes);
        MPI_Request send = MPI_REQUEST_NULL;
        MPI_Issend(out.data(), out.count(), MPI_BYTE, 0, kTag, MPI_COMM_SELF, &send);
        int complete = 0;
        for (int i = 0; i < 20 && complete == 0; ++i) MPI_Test(&send, &complete, MPI_STATUS_IGNORE);
        EXPECT_EQ(complete, 0) << bytes << " bytes";
        MPI_Recv(in.data(), in.count(), MPI_BYTE, 0, kTag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        EXPECT_TRUE(in.holds(bytes));
    }
}

// Section 3.6: the sum of what MPI_Pack_size says and MPI_BSEND_OVERHEAD for each message is enough.
MPI_TEST_AT(BufferedSend, AFullBufferHoldsAllItsMessagesUntilTheyAreReceived, ({2, 3}))
{
    constexpr int kMessages = 40;
    const auto bytes_of = [](int i) { return static_cast<std::size_t>(i * i * 13 % 5000); };
    if (rank() == 0) {
        int room = 0;
        for (int i = 0; i < kMessages; ++i) {
            int packed = 0;
            MPI_Pack_size(static_cast<int>(bytes_of(i)), MPI_BYTE, MPI_COMM_WORLD, &packed);
            room += packed + MPI_BSEND_OVERHEAD;
        }
        std::vector<unsigned char> memory(static_cast<std::size_t>(room));
        MPI_Buffer_attach(memory.data(), room);
        for (int i = 0; i < kMessages; ++i) {
            Message out(bytes_of(i), static_cast<std::uint64_t>(i));
            MPI_Request request = MPI_REQUEST_NULL;
            if (i % 2 == 0) {
                MPI_Bsend(out.data(), out.count(), MPI_BYTE, 1, i, MPI_COMM_WORLD);
            } else {
                MPI_Ibsend(out.data(), out.count(), MPI_BYTE, 1, i, MPI_COMM_WORLD, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);  // local: no receive is needed
            }
            out.clear();
        }
        MPI_Send(nullptr, 0, MPI_BYTE, 1, 1000, MPI_COMM_WORLD);
        void* address = nullptr;
        int detached = 0;
        MPI_Buffer_detach(&address, &detached);
        EXPECT_EQ(address, memory.data());
        EXPECT_EQ(detached, room);
        std::fill(memory.begin(), memory.end(), static_cast<unsigned char>(0xee));
    } else if (rank() == 1) {
        MPI_Recv(nullptr, 0, MPI_BYTE, 0, 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = kMessages - 1; i >= 0; --i) {
            Message in(bytes_of(i));
            MPI_Recv(in.data(), in.count(), MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_TRUE(in.holds(static_cast<std::uint64_t>(i))) << "message " << i;
        }
    }
}

MPI_TEST_AT(BufferedSend, DetachReturnsWhenTheMessagesAreOutOfTheBuffer, ({2, 3}))
{
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, std::size_t{10000}, kRendezvous}) {
        if (rank() == 0) {
            Message out(bytes, bytes);
            AttachedBuffer buffer(bytes, 3);
            for (int i = 0; i < 3; ++i) MPI_Bsend(out.data(), out.count(), MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
            out.clear();
            buffer.detach();  // and overwrites it
            send_note(1);
        } else if (rank() == 1) {
            for (int i = 0; i < 3; ++i) {
                Message in(bytes);
                MPI_Recv(in.data(), in.count(), MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                EXPECT_TRUE(in.holds(bytes)) << bytes << " bytes, message " << i;
            }
            await_note(0);
        }
    }
}

MPI_TEST_AT(BufferedSend, RoomOfReceivedMessagesIsUsedAgain, ({1, 2}))
{
    constexpr std::size_t kBytes = 3000;
    const AttachedBuffer buffer(kBytes, 2);
    for (std::uint64_t i = 0; i < 300; ++i) {
        Message in(kBytes);
        const Message out(kBytes, i);
        MPI_Request receive = MPI_REQUEST_NULL;
        MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &receive);
        MPI_Bsend(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        EXPECT_TRUE(in.holds(i));
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

MPI_TEST_AT(BufferedSend, AMessageThatDoesNotFitIsRefusedAndTheNextOneGoes, ({1, 2}))
{
    const ReturnErrors returned;
    Message in(100);
    const Message out(100, 1);
    const Message too_long(5000, 2);
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &receive);
    EXPECT_CLASS(MPI_ERR_BUFFER, MPI_Bsend(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD));
    {
        const AttachedBuffer buffer(100);
        EXPECT_CLASS(
            MPI_ERR_BUFFER, MPI_Bsend(too_long.data(), too_long.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD));
        MPI_Request refused = MPI_REQUEST_NULL;
        EXPECT_CLASS(MPI_ERR_BUFFER,
            MPI_Ibsend(too_long.data(), too_long.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &refused));
        EXPECT_SUCCESS(MPI_Bsend(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD));
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        EXPECT_TRUE(in.holds(1));
    }
}

MPI_TEST_AT(BufferedSend, OnlyOneBufferIsAttachedAtATime, ({1, 2}))
{
    const ReturnErrors returned;
    AttachedBuffer buffer(100);
    std::vector<unsigned char> second(1000 + MPI_BSEND_OVERHEAD);
    const int again = MPI_Buffer_attach(second.data(), static_cast<int>(second.size()));
    EXPECT_NE(again, MPI_SUCCESS);
    if (!excepted("class of a second MPI_Buffer_attach")) {
        EXPECT_CLASS(MPI_ERR_BUFFER, again);
    }
    buffer.detach();
    EXPECT_SUCCESS(MPI_Buffer_attach(second.data(), static_cast<int>(second.size())));
    void* address = nullptr;
    int bytes = 0;
    EXPECT_SUCCESS(MPI_Buffer_detach(&address, &bytes));
    EXPECT_EQ(address, second.data());
}

MPI_TEST_AT(BufferedSend, ItsTypeMayHaveGaps, ({1, 2, 4}))
{
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(50, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    int packed = 0;
    MPI_Pack_size(2, column, MPI_COMM_WORLD, &packed);
    std::vector<unsigned char> memory(static_cast<std::size_t>(packed + MPI_BSEND_OVERHEAD));
    MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
    std::vector<int> out(500, -1);
    for (int i = 0; i < 500; ++i) out[static_cast<std::size_t>(i)] = i + rank();
    std::vector<int> in(100, -1);
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Irecv(in.data(), 100, MPI_INT, left(), kTag, MPI_COMM_WORLD, &receive);
    MPI_Bsend(out.data(), 2, column, right(), kTag, MPI_COMM_WORLD);
    std::fill(out.begin(), out.end(), -1);
    MPI_Type_free(&column);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i) {
        const int place = i < 50 ? 4 * i : 197 + 4 * (i - 50);  // the extent ends with the last block
        EXPECT_EQ(in[static_cast<std::size_t>(i)], place + left()) << i;
    }
    void* address = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&address, &bytes);
}

}  // namespace
}  // namespace mpi_test
