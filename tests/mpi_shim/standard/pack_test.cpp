// MPI-3.1, sections 4.2 and 4.3: packing, MPI_PACKED in messages, and the external representation.
#include "message.hpp"
#include "mpi_test.hpp"
#include "protocol_sizes.hpp"

#include <cstring>

namespace mpi_test {
namespace {

constexpr int kTag = 81;

struct Parts {
    int number = 0;
    double reals[10] = {};
    char text[7] = {};

    static Parts sample(int from)
    {
        Parts parts;
        parts.number = 1000 + from;
        for (int i = 0; i < 10; ++i) parts.reals[i] = i * 0.5 + from;
        std::memcpy(parts.text, "packed", 7);
        return parts;
    }
    bool operator==(const Parts& other) const
    {
        return number == other.number && std::memcmp(reals, other.reals, sizeof reals) == 0 &&
               std::memcmp(text, other.text, sizeof text) == 0;
    }
};

// The type of the parts where they lie, to be used from MPI_BOTTOM.
MPI_Datatype type_at(const Parts& parts)
{
    const int lengths[] = {1, 10, 7};
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
    MPI_Aint displacements[3];
    MPI_Get_address(&parts.number, &displacements[0]);
    MPI_Get_address(parts.reals, &displacements[1]);
    MPI_Get_address(parts.text, &displacements[2]);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(3, lengths, displacements, types, &type);
    MPI_Type_commit(&type);
    return type;
}

int pack(const Parts& parts, std::vector<char>& buffer)
{
    int position = 0;
    const int room = static_cast<int>(buffer.size());
    MPI_Pack(&parts.number, 1, MPI_INT, buffer.data(), room, &position, MPI_COMM_WORLD);
    MPI_Pack(parts.reals, 10, MPI_DOUBLE, buffer.data(), room, &position, MPI_COMM_WORLD);
    MPI_Pack(parts.text, 7, MPI_CHAR, buffer.data(), room, &position, MPI_COMM_WORLD);
    return position;
}

Parts unpack(const std::vector<char>& buffer, int bytes)
{
    Parts parts;
    int position = 0;
    MPI_Unpack(buffer.data(), bytes, &position, &parts.number, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(buffer.data(), bytes, &position, parts.reals, 10, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Unpack(buffer.data(), bytes, &position, parts.text, 7, MPI_CHAR, MPI_COMM_WORLD);
    EXPECT_EQ(position, bytes);
    return parts;
}

MPI_TEST_AT(Pack, WhatIsPackedPieceByPieceArrivesAndIsUnpackedPieceByPiece, ({1, 2, 4}))
{
    std::vector<char> out(300);
    std::vector<char> in(300);
    const int bytes = pack(Parts::sample(rank()), out);
    MPI_Status status;
    MPI_Sendrecv(out.data(), bytes, MPI_PACKED, right(), kTag, in.data(), 300, MPI_PACKED, left(), kTag, MPI_COMM_WORLD,
        &status);
    int count = -1;
    MPI_Get_count(&status, MPI_PACKED, &count);
    EXPECT_EQ(count, bytes);
    EXPECT_TRUE(unpack(in, count) == Parts::sample(left()));
}

MPI_TEST_AT(Pack, PackedDataIsReceivedByItsTypeAndTypedDataAsPacked, ({1, 2, 4}))
{
    std::vector<char> buffer(300);
    const Parts mine = Parts::sample(rank());
    const int bytes = pack(mine, buffer);
    Parts parts;
    MPI_Datatype received = type_at(parts);
    MPI_Status status;
    MPI_Sendrecv(buffer.data(), bytes, MPI_PACKED, right(), kTag, MPI_BOTTOM, 1, received, left(), kTag, MPI_COMM_WORLD,
        &status);
    EXPECT_TRUE(parts == Parts::sample(left()));
    MPI_Datatype sent = type_at(mine);
    std::vector<char> in(300);
    MPI_Sendrecv(MPI_BOTTOM, 1, sent, right(), kTag, in.data(), 300, MPI_PACKED, left(), kTag, MPI_COMM_WORLD, &status);
    int count = -1;
    MPI_Get_count(&status, MPI_PACKED, &count);
    EXPECT_TRUE(unpack(in, count) == Parts::sample(left()));
    MPI_Type_free(&sent);
    MPI_Type_free(&received);
}

MPI_TEST_AT(Pack, TheSizeIsEnoughForAnyType, ({1}))
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(100, 3, 7, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    const std::vector<double> out(4 * 700, 2.5);
    for (const int count : {0, 1, 4}) {
        int room = -1;
        MPI_Pack_size(count, type, MPI_COMM_WORLD, &room);
        EXPECT_GE(room, count * 2400);
        std::vector<char> buffer(static_cast<std::size_t>(room) + 1);
        int position = 0;
        MPI_Pack(out.data(), count, type, buffer.data(), room, &position, MPI_COMM_WORLD);
        EXPECT_LE(position, room);
    }
    MPI_Type_free(&type);
}

MPI_TEST_AT(Pack, APositionInTheMiddleIsGoneOnFrom, ({1}))
{
    std::vector<char> buffer(20, 'x');
    const int value = 0x01020304;
    int position = 8;
    MPI_Pack(&value, 1, MPI_INT, buffer.data(), 20, &position, MPI_COMM_WORLD);
    EXPECT_EQ(position, 12);
    EXPECT_EQ(std::string(buffer.data(), 8), "xxxxxxxx");
    EXPECT_EQ(std::string(buffer.data() + 12, 8), "xxxxxxxx");
    int back = 0;
    position = 8;
    MPI_Unpack(buffer.data(), 20, &position, &back, 1, MPI_INT, MPI_COMM_WORLD);
    EXPECT_EQ(back, value);
    EXPECT_EQ(position, 12);
}

MPI_TEST_AT(Pack, TooLittleRoomIsAnErrorAndNothingIsWrittenBeyondIt, ({1}))
{
    const ReturnErrors returned;
    std::vector<char> buffer(40, 'x');
    const double values[3] = {1, 2, 3};
    int position = 0;
    EXPECT_NE(MPI_Pack(values, 3, MPI_DOUBLE, buffer.data(), 20, &position, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(std::string(buffer.data() + 20, 20), std::string(20, 'x'));
    double in[3] = {7, 7, 7};
    position = 0;
    EXPECT_NE(MPI_Unpack(buffer.data(), 20, &position, in, 3, MPI_DOUBLE, MPI_COMM_WORLD), MPI_SUCCESS);
}

template <class T>
std::string external_bytes(const T* values, int count, MPI_Datatype type)
{
    MPI_Aint room = -1;
    MPI_Pack_external_size("external32", count, type, &room);
    std::string buffer(static_cast<std::size_t>(room), '\x5a');
    MPI_Aint position = 0;
    MPI_Pack_external("external32", values, count, type, buffer.data(), room, &position);
    EXPECT_EQ(position, room);
    std::vector<T> back(static_cast<std::size_t>(count));
    position = 0;
    MPI_Unpack_external("external32", buffer.data(), room, &position, back.data(), count, type);
    EXPECT_EQ(position, room);
    EXPECT_EQ(std::memcmp(back.data(), values, sizeof(T) * back.size()), 0);
    return buffer;
}

std::string bytes(std::initializer_list<int> values)
{
    std::string result;
    for (const int value : values) result += static_cast<char>(value);
    return result;
}

// Section 13.5.2: big endian, IEEE.
MPI_TEST_AT(PackExternal, NumbersAreBigEndian, ({1}))
{
    const int whole[] = {0x01020304, -2};
    EXPECT_EQ(external_bytes(whole, 2, MPI_INT), bytes({1, 2, 3, 4, 0xff, 0xff, 0xff, 0xfe}));
    const short small = 0x0102;
    EXPECT_EQ(external_bytes(&small, 1, MPI_SHORT), bytes({1, 2}));
    const long long wide = 0x0102030405060708;
    EXPECT_EQ(external_bytes(&wide, 1, MPI_LONG_LONG), bytes({1, 2, 3, 4, 5, 6, 7, 8}));
    const std::int64_t exact = 0x0102030405060708;
    EXPECT_EQ(external_bytes(&exact, 1, MPI_INT64_T), bytes({1, 2, 3, 4, 5, 6, 7, 8}));
    const float real = 1.0F;
    EXPECT_EQ(external_bytes(&real, 1, MPI_FLOAT), bytes({0x3f, 0x80, 0, 0}));
    const double precise = -2.0;
    EXPECT_EQ(external_bytes(&precise, 1, MPI_DOUBLE), bytes({0xc0, 0, 0, 0, 0, 0, 0, 0}));
    const double complex_number[] = {1.0, -2.0};
    MPI_Aint size = 0;
    MPI_Pack_external_size("external32", 1, MPI_C_DOUBLE_COMPLEX, &size);
    REQUIRE(size == 16);
    std::string buffer(16, 0);
    MPI_Aint position = 0;
    MPI_Pack_external("external32", complex_number, 1, MPI_C_DOUBLE_COMPLEX, buffer.data(), 16, &position);
    EXPECT_EQ(buffer, bytes({0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0}));
    const char letters[] = {'a', 'b'};
    EXPECT_EQ(external_bytes(letters, 2, MPI_CHAR), "ab");
}

// Table 13.2: a long has four bytes there.
MPI_TEST_AT(PackExternal, ALongHasFourBytes, ({1}))
{
    const long value = 0x01020304;
    EXPECT_EQ(external_bytes(&value, 1, MPI_LONG), bytes({1, 2, 3, 4}));
}

MPI_TEST_AT(PackExternal, DerivedTypesAreConvertedEntryByEntry, ({1}))
{
    struct Mixed {
        short s;
        int i;
        double d;
    };
    const int lengths[] = {1, 1, 1};
    const MPI_Aint displacements[] = {offsetof(Mixed, s), offsetof(Mixed, i), offsetof(Mixed, d)};
    const MPI_Datatype types[] = {MPI_SHORT, MPI_INT, MPI_DOUBLE};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(3, lengths, displacements, types, &type);
    MPI_Type_commit(&type);
    const Mixed out[2] = {{1, 2, 1.0}, {3, 4, -2.0}};
    Mixed in[2] = {};
    MPI_Aint room = 0;
    MPI_Pack_external_size("external32", 2, type, &room);
    EXPECT_EQ(room, 28);
    std::string buffer(static_cast<std::size_t>(room), 0);
    MPI_Aint position = 0;
    MPI_Pack_external("external32", out, 2, type, buffer.data(), room, &position);
    EXPECT_EQ(position, 28);
    EXPECT_EQ(
        buffer, bytes({0, 1, 0, 0, 0, 2, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0xc0, 0, 0, 0, 0, 0, 0, 0}));
    position = 0;
    MPI_Unpack_external("external32", buffer.data(), room, &position, in, 2, type);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(in[i].s, out[i].s);
        EXPECT_EQ(in[i].i, out[i].i);
        EXPECT_EQ(in[i].d, out[i].d);
    }
    MPI_Type_free(&type);
}

MPI_TEST_AT(PackExternal, AnUnknownRepresentationIsAnError, ({1}))
{
    const ReturnErrors returned;
    MPI_Aint room = 0;
    EXPECT_NE(MPI_Pack_external_size("no such form", 1, MPI_INT, &room), MPI_SUCCESS);
}

}  // namespace
}  // namespace mpi_test
