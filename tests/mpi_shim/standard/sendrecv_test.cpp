// MPI-3.1, sections 3.2.5, 3.2.6, 3.10 and 3.11: statuses and counts, send-receive, and the null process.
#include "message.hpp"
#include "mpi_test.hpp"
#include "protocol_sizes.hpp"

#include <cstring>
#include <numeric>

namespace mpi_test {
namespace {

constexpr int kTag = 51;

int count_of(const MPI_Status& status, MPI_Datatype type)
{
    int count = -1;
    MPI_Get_count(&status, type, &count);
    return count;
}
int elements_of(const MPI_Status& status, MPI_Datatype type)
{
    int count = -1;
    MPI_Get_elements(&status, type, &count);
    return count;
}

class Type {
public:
    explicit Type(MPI_Datatype type) : type_(type) { MPI_Type_commit(&type_); }
    ~Type() { MPI_Type_free(&type_); }
    Type(const Type&) = delete;
    Type& operator=(const Type&) = delete;
    operator MPI_Datatype() const { return type_; }

private:
    MPI_Datatype type_;
};

MPI_Datatype strided(int count, int length, int stride, MPI_Datatype base)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, length, stride, base, &type);
    return type;
}

MPI_Status receive_ints(int ints)
{
    const std::vector<int> out(static_cast<std::size_t>(ints), 3);
    std::vector<int> in(static_cast<std::size_t>(ints) + 10, -1);
    MPI_Status status;
    MPI_Sendrecv(
        out.data(), ints, MPI_INT, right(), kTag, in.data(), ints + 10, MPI_INT, left(), kTag, MPI_COMM_WORLD, &status);
    return status;
}

MPI_TEST_AT(Status, GetCountIsTheNumberOfWholeEntriesOrUndefined, ({1, 2}))
{
    const Type three(strided(3, 1, 2, MPI_INT));
    for (const int ints : {0, 1, 2, 3, 6, 7, 300}) {
        const MPI_Status status = receive_ints(ints);
        EXPECT_EQ(count_of(status, MPI_INT), ints);
        EXPECT_EQ(count_of(status, MPI_BYTE), 4 * ints);
        EXPECT_EQ(count_of(status, three), ints % 3 == 0 ? ints / 3 : MPI_UNDEFINED);
        EXPECT_EQ(count_of(status, MPI_DOUBLE), ints % 2 == 0 ? ints / 2 : MPI_UNDEFINED);
        EXPECT_EQ(elements_of(status, MPI_INT), ints);
        EXPECT_EQ(elements_of(status, three), ints);
        MPI_Count wide = -1;
        MPI_Get_elements_x(&status, three, &wide);
        EXPECT_EQ(wide, ints);
    }
}

// Section 4.1.11, the example: a struct of which a part has come.
MPI_TEST_AT(Status, GetElementsCountsTheBasicElementsOfAPartialStructure, ({1, 2}))
{
    struct Mixed {
        double d;
        int i[2];
        char c;
    };
    const int lengths[] = {1, 2, 1};
    const MPI_Aint displacements[] = {0, 8, 16};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
    MPI_Datatype mixed_type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(3, lengths, displacements, types, &mixed_type);
    const Type mixed(mixed_type);
    // After the bytes of this many entries: the elements.
    const struct {
        int bytes;
        int elements;
        int count;
    } cases[] = {{0, 0, 0}, {8, 1, MPI_UNDEFINED}, {12, 2, MPI_UNDEFINED}, {16, 3, MPI_UNDEFINED}, {17, 4, 1},
        {25, 5, MPI_UNDEFINED}, {33, 7, MPI_UNDEFINED}, {34, 8, 2}};
    for (const auto& c : cases) {
        const Message out(40, 1);
        Mixed in[3] = {};
        MPI_Status status;
        MPI_Sendrecv(
            out.data(), c.bytes, MPI_PACKED, right(), kTag, in, 3, mixed, left(), kTag, MPI_COMM_WORLD, &status);
        EXPECT_EQ(elements_of(status, mixed), c.elements) << c.bytes;
        EXPECT_EQ(count_of(status, mixed), c.count) << c.bytes;
    }
}

MPI_TEST_AT(Status, ATypeWithoutDataCountsNothing, ({1, 2}))
{
    const Type empty(strided(0, 1, 1, MPI_INT));
    const MPI_Status status = receive_ints(0);
    EXPECT_EQ(count_of(status, empty), 0);
    EXPECT_EQ(elements_of(status, empty), 0);
    if (!excepted("MPI_Get_count of data as an empty type")) {
        EXPECT_EQ(count_of(receive_ints(3), empty), MPI_UNDEFINED);
    }
}

// Section 3.2.5: calls that return one status do not modify its MPI_ERROR.
MPI_TEST_AT(Status, CallsWithOneStatusLeaveItsErrorAlone, ({1, 2}))
{
    const int out = 1;
    int in = 0;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    const auto expect_untouched = [&](const char* call) {
        if (!excepted("MPI_ERROR of a single status")) {
            EXPECT_EQ(status.MPI_ERROR, 4711) << call;
        }
        status.MPI_ERROR = 4711;
    };
    status.MPI_ERROR = 4711;
    MPI_Sendrecv(&out, 1, MPI_INT, right(), kTag, &in, 1, MPI_INT, left(), kTag, MPI_COMM_WORLD, &status);
    expect_untouched("MPI_Sendrecv");
    MPI_Isend(&out, 1, MPI_INT, right(), kTag, MPI_COMM_WORLD, &request);
    MPI_Probe(left(), kTag, MPI_COMM_WORLD, &status);
    expect_untouched("MPI_Probe");
    MPI_Recv(&in, 1, MPI_INT, left(), kTag, MPI_COMM_WORLD, &status);
    expect_untouched("MPI_Recv");
    MPI_Wait(&request, &status);
    expect_untouched("MPI_Wait");
}

MPI_TEST_AT(Status, ElementsAndCancellationCanBeSet, ({1}))
{
    MPI_Status status;
    std::memset(&status, 0, sizeof status);
    MPI_Status_set_elements(&status, MPI_INT, 12);
    EXPECT_EQ(count_of(status, MPI_INT), 12);
    EXPECT_EQ(elements_of(status, MPI_INT), 12);
    MPI_Status_set_elements_x(&status, MPI_DOUBLE, MPI_Count{3} << 31);
    MPI_Count wide = 0;
    MPI_Get_elements_x(&status, MPI_DOUBLE, &wide);
    EXPECT_EQ(wide, MPI_Count{3} << 31);
    EXPECT_EQ(count_of(status, MPI_DOUBLE), MPI_UNDEFINED);  // more than an int says
    int flag = -1;
    MPI_Status_set_cancelled(&status, 1);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_NE(flag, 0);
    MPI_Status_set_cancelled(&status, 0);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_EQ(flag, 0);
}

MPI_TEST(Sendrecv, ARingTurnsWithAllSizes)
{
    for (const std::size_t bytes : protocol_sizes()) {
        const Message out(bytes, static_cast<std::uint64_t>(rank()));
        Message in(bytes + 5);
        MPI_Status status;
        MPI_Sendrecv(out.data(), out.count(), MPI_BYTE, right(), kTag + rank(), in.data(), in.count(), MPI_BYTE, left(),
            kTag + left(), MPI_COMM_WORLD, &status);
        EXPECT_TRUE(in.begins_with(static_cast<std::uint64_t>(left()), bytes)) << bytes << " bytes";
        EXPECT_EQ(status.MPI_SOURCE, left());
        EXPECT_EQ(status.MPI_TAG, kTag + left());
        EXPECT_EQ(count_of(status, MPI_BYTE), out.count());
    }
}

MPI_TEST(Sendrecv, TheTwoSidesMayHaveOtherPartnersTypesAndTags)
{
    std::vector<int> out(300, -1);
    for (std::size_t i = 0; i < 100; ++i) out[3 * i] = static_cast<int>(i) + 1000 * rank();
    std::vector<int> in(200, -1);
    const Type sent(strided(100, 1, 3, MPI_INT));
    const Type received(strided(50, 2, 4, MPI_INT));
    MPI_Status status;
    MPI_Sendrecv(
        out.data(), 1, sent, right(), 3, in.data(), 1, received, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    for (std::size_t i = 0; i < 200; ++i) {
        const int k = static_cast<int>(i / 4 * 2 + i % 4);
        EXPECT_EQ(in[i], i % 4 < 2 ? k + 1000 * left() : -1) << i;
    }
    EXPECT_EQ(count_of(status, received), 1);
    EXPECT_EQ(status.MPI_TAG, 3);
}

MPI_TEST(Sendrecv, ItMatchesOrdinarySendsAndReceives)
{
    const Message out(100, 1);
    Message in(100);
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank() % 2 == 0) {
        MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &request);
        MPI_Send(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Sendrecv(out.data(), out.count(), MPI_BYTE, right(), kTag, in.data(), in.count(), MPI_BYTE, left(), kTag,
            MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    EXPECT_TRUE(in.holds(1));
}

MPI_TEST(Sendrecv, ReplaceExchangesInPlace)
{
    for (const std::size_t bytes : protocol_sizes()) {
        Message both(bytes, static_cast<std::uint64_t>(rank()));
        MPI_Status status;
        MPI_Sendrecv_replace(both.data(), both.count(), MPI_BYTE, right(), kTag, left(), kTag, MPI_COMM_WORLD, &status);
        EXPECT_TRUE(both.holds(static_cast<std::uint64_t>(left()))) << bytes << " bytes";
        EXPECT_EQ(count_of(status, MPI_BYTE), both.count());
        EXPECT_EQ(status.MPI_SOURCE, left());
    }
}

MPI_TEST(Sendrecv, ReplaceOfATypeWithGapsLeavesTheGaps)
{
    for (const int blocks : {10, 40000}) {
        const Type type(strided(blocks, 2, 5, MPI_INT));
        std::vector<int> both(static_cast<std::size_t>(blocks) * 5 + 3);
        std::iota(both.begin(), both.end(), 100000 * rank());
        MPI_Status status;
        MPI_Sendrecv_replace(both.data(), 1, type, right(), kTag, left(), MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        int wrong = 0;
        for (std::size_t i = 0; i < both.size(); ++i) {
            const bool is_data = i % 5 < 2 && i < static_cast<std::size_t>(blocks) * 5;
            if (both[i] != static_cast<int>(i) + 100000 * (is_data ? left() : rank())) ++wrong;
        }
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(count_of(status, type), 1);
    }
}

MPI_TEST(Sendrecv, ReplaceWithTheRankItselfChangesNothing)
{
    Message both(1000, 6);
    MPI_Sendrecv_replace(both.data(), both.count(), MPI_BYTE, 0, kTag, 0, kTag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    EXPECT_TRUE(both.holds(6));
}

void expect_from_nobody(const MPI_Status& status)
{
    EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
    EXPECT_EQ(count_of(status, MPI_BYTE), 0);
}

// Section 3.11.
MPI_TEST_AT(ProcNull, SendsAndReceivesSucceedAtOnceAndMoveNothing, ({1, 2}))
{
    using SendCall = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
    using StartCall = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    const Message out(100, 1);
    Message in(100);
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    for (const SendCall send :
        {SendCall{&MPI_Send}, SendCall{&MPI_Ssend}, SendCall{&MPI_Bsend}, SendCall{&MPI_Rsend}}) {
        send(out.data(), out.count(), MPI_BYTE, MPI_PROC_NULL, kTag, MPI_COMM_WORLD);
    }
    for (const StartCall start :
        {StartCall{&MPI_Isend}, StartCall{&MPI_Issend}, StartCall{&MPI_Ibsend}, StartCall{&MPI_Irsend}}) {
        start(out.data(), out.count(), MPI_BYTE, MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
    }
    for (const StartCall init : {StartCall{&MPI_Send_init}, StartCall{&MPI_Ssend_init}, StartCall{&MPI_Bsend_init},
             StartCall{&MPI_Rsend_init}}) {
        init(out.data(), out.count(), MPI_BYTE, MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Wait(&request, &status);
        MPI_Start(&request);
        int flag = 0;
        while (flag == 0) MPI_Test(&request, &flag, &status);
        MPI_Request_free(&request);
    }
    MPI_Recv(in.data(), in.count(), MPI_BYTE, MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &status);
    expect_from_nobody(status);
    MPI_Irecv(in.data(), in.count(), MPI_BYTE, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    const bool is_excepted = excepted("status of a nonblocking receive from MPI_PROC_NULL");
    if (!is_excepted) expect_from_nobody(status);
    MPI_Recv_init(in.data(), in.count(), MPI_BYTE, MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 2; ++i) {
        MPI_Start(&request);
        MPI_Wait(&request, &status);
        if (!is_excepted) expect_from_nobody(status);
    }
    MPI_Request_free(&request);
    EXPECT_TRUE(in.is_untouched());
}

MPI_TEST(ProcNull, SendrecvWorksAtTheEndsOfALine)
{
    const int next = rank() + 1 < size() ? rank() + 1 : MPI_PROC_NULL;
    const int last = rank() > 0 ? rank() - 1 : MPI_PROC_NULL;
    const Message out(100, static_cast<std::uint64_t>(rank()));
    Message in(100);
    MPI_Status status;
    MPI_Sendrecv(out.data(), out.count(), MPI_BYTE, next, kTag, in.data(), in.count(), MPI_BYTE, last, kTag,
        MPI_COMM_WORLD, &status);
    if (last == MPI_PROC_NULL) {
        expect_from_nobody(status);
        EXPECT_TRUE(in.is_untouched());
    } else {
        EXPECT_TRUE(in.holds(static_cast<std::uint64_t>(last)));
    }
    Message both(100, static_cast<std::uint64_t>(rank()));
    MPI_Sendrecv_replace(both.data(), both.count(), MPI_BYTE, next, kTag, last, kTag, MPI_COMM_WORLD, &status);
    if (last == MPI_PROC_NULL) expect_from_nobody(status);
    EXPECT_TRUE(both.holds(static_cast<std::uint64_t>(last == MPI_PROC_NULL ? rank() : last)));
}

}  // namespace
}  // namespace mpi_test
