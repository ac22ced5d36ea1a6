// MPI-3.1, sections 4.1 and 4.2: types of all constructors, in messages and in packing, compared with their type maps.
#include "mapped_type.hpp"
#include "message.hpp"
#include "mpi_test.hpp"
#include "protocol_sizes.hpp"

#include <algorithm>
#include <functional>

namespace mpi_test {
namespace {

constexpr int kTag = 71;

// Memory that holds `count` of a type whose displacements may be negative.
class Room {
public:
    Room(const MappedType& type, int count) : places_(type.places(count))
    {
        for (const MPI_Aint place : places_) {
            lowest_ = std::min(lowest_, place);
            highest_ = std::max(highest_, place + 1);
        }
        bytes_.assign(static_cast<std::size_t>(highest_ - lowest_) + 2 * kMargin, kUntouched);
    }
    unsigned char* base() { return bytes_.data() + kMargin - lowest_; }
    bool overlaps() const
    {
        std::vector<MPI_Aint> sorted = places_;
        std::sort(sorted.begin(), sorted.end());
        return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    }
    std::size_t data_bytes() const { return places_.size(); }

    void fill(std::uint64_t key)
    {
        for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = pattern_byte(key, i);
    }
    void clear() { bytes_.assign(bytes_.size(), kUntouched); }
    std::vector<unsigned char> data()
    {
        std::vector<unsigned char> result;
        for (const MPI_Aint place : places_) result.push_back(base()[place]);
        return result;
    }
    // The data is `expected`, and what lies between is untouched.
    ::testing::AssertionResult has(const std::vector<unsigned char>& expected)
    {
        std::vector<unsigned char> wanted(bytes_.size(), kUntouched);
        for (std::size_t i = 0; i < std::min(expected.size(), places_.size()); ++i) {
            wanted[static_cast<std::size_t>(places_[i] - lowest_) + kMargin] = expected[i];
        }
        for (std::size_t i = 0; i < bytes_.size(); ++i) {
            if (bytes_[i] != wanted[i]) {
                return ::testing::AssertionFailure()
                       << "the byte at displacement "
                       << static_cast<MPI_Aint>(i) - static_cast<MPI_Aint>(kMargin) + lowest_ << " is "
                       << int{bytes_[i]} << " instead of " << int{wanted[i]};
            }
        }
        return ::testing::AssertionSuccess();
    }

private:
    static constexpr std::size_t kMargin = 64;
    static constexpr unsigned char kUntouched = 0x5a;

    std::vector<MPI_Aint> places_;
    MPI_Aint lowest_ = 0;
    MPI_Aint highest_ = 0;
    std::vector<unsigned char> bytes_{};
};

void expect_queries(const MappedType& type)
{
    int bytes = -1;
    MPI_Count wide = -1;
    MPI_Aint lower = -1;
    MPI_Aint extent = -1;
    MPI_Type_size(type.type(), &bytes);
    EXPECT_EQ(bytes, type.bytes());
    MPI_Type_size_x(type.type(), &wide);
    EXPECT_EQ(wide, type.bytes());
    MPI_Type_get_extent(type.type(), &lower, &extent);
    EXPECT_EQ(lower, type.lower_bound());
    EXPECT_EQ(extent, type.extent());
    MPI_Count wide_lower = -1;
    MPI_Count wide_extent = -1;
    MPI_Type_get_extent_x(type.type(), &wide_lower, &wide_extent);
    EXPECT_EQ(wide_lower, lower);
    EXPECT_EQ(wide_extent, extent);
    if (type.entries().empty()) return;
    MPI_Type_get_true_extent(type.type(), &lower, &extent);
    EXPECT_EQ(lower, type.true_lower_bound());
    EXPECT_EQ(extent, type.true_upper_bound() - type.true_lower_bound());
    MPI_Type_get_true_extent_x(type.type(), &wide_lower, &wide_extent);
    EXPECT_EQ(wide_lower, lower);
    EXPECT_EQ(wide_extent, extent);
}

void expect_packing(const MappedType& type, int count)
{
    Room out(type, count);
    out.fill(5);
    int room = -1;
    MPI_Pack_size(count, type.type(), MPI_COMM_WORLD, &room);
    EXPECT_GE(room, static_cast<int>(out.data_bytes()));
    std::vector<unsigned char> packed(static_cast<std::size_t>(std::max(room, 0)) + 8, 0);
    int position = 0;
    MPI_Pack(out.base(), count, type.type(), packed.data(), room, &position, MPI_COMM_WORLD);
    EXPECT_LE(position, room);
    // Between equal processors the installed MPIs and the shim pack the bytes as they are.
    EXPECT_EQ(std::vector<unsigned char>(packed.begin(), packed.begin() + position), out.data());
    Room in(type, count);
    if (in.overlaps()) return;
    const int all = position;
    position = 0;
    MPI_Unpack(packed.data(), all, &position, in.base(), count, type.type(), MPI_COMM_WORLD);
    EXPECT_EQ(position, all);
    EXPECT_TRUE(in.has(out.data()));
}

// From one type to another of the same signature.
void expect_message(const MappedType& sent, const MappedType& received, int count)
{
    Room out(sent, count);
    Room in(received, count);
    if (in.overlaps()) return;
    out.fill(9);
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Isend(out.base(), count, sent.type(), right(), kTag, MPI_COMM_WORLD, &send);
    MPI_Status status;
    MPI_Recv(in.base(), count, received.type(), left(), kTag, MPI_COMM_WORLD, &status);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    EXPECT_TRUE(in.has(out.data()));
    if (!excepted("MPI_Get_elements of random types")) {
        int elements = -1;
        MPI_Get_elements(&status, received.type(), &elements);
        EXPECT_EQ(elements, static_cast<int>(received.entries().size()) * count);
    }
    // The same into a receive that is posted.
    in.clear();
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Irecv(in.base(), count, received.type(), left(), kTag, MPI_COMM_WORLD, &receive);
    MPI_Ssend(out.base(), count, sent.type(), right(), kTag, MPI_COMM_WORLD);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    EXPECT_TRUE(in.has(out.data()));
}

void expect_all(MappedType type, int count)
{
    SCOPED_TRACE(std::to_string(count) + " of " + type.words());
    type.commit();
    expect_queries(type);
    expect_packing(type, count);
    MappedType dense = MappedType::spread(type, 0);
    dense.commit();
    MappedType loose = MappedType::spread(type, 3);
    loose.commit();
    expect_message(type, dense, count);
    expect_message(dense, type, count);
    expect_message(type, loose, count);
    expect_message(loose, type, count);
    expect_message(type, type, count);
}

MappedType int_type()
{
    return MappedType::basic(MPI_INT);
}

MPI_TEST_AT(Types, Contiguous, ({1, 2, 4}))
{
    const MappedType gapped = MappedType::vector(2, 1, 3, int_type());
    for (const int count : {1, 3}) {
        expect_all(MappedType::contiguous(5, int_type()), count);
        expect_all(MappedType::contiguous(4, gapped), count);
        expect_all(MappedType::contiguous(3, MappedType::resized(-8, 40, gapped)), count);
    }
}

MPI_TEST_AT(Types, VectorsWithStridesOfBothSigns, ({1, 2, 4}))
{
    const MappedType gapped = MappedType::vector(2, 1, 3, MappedType::basic(MPI_SHORT));
    for (const int count : {1, 3}) {
        for (const int stride : {1, 2, 5, -2, -5}) {
            expect_all(MappedType::vector(4, 1, stride, int_type()), count);
            if (stride != 1) expect_all(MappedType::vector(3, 2, stride, gapped), count);
        }
        expect_all(MappedType::vector(1, 7, 100, int_type()), count);
        expect_all(MappedType::hvector(4, 2, 12, int_type()), count);
        expect_all(MappedType::hvector(4, 2, -20, int_type()), count);
        expect_all(MappedType::resized(0, 47, MappedType::hvector(4, 2, 13, int_type())), count);
        expect_all(MappedType::resized(-51, 60, MappedType::hvector(4, 2, -17, int_type())), count);
        expect_all(MappedType::hvector(3, 1, 4, gapped), 1);  // blocks between each other's
    }
}

MPI_TEST_AT(Types, IndexedWithEmptyBlocksAndNegativeDisplacements, ({1, 2, 4}))
{
    const MappedType gapped = MappedType::vector(2, 1, 3, MappedType::basic(MPI_SHORT));
    for (const int count : {1, 3}) {
        expect_all(MappedType::indexed({2, 1, 3}, {0, 5, 8}, int_type()), count);
        expect_all(MappedType::indexed({2, 1, 3}, {8, -5, 0}, gapped), count);
        expect_all(MappedType::indexed({2, 0, 3}, {1, 3, 8}, int_type()), count);
        expect_all(MappedType::hindexed({2, 1, 3}, {32, 4, -40}, int_type()), count);
        expect_all(MappedType::resized(-40, 78, MappedType::hindexed({2, 1, 3}, {30, 2, -40}, int_type())), count);
        expect_all(MappedType::hindexed({1, 0, 3}, {0, 100, 150}, gapped), 1);
        expect_all(MappedType::indexed_block(2, {7, 0, -3}, int_type()), count);
        expect_all(MappedType::indexed_block(2, {7, 0, -3}, gapped), count);
        expect_all(MappedType::hindexed_block(3, {72, 0, -32}, int_type()), count);
        expect_all(MappedType::resized(-31, 120, MappedType::hindexed_block(3, {70, 1, -31}, int_type())), count);
    }
}

MPI_TEST_AT(Types, Structures, ({1, 2, 4}))
{
    const MappedType c = MappedType::basic(MPI_CHAR);
    const MappedType d = MappedType::basic(MPI_DOUBLE);
    const MappedType gapped = MappedType::vector(2, 1, 3, MappedType::basic(MPI_SHORT));
    for (const int count : {1, 3}) {
        expect_all(MappedType::structure({1, 2, 1}, {0, 8, 24}, {&d, &d, &d}), count);
        expect_all(MappedType::resized(0, 48, MappedType::structure({1, 3, 2}, {0, 3, 32}, {&c, &gapped, &d})), 1);
        expect_all(
            MappedType::resized(-24, 80, MappedType::structure({1, 3, 2}, {40, 3, -24}, {&c, &gapped, &d})), count);
        expect_all(MappedType::resized(0, 24, MappedType::structure({1, 0, 2}, {16, 3, 0}, {&c, &gapped, &d})), count);
    }
}

MPI_TEST_AT(Types, Subarrays, ({1, 2, 4}))
{
    const MappedType gapped = MappedType::resized(0, 12, MappedType::vector(2, 1, 2, MappedType::basic(MPI_SHORT)));
    for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
        expect_all(MappedType::subarray({9}, {4}, {3}, order, int_type()), 2);
        expect_all(MappedType::subarray({5, 7}, {3, 2}, {1, 4}, order, int_type()), 2);
        expect_all(MappedType::subarray({5, 7}, {5, 7}, {0, 0}, order, int_type()), 2);
        expect_all(MappedType::subarray({4, 5, 6}, {2, 3, 2}, {2, 1, 3}, order, gapped), 1);
        expect_all(MappedType::subarray({3, 4, 2, 5}, {2, 2, 1, 4}, {1, 0, 1, 1}, order, int_type()), 2);
    }
}

MPI_TEST_AT(Types, DistributedArrays, ({1, 2}))
{
    const int b = MPI_DISTRIBUTE_BLOCK;
    const int c = MPI_DISTRIBUTE_CYCLIC;
    const int none = MPI_DISTRIBUTE_NONE;
    const int standard = MPI_DISTRIBUTE_DFLT_DARG;
    for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
        for (int process = 0; process < 6; ++process) {
            expect_all(
                MappedType::darray(6, process, {7, 10}, {b, b}, {standard, standard}, {2, 3}, order, int_type()), 1);
            expect_all(MappedType::darray(6, process, {7, 10}, {c, c}, {2, 3}, {2, 3}, order, int_type()), 1);
            expect_all(MappedType::darray(6, process, {9, 10}, {b, c}, {4, standard}, {3, 2}, order, int_type()), 2);
            expect_all(MappedType::darray(6, process, {13, 3}, {c, none}, {2, standard}, {6, 1}, order, int_type()), 1);
            expect_all(
                MappedType::darray(6, process, {4, 5, 6}, {c, b, c}, {1, 3, 2}, {1, 2, 3}, order, int_type()), 1);
        }
    }
}

MPI_TEST_AT(Types, ResizedAndDuplicated, ({1, 2, 4}))
{
    const MappedType gapped = MappedType::vector(2, 1, 3, int_type());
    for (const int count : {1, 2, 5}) {
        expect_all(MappedType::resized(-4, 8, int_type()), count);
        expect_all(MappedType::resized(0, 4, MappedType::vector(4, 1, 4, MappedType::basic(MPI_CHAR))), 1);
        expect_all(MappedType::resized(0, 1, MappedType::vector(4, 1, 4, MappedType::basic(MPI_CHAR))), 4);  // columns
        expect_all(MappedType::resized(100, 32, gapped), count);
        expect_all(MappedType::resized(0, -32, gapped), count);
        expect_all(MappedType::dup(gapped), count);
        expect_all(MappedType::dup(MappedType::resized(-4, 20, gapped)), count);
    }
}

MPI_TEST_AT(Types, LongMessagesWithGapsOnBothSides, ({1, 2}))
{
    const MappedType d = MappedType::basic(MPI_DOUBLE);
    MappedType column = MappedType::vector(9000, 1, 3, d);
    MappedType pairs = MappedType::vector(4500, 2, 5, d);
    MappedType irregular = MappedType::resized(0, 93008, MappedType::hvector(3000, 3, 31, d));
    MappedType dense = MappedType::contiguous(9000, d);
    for (MappedType* type : {&column, &pairs, &irregular, &dense}) type->commit();
    for (const MappedType* sent : {&column, &pairs, &irregular, &dense}) {
        for (const MappedType* received : {&column, &pairs, &irregular, &dense}) {
            for (const int count : {1, 5}) {
                SCOPED_TRACE(sent->words() + " to " + received->words() + " times " + std::to_string(count));
                expect_message(*sent, *received, count);
            }
        }
    }
}

MPI_TEST_AT(Types, RandomNestedTypesMoveWhatTheirTypeMapsSay, ({1, 2, 4}))
{
    std::mt19937_64 random(seed());  // the same on all ranks
    for (int i = 0; i < 60; ++i) {
        SCOPED_TRACE("type " + std::to_string(i) + ", FMPL_TEST_SEED=" + std::to_string(seed()));
        MappedType type = MappedType::random(random, 1 + i % 4);
        expect_all(std::move(type), 1 + i % 3);
    }
}

// Section 4.1.5: an absolute address is a displacement from MPI_BOTTOM.
MPI_TEST_AT(Types, AbsoluteAddressesFromBottom, ({1, 2, 4}))
{
    for (const int n : {3, 30000}) {
        const std::vector<double> numbers(static_cast<std::size_t>(n), 1.5);
        const int whole = 42;
        std::vector<double> numbers_in(static_cast<std::size_t>(n), 0);
        int whole_in = 0;
        const auto at = [&](const void* a, const void* b) {
            const int lengths[] = {n, 1};
            const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
            MPI_Aint displacements[2];
            MPI_Get_address(a, &displacements[0]);
            MPI_Get_address(b, &displacements[1]);
            MPI_Datatype type = MPI_DATATYPE_NULL;
            MPI_Type_create_struct(2, lengths, displacements, types, &type);
            MPI_Type_commit(&type);
            return type;
        };
        MPI_Datatype sent = at(numbers.data(), &whole);
        MPI_Datatype received = at(numbers_in.data(), &whole_in);
        MPI_Sendrecv(MPI_BOTTOM, 1, sent, right(), kTag, MPI_BOTTOM, 1, received, left(), kTag, MPI_COMM_WORLD,
            MPI_STATUS_IGNORE);
        EXPECT_EQ(numbers_in, numbers);
        EXPECT_EQ(whole_in, 42);
        MPI_Type_free(&sent);
        MPI_Type_free(&received);
    }
}

// Section 4.1.9: a type that is freed lives on in pending communication and in the types made of it.
MPI_TEST_AT(Types, AFreedTypeServesPendingCommunicationAndDerivedTypes, ({1, 2, 4}))
{
    for (const int n : {10, 50000}) {
        std::vector<int> out(static_cast<std::size_t>(2 * n), -1);
        std::vector<int> in(static_cast<std::size_t>(3 * n), -1);
        for (int i = 0; i < n; ++i) out[static_cast<std::size_t>(2 * i)] = i + rank();
        MPI_Datatype one = MPI_DATATYPE_NULL;
        MPI_Datatype every_third = MPI_DATATYPE_NULL;
        MPI_Datatype every_second = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(1, MPI_INT, &one);
        MPI_Type_vector(n, 1, 3, one, &every_third);
        MPI_Type_vector(n, 1, 2, one, &every_second);
        MPI_Type_free(&one);
        EXPECT_EQ(one, MPI_DATATYPE_NULL);
        MPI_Type_commit(&every_third);
        MPI_Type_commit(&every_second);
        MPI_Request requests[2];
        MPI_Irecv(in.data(), 1, every_third, left(), kTag, MPI_COMM_WORLD, &requests[0]);
        MPI_Type_free(&every_third);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Isend(out.data(), 1, every_second, right(), kTag, MPI_COMM_WORLD, &requests[1]);
        MPI_Type_free(&every_second);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        int wrong = 0;
        for (int i = 0; i < 3 * n; ++i) {
            if (in[static_cast<std::size_t>(i)] != (i % 3 == 0 ? i / 3 + left() : -1)) ++wrong;
        }
        EXPECT_EQ(wrong, 0);
    }
}

// Table 3.2 and section 16.1.16 of the standard, and the pairs of section 5.9.4.
MPI_TEST_AT(Types, EveryPredefinedTypeTravels, ({1, 2, 4}))
{
    const struct {
        MPI_Datatype type;
        std::size_t bytes;
    } table[] = {{MPI_CHAR, 1}, {MPI_SHORT, sizeof(short)}, {MPI_INT, sizeof(int)}, {MPI_LONG, sizeof(long)},
        {MPI_LONG_LONG_INT, sizeof(long long)}, {MPI_LONG_LONG, sizeof(long long)}, {MPI_SIGNED_CHAR, 1},
        {MPI_UNSIGNED_CHAR, 1}, {MPI_UNSIGNED_SHORT, sizeof(short)}, {MPI_UNSIGNED, sizeof(int)},
        {MPI_UNSIGNED_LONG, sizeof(long)}, {MPI_UNSIGNED_LONG_LONG, sizeof(long long)}, {MPI_FLOAT, sizeof(float)},
        {MPI_DOUBLE, sizeof(double)}, {MPI_LONG_DOUBLE, sizeof(long double)}, {MPI_WCHAR, sizeof(wchar_t)},
        {MPI_C_BOOL, 1}, {MPI_INT8_T, 1}, {MPI_INT16_T, 2}, {MPI_INT32_T, 4}, {MPI_INT64_T, 8}, {MPI_UINT8_T, 1},
        {MPI_UINT16_T, 2}, {MPI_UINT32_T, 4}, {MPI_UINT64_T, 8}, {MPI_C_COMPLEX, 8}, {MPI_C_FLOAT_COMPLEX, 8},
        {MPI_C_DOUBLE_COMPLEX, 16}, {MPI_C_LONG_DOUBLE_COMPLEX, 32}, {MPI_BYTE, 1}, {MPI_PACKED, 1},
        {MPI_AINT, sizeof(MPI_Aint)}, {MPI_OFFSET, sizeof(MPI_Offset)}, {MPI_COUNT, sizeof(MPI_Count)},
        {MPI_CXX_BOOL, 1}, {MPI_CXX_FLOAT_COMPLEX, 8}, {MPI_CXX_DOUBLE_COMPLEX, 16}, {MPI_CXX_LONG_DOUBLE_COMPLEX, 32},
        {MPI_INTEGER, 4}, {MPI_REAL, 4}, {MPI_DOUBLE_PRECISION, 8}, {MPI_COMPLEX, 8}, {MPI_DOUBLE_COMPLEX, 16},
        {MPI_LOGICAL, 4}, {MPI_CHARACTER, 1}, {MPI_INTEGER1, 1}, {MPI_INTEGER2, 2}, {MPI_INTEGER4, 4},
        {MPI_INTEGER8, 8}, {MPI_REAL4, 4}, {MPI_REAL8, 8}, {MPI_COMPLEX8, 8}, {MPI_COMPLEX16, 16}};
    for (const auto& row : table) {
        char name[MPI_MAX_OBJECT_NAME];
        int length = 0;
        MPI_Type_get_name(row.type, name, &length);
        SCOPED_TRACE(name);
        int bytes = -1;
        MPI_Aint lower = -1;
        MPI_Aint extent = -1;
        MPI_Type_size(row.type, &bytes);
        MPI_Type_get_extent(row.type, &lower, &extent);
        EXPECT_EQ(bytes, static_cast<int>(row.bytes));
        EXPECT_EQ(lower, 0);
        EXPECT_EQ(extent, static_cast<MPI_Aint>(row.bytes));
        for (const int count : {1, 17, 5000}) {
            const Message out(row.bytes * static_cast<std::size_t>(count), 3);
            Message in(out.bytes());
            MPI_Status status;
            MPI_Sendrecv(out.data(), count, row.type, right(), kTag, in.data(), count, row.type, left(), kTag,
                MPI_COMM_WORLD, &status);
            EXPECT_TRUE(in.holds(3));
            int got = -1;
            MPI_Get_count(&status, row.type, &got);
            EXPECT_EQ(got, count);
        }
    }
}

template <class Value>
struct Pair {
    Value value;
    int index;
};

template <class Value>
void expect_pair(MPI_Datatype type, std::size_t value_bytes)
{
    int bytes = -1;
    MPI_Aint lower = -1;
    MPI_Aint extent = -1;
    MPI_Type_size(type, &bytes);
    MPI_Type_get_extent(type, &lower, &extent);
    EXPECT_EQ(bytes, static_cast<int>(value_bytes + sizeof(int)));
    EXPECT_EQ(extent, static_cast<MPI_Aint>(sizeof(Pair<Value>)));
    Pair<Value> out[3];
    Pair<Value> in[3];
    for (int i = 0; i < 3; ++i) {
        out[i].value = static_cast<Value>(i + 10 * rank());
        out[i].index = 1000 + i;
    }
    MPI_Sendrecv(out, 3, type, right(), kTag, in, 3, type, left(), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(in[i].value, static_cast<Value>(i + 10 * left()));
        EXPECT_EQ(in[i].index, 1000 + i);
    }
}

MPI_TEST_AT(Types, PairsHaveTheLayoutOfTheirStructures, ({1, 2, 4}))
{
    expect_pair<float>(MPI_FLOAT_INT, sizeof(float));
    expect_pair<double>(MPI_DOUBLE_INT, sizeof(double));
    expect_pair<long>(MPI_LONG_INT, sizeof(long));
    expect_pair<short>(MPI_SHORT_INT, sizeof(short));
    expect_pair<int>(MPI_2INT, sizeof(int));
    expect_pair<long double>(MPI_LONG_DOUBLE_INT, sizeof(long double));
}

}  // namespace
}  // namespace mpi_test
