// MPI-3.1, sections 4.3 and 13.5.2: the external data representation "external32". The bytes are written down by hand,
// from the standard's table of sizes and the formats of IEEE 754.
#include "message.hpp"
#include "mpi_test.hpp"
#include "protocol_sizes.hpp"

#include <climits>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

namespace mpi_test {
namespace {

constexpr char kForm[] = "external32";
constexpr int kTag = 131;
constexpr char kUntouched = '\x5a';

// "3f80 0000": the bytes of these hexadecimal digits.
std::string bytes_of(const std::string& digits)
{
    std::string bytes;
    int half = -1;
    for (const char digit : digits) {
        if (digit == ' ') continue;
        const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
        if (half < 0) {
            half = value;
        } else {
            bytes += static_cast<char>(half * 16 + value);
            half = -1;
        }
    }
    return bytes;
}

std::string digits_of(const std::string& bytes)
{
    constexpr char kDigits[] = "0123456789abcdef";
    std::string digits;
    for (const char byte : bytes) {
        digits += kDigits[static_cast<unsigned char>(byte) >> 4];
        digits += kDigits[static_cast<unsigned char>(byte) & 15];
    }
    return digits;
}

MPI_Aint size_of(int count, MPI_Datatype type)
{
    MPI_Aint size = -1;
    MPI_Pack_external_size(kForm, count, type, &size);
    return size;
}

std::string packed(const void* values, int count, MPI_Datatype type)
{
    const MPI_Aint room = size_of(count, type);
    std::string buffer(static_cast<std::size_t>(room) + 8, kUntouched);
    MPI_Aint position = 0;
    MPI_Pack_external(kForm, values, count, type, buffer.data(), room, &position);
    EXPECT_EQ(position, room);
    EXPECT_EQ(buffer.substr(static_cast<std::size_t>(room)), std::string(8, kUntouched));
    buffer.resize(static_cast<std::size_t>(position));
    return buffer;
}

void unpack(const std::string& bytes, void* values, int count, MPI_Datatype type)
{
    MPI_Aint position = 0;
    MPI_Unpack_external(kForm, bytes.data(), static_cast<MPI_Aint>(bytes.size()), &position, values, count, type);
    EXPECT_EQ(position, static_cast<MPI_Aint>(bytes.size()));
}

// The values have these bytes, and these bytes give the values back.
template <class T>
void expect_form(MPI_Datatype type, const std::vector<T>& values, const std::string& digits, const char* name)
{
    SCOPED_TRACE(name);
    const int count = static_cast<int>(values.size());
    const std::string expected = bytes_of(digits);
    EXPECT_EQ(size_of(count, type), static_cast<MPI_Aint>(expected.size()));
    EXPECT_EQ(digits_of(packed(values.data(), count, type)), digits_of(expected));
    std::vector<T> back(values.size());
    unpack(expected, back.data(), count, type);
    EXPECT_EQ(back, values);
}
#define EXPECT_FORM(type, T, digits, ...) expect_form<T>(type, std::vector<T> __VA_ARGS__, digits, #type)

// Table 13.2; of its optional types those that are there.
MPI_TEST_AT(External32, EveryTypeHasTheSizeOfTheTable, ({1}))
{
    struct Row {
        MPI_Datatype type;
        MPI_Aint size;
        const char* name;
    };
#define ROW(type, size)   \
    {                     \
        type, size, #type \
    }
    const std::vector<Row> table = {ROW(MPI_PACKED, 1), ROW(MPI_BYTE, 1), ROW(MPI_CHAR, 1), ROW(MPI_UNSIGNED_CHAR, 1),
        ROW(MPI_SIGNED_CHAR, 1), ROW(MPI_WCHAR, 2), ROW(MPI_SHORT, 2), ROW(MPI_UNSIGNED_SHORT, 2), ROW(MPI_INT, 4),
        ROW(MPI_UNSIGNED, 4), ROW(MPI_LONG, 4), ROW(MPI_UNSIGNED_LONG, 4), ROW(MPI_LONG_LONG_INT, 8),
        ROW(MPI_LONG_LONG, 8), ROW(MPI_UNSIGNED_LONG_LONG, 8), ROW(MPI_FLOAT, 4), ROW(MPI_DOUBLE, 8),
        ROW(MPI_LONG_DOUBLE, 16), ROW(MPI_C_BOOL, 1), ROW(MPI_INT8_T, 1), ROW(MPI_INT16_T, 2), ROW(MPI_INT32_T, 4),
        ROW(MPI_INT64_T, 8), ROW(MPI_UINT8_T, 1), ROW(MPI_UINT16_T, 2), ROW(MPI_UINT32_T, 4), ROW(MPI_UINT64_T, 8),
        ROW(MPI_AINT, 8), ROW(MPI_COUNT, 8), ROW(MPI_OFFSET, 8), ROW(MPI_C_COMPLEX, 8), ROW(MPI_C_FLOAT_COMPLEX, 8),
        ROW(MPI_C_DOUBLE_COMPLEX, 16), ROW(MPI_C_LONG_DOUBLE_COMPLEX, 32), ROW(MPI_CHARACTER, 1), ROW(MPI_LOGICAL, 4),
        ROW(MPI_INTEGER, 4), ROW(MPI_REAL, 4), ROW(MPI_DOUBLE_PRECISION, 8), ROW(MPI_COMPLEX, 8),
        ROW(MPI_DOUBLE_COMPLEX, 16), ROW(MPI_CXX_BOOL, 1), ROW(MPI_CXX_FLOAT_COMPLEX, 8),
        ROW(MPI_CXX_DOUBLE_COMPLEX, 16), ROW(MPI_CXX_LONG_DOUBLE_COMPLEX, 32), ROW(MPI_INTEGER1, 1),
        ROW(MPI_INTEGER2, 2), ROW(MPI_INTEGER4, 4), ROW(MPI_INTEGER8, 8), ROW(MPI_REAL4, 4), ROW(MPI_REAL8, 8),
        ROW(MPI_REAL16, 16), ROW(MPI_COMPLEX8, 8), ROW(MPI_COMPLEX16, 16), ROW(MPI_COMPLEX32, 32),
        // Pairs: both entries, without a gap.
        ROW(MPI_FLOAT_INT, 8), ROW(MPI_DOUBLE_INT, 12), ROW(MPI_LONG_INT, 8), ROW(MPI_SHORT_INT, 6), ROW(MPI_2INT, 8),
        ROW(MPI_LONG_DOUBLE_INT, 20), ROW(MPI_2INTEGER, 8), ROW(MPI_2REAL, 8), ROW(MPI_2DOUBLE_PRECISION, 16)};
#undef ROW
    for (const Row& row : table) {
        if (row.type == MPI_DATATYPE_NULL) continue;
        SCOPED_TRACE(row.name);
        for (const int count : {0, 1, 3, 100000}) EXPECT_EQ(size_of(count, row.type), count * row.size);
    }
}

MPI_TEST_AT(External32, IntegersAreBigEndianTwosComplements, ({1}))
{
    EXPECT_FORM(MPI_SIGNED_CHAR, signed char, "01 ff 7f 80", ({1, -1, 127, -128}));
    EXPECT_FORM(MPI_UNSIGNED_CHAR, unsigned char, "00 ff 80", ({0, 255, 128}));
    EXPECT_FORM(MPI_SHORT, short, "0102 fffe 7fff 8000", ({0x0102, -2, 32767, -32768}));
    EXPECT_FORM(MPI_UNSIGNED_SHORT, unsigned short, "0102 fffe", ({0x0102, 0xfffe}));
    EXPECT_FORM(MPI_INT, int, "01020304 fffffffe 7fffffff 80000000", ({0x01020304, -2, INT_MAX, INT_MIN}));
    EXPECT_FORM(MPI_UNSIGNED, unsigned, "01020304 ffffffff", ({0x01020304U, UINT_MAX}));
    EXPECT_FORM(MPI_LONG_LONG, long long, "0102030405060708 fffffffffffffffe 8000000000000000",
        ({0x0102030405060708LL, -2LL, LLONG_MIN}));
    EXPECT_FORM(MPI_UNSIGNED_LONG_LONG, unsigned long long, "0102030405060708 ffffffffffffffff",
        ({0x0102030405060708ULL, ULLONG_MAX}));
    EXPECT_FORM(MPI_INT8_T, std::int8_t, "05 fb", ({5, -5}));
    EXPECT_FORM(MPI_INT16_T, std::int16_t, "0005 fffb", ({5, -5}));
    EXPECT_FORM(MPI_INT32_T, std::int32_t, "00000005 fffffffb", ({5, -5}));
    EXPECT_FORM(MPI_INT64_T, std::int64_t, "0000000000000005 fffffffffffffffb", ({5, -5}));
    EXPECT_FORM(MPI_UINT8_T, std::uint8_t, "05 fb", ({5, 251}));
    EXPECT_FORM(MPI_UINT16_T, std::uint16_t, "0102 ff00", ({0x0102, 0xff00}));
    EXPECT_FORM(MPI_UINT32_T, std::uint32_t, "01020304 ff000000", ({0x01020304U, 0xff000000U}));
    EXPECT_FORM(MPI_UINT64_T, std::uint64_t, "0102030405060708 ff00000000000000",
        ({0x0102030405060708ULL, 0xff00000000000000ULL}));
    EXPECT_FORM(MPI_AINT, MPI_Aint, "0102030405060708 ffffffffffffffff", ({0x0102030405060708, -1}));
    EXPECT_FORM(MPI_COUNT, MPI_Count, "0102030405060708 ffffffffffffffff", ({0x0102030405060708, -1}));
    EXPECT_FORM(MPI_OFFSET, MPI_Offset, "0102030405060708 ffffffffffffffff", ({0x0102030405060708, -1}));
}

// Four bytes, whatever a long has here; the sign is kept.
MPI_TEST_AT(External32, LongsHaveFourBytes, ({1}))
{
    EXPECT_FORM(
        MPI_LONG, long, "01020304 fffffffe 7fffffff 80000000", ({0x01020304L, -2L, 0x7fffffffL, -0x7fffffffL - 1}));
    EXPECT_FORM(
        MPI_UNSIGNED_LONG, unsigned long, "01020304 fffffffe 80000000", ({0x01020304UL, 0xfffffffeUL, 0x80000000UL}));
}

// What the four bytes cannot hold is no number of that form. Only those that convert can say so.
MPI_TEST_AT(External32, ALongBeyondFourBytesIsAConversionError, ({1}))
{
    const ReturnErrors returned;
    if (sizeof(long) == 4 || library() != Library::fmpl) return;
    for (const long value : {0x80000000L, -0x80000001L, LONG_MAX, LONG_MIN}) {
        char buffer[4];
        MPI_Aint position = 0;
        EXPECT_CLASS(MPI_ERR_CONVERSION, MPI_Pack_external(kForm, &value, 1, MPI_LONG, buffer, 4, &position));
        EXPECT_EQ(position, 0);
    }
    const unsigned long value = 0x100000000UL;
    char buffer[4];
    MPI_Aint position = 0;
    EXPECT_CLASS(MPI_ERR_CONVERSION, MPI_Pack_external(kForm, &value, 1, MPI_UNSIGNED_LONG, buffer, 4, &position));
}

MPI_TEST_AT(External32, CharactersAreThemselvesAndWideOnesUnicode, ({1}))
{
    EXPECT_FORM(MPI_CHAR, char, "61 7a 00 e4", ({'a', 'z', '\0', '\xe4'}));
    EXPECT_FORM(MPI_CHARACTER, char, "46 39 20", ({'F', '9', ' '}));
    EXPECT_FORM(MPI_BYTE, unsigned char, "01 fe", ({1, 0xfe}));
    EXPECT_FORM(MPI_PACKED, unsigned char, "01 fe", ({1, 0xfe}));
    EXPECT_FORM(MPI_WCHAR, wchar_t, "0061 00e4 20ac fffd", ({L'a', L'\u00e4', L'\u20ac', L'\ufffd'}));
}

MPI_TEST_AT(External32, ReadBytesOtherThanZeroAreTrue, ({1}))
{
    // std::vector<bool> has no array.
    const bool values[] = {true, false, true};
    EXPECT_EQ(digits_of(packed(values, 3, MPI_C_BOOL)), "010001");
    EXPECT_EQ(digits_of(packed(values, 3, MPI_CXX_BOOL)), "010001");
    for (const MPI_Datatype type : {MPI_C_BOOL, MPI_CXX_BOOL}) {
        bool read[] = {true, false, false};
        unpack(bytes_of("00 01 80"), read, 3, type);
        unsigned char stored[3];
        std::memcpy(stored, read, 3);
        EXPECT_EQ(int{stored[0]}, 0);
        EXPECT_EQ(int{stored[1]}, 1);
        EXPECT_EQ(int{stored[2]}, 1);
    }
    EXPECT_FORM(MPI_LOGICAL, MPI_Fint, "00000001 00000000", ({1, 0}));
    MPI_Fint logical[] = {0, 0, 1};
    unpack(bytes_of("00000100 ffffffff 00000000"), logical, 3, MPI_LOGICAL);
    EXPECT_NE(logical[0], 0);
    EXPECT_NE(logical[1], 0);
    EXPECT_EQ(logical[2], 0);
}

MPI_TEST_AT(External32, RealsAreBigEndianIeee, ({1}))
{
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const std::vector<float> singles = {1.0F, -2.0F, 0.1F, -0.0F, kInfinity, 1.40129846e-45F};
    expect_form(MPI_FLOAT, singles, "3f800000 c0000000 3dcccccd 80000000 7f800000 00000001", "MPI_FLOAT");
    expect_form(MPI_REAL, singles, "3f800000 c0000000 3dcccccd 80000000 7f800000 00000001", "MPI_REAL");
    expect_form(MPI_REAL4, singles, "3f800000 c0000000 3dcccccd 80000000 7f800000 00000001", "MPI_REAL4");
    const std::vector<double> doubles = {1.0, -2.0, 0.1, std::numeric_limits<double>::max()};
    const char* const in_eight = "3ff0000000000000 c000000000000000 3fb999999999999a 7fefffffffffffff";
    expect_form(MPI_DOUBLE, doubles, in_eight, "MPI_DOUBLE");
    expect_form(MPI_DOUBLE_PRECISION, doubles, in_eight, "MPI_DOUBLE_PRECISION");
    expect_form(MPI_REAL8, doubles, in_eight, "MPI_REAL8");
}

MPI_TEST_AT(External32, ComplexNumbersAreTheRealPartThenTheImaginaryOne, ({1}))
{
    const std::vector<std::pair<float, float>> single = {{1.0F, -2.0F}, {0.5F, 3.0F}};
    const char* const in_four = "3f800000 c0000000 3f000000 40400000";
    for (const MPI_Datatype type :
        {MPI_C_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_COMPLEX, MPI_COMPLEX8, MPI_CXX_FLOAT_COMPLEX}) {
        expect_form(type, single, in_four, "a complex type of two floats");
    }
    const std::vector<std::pair<double, double>> twofold = {{1.0, -2.0}, {0.5, 3.0}};
    const char* const in_eight = "3ff0000000000000 c000000000000000 3fe0000000000000 4008000000000000";
    for (const MPI_Datatype type : {MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX16, MPI_CXX_DOUBLE_COMPLEX}) {
        expect_form(type, twofold, in_eight, "a complex type of two doubles");
    }
}

// "Double Extended": 16 bytes, 15 bits of exponent with bias 16383, 112 bits of fraction.
MPI_TEST_AT(External32, LongDoublesAreOfSixteenBytesWithAnExponentOfFifteenBits, ({1}))
{
    constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
    // 1 + 2^-52, which every long double of more than 52 bits of fraction, or of just these, has.
    const long double next = 1.0L + std::ldexp(1.0L, -52);
    const std::vector<long double> values = {1.0L, -2.0L, 1.5L, 0.0L, next, std::ldexp(1.0L, -1000), -kInfinity};
    const std::string digits =
        "3fff0000000000000000000000000000 c0000000000000000000000000000000 3fff8000000000000000000000000000"
        "00000000000000000000000000000000 3fff0000000000001000000000000000 3c170000000000000000000000000000"
        "ffff0000000000000000000000000000";
    expect_form(MPI_LONG_DOUBLE, values, digits, "MPI_LONG_DOUBLE");
    if (std::numeric_limits<long double>::digits >= 64) {
        // The last of 63 bits of fraction is bit 49 of the lower eight bytes. Then the smallest normal number.
        EXPECT_FORM(MPI_LONG_DOUBLE, long double, "3fff0000000000000002000000000000 00010000000000000000000000000000",
            ({1.0L + std::ldexp(1.0L, -63), std::ldexp(1.0L, -16382)}));
    }
    const std::vector<std::pair<long double, long double>> pairs = {{1.0L, -2.0L}};
    for (const MPI_Datatype type : {MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX}) {
        expect_form(type, pairs, "3fff0000000000000000000000000000 c0000000000000000000000000000000",
            "a complex type of two long doubles");
    }
}

MPI_TEST_AT(External32, FortransNumbersOfASizeHaveThatSize, ({1}))
{
    EXPECT_FORM(MPI_INTEGER, MPI_Fint, "01020304 fffffffe", ({0x01020304, -2}));
    EXPECT_FORM(MPI_INTEGER1, std::int8_t, "05 fb", ({5, -5}));
    EXPECT_FORM(MPI_INTEGER2, std::int16_t, "0102 fffb", ({0x0102, -5}));
    EXPECT_FORM(MPI_INTEGER4, std::int32_t, "01020304 fffffffb", ({0x01020304, -5}));
    EXPECT_FORM(MPI_INTEGER8, std::int64_t, "0102030405060708 fffffffffffffffb", ({0x0102030405060708, -5}));
    // IEEE quadruple precision, whose form it is; 1 and -1.5, lowest byte first where the lowest byte is first.
    const std::uint16_t probe = 1;
    unsigned char lowest = 0;
    std::memcpy(&lowest, &probe, 1);
    std::string quads = bytes_of("3fff0000000000000000000000000000 bfff8000000000000000000000000000");
    const std::string in_order = quads;
    if (lowest == 1)
        quads = std::string(quads.rbegin() + 16, quads.rend()) + std::string(quads.rbegin(), quads.rbegin() + 16);
    if (MPI_REAL16 != MPI_DATATYPE_NULL) {
        EXPECT_EQ(digits_of(packed(quads.data(), 2, MPI_REAL16)), digits_of(in_order));
        std::string back(32, 0);
        unpack(in_order, back.data(), 2, MPI_REAL16);
        EXPECT_EQ(digits_of(back), digits_of(quads));
    }
    if (MPI_COMPLEX32 != MPI_DATATYPE_NULL) {
        EXPECT_EQ(digits_of(packed(quads.data(), 1, MPI_COMPLEX32)), digits_of(in_order));
    }
}

// Section 17.1.9: the size in external32 of a type by precision p and range r.
MPI_TEST_AT(External32, FortransNumbersByPrecisionHaveTheSizesOfTheirRules, ({1}))
{
    struct Row {
        int p;
        int r;
        MPI_Aint size;
    };
    for (const Row& row : {Row{3, MPI_UNDEFINED, 4}, Row{6, 37, 4}, Row{7, MPI_UNDEFINED, 8}, Row{6, 38, 8},
             Row{15, 307, 8}, Row{16, MPI_UNDEFINED, 16}, Row{18, 4000, 16}, Row{15, 308, 16}, Row{33, 4931, 16}}) {
        SCOPED_TRACE("p = " + std::to_string(row.p) + ", r = " + std::to_string(row.r));
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_f90_real(row.p, row.r, &type);
        EXPECT_EQ(size_of(3, type), 3 * row.size);
        MPI_Type_create_f90_complex(row.p, row.r, &type);
        EXPECT_EQ(size_of(3, type), 3 * 2 * row.size);
    }
    for (const Row& row : {Row{0, 1, 1}, Row{0, 2, 1}, Row{0, 3, 2}, Row{0, 4, 2}, Row{0, 5, 4}, Row{0, 9, 4},
             Row{0, 10, 8}, Row{0, 18, 8}}) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_f90_integer(row.r, &type);
        EXPECT_EQ(size_of(3, type), 3 * row.size) << "r = " << row.r;
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_f90_real(15, 307, &type);
    EXPECT_FORM(type, double, "3ff0000000000000", ({1.0}));
    MPI_Type_create_f90_integer(4, &type);
    EXPECT_FORM(type, std::int16_t, "0102", ({0x0102}));
}

MPI_TEST_AT(External32, APairIsItsTwoEntriesWithoutAGap, ({1}))
{
    struct {
        short value;
        int index;
    } const shorts[] = {{0x0102, 3}, {-1, 4}};
    EXPECT_EQ(digits_of(packed(shorts, 2, MPI_SHORT_INT)), "010200000003ffff00000004");
    struct {
        double value;
        int index;
    } doubles[] = {{1.0, 3}, {-2.0, 4}};
    const std::string expected = bytes_of("3ff0000000000000 00000003 c000000000000000 00000004");
    EXPECT_EQ(digits_of(packed(doubles, 2, MPI_DOUBLE_INT)), digits_of(expected));
    doubles[0] = doubles[1] = {0, 0};
    unpack(expected, doubles, 2, MPI_DOUBLE_INT);
    EXPECT_EQ(doubles[0].value, 1.0);
    EXPECT_EQ(doubles[1].value, -2.0);
    EXPECT_EQ(doubles[1].index, 4);
    struct {
        long value;
        int index;
    } const longs[] = {{-2, 7}};
    EXPECT_EQ(digits_of(packed(longs, 1, MPI_LONG_INT)), "fffffffe00000007");
    struct {
        long double value;
        int index;
    } const extended[] = {{1.0L, 7}};
    EXPECT_EQ(digits_of(packed(extended, 1, MPI_LONG_DOUBLE_INT)), "3fff000000000000000000000000000000000007");
}

// Packs and unpacks copies of a type, which it frees; what the type leaves out of `values` stays as it is.
template <class T>
void expect_derived(MPI_Datatype type, int count, const std::vector<T>& values, const std::vector<T>& received,
    const std::string& digits, std::size_t first = 0)
{
    MPI_Type_commit(&type);
    const std::string expected = bytes_of(digits);
    EXPECT_EQ(size_of(count, type), static_cast<MPI_Aint>(expected.size()));
    EXPECT_EQ(digits_of(packed(values.data() + first, count, type)), digits_of(expected));
    std::vector<T> back(values.size(), T(-7));
    unpack(expected, back.data() + first, count, type);
    EXPECT_EQ(back, received);
    MPI_Type_free(&type);
}

MPI_TEST_AT(External32, AVectorIsItsBlocksInOrder, ({1}))
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 2, 3, MPI_SHORT, &type);
    expect_derived<short>(type, 2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {1, 2, -7, 4, 5, 6, 7, -7, 9, 10},
        "0001 0002 0004 0005 0006 0007 0009 000a");
    // Backwards.
    MPI_Type_vector(3, 1, -2, MPI_INT, &type);
    expect_derived<int>(type, 1, {1, 2, 3, 4, 5}, {1, -7, 3, -7, 5}, "00000005 00000003 00000001", 4);
    // Of longs, whose copies are shorter there than here.
    MPI_Type_vector(2, 1, 2, MPI_LONG, &type);
    expect_derived<long>(type, 1, {1, 2, -3}, {1, -7, -3}, "00000001 fffffffd");
}

MPI_TEST_AT(External32, IndexedSubarrayAndResizedTypesKeepTheOrderOfTheirEntries, ({1}))
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int lengths[] = {1, 2, 0};
    const int displacements[] = {4, 0, 1};
    MPI_Type_indexed(3, lengths, displacements, MPI_INT, &type);
    expect_derived<int>(type, 1, {1, 2, 3, 4, 5}, {1, 2, -7, -7, 5}, "00000005 00000001 00000002");
    const int sizes[] = {3, 3};
    const int subsizes[] = {2, 2};
    const int starts[] = {1, 0};
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_SHORT, &type);
    expect_derived<short>(
        type, 1, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {-7, -7, -7, 4, 5, -7, 7, 8, -7}, "0004 0005 0007 0008");
    MPI_Type_create_resized(MPI_INT, 0, 8, &type);
    expect_derived<int>(type, 2, {1, 2, 3, 4}, {1, -7, 3, -7}, "00000001 00000003");
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_LONG, 0, 16, &inner);
    MPI_Type_contiguous(2, inner, &type);
    expect_derived<long>(type, 1, {1, 2, 3, 4}, {1, -7, 3, -7}, "00000001 00000003");
    MPI_Type_free(&inner);
}

struct Mixed {
    char letter;
    long number;
    short shorts[3];
    float complex_number[2];
    double real;
};

MPI_Datatype mixed_type(const Mixed& of, bool absolute)
{
    const int lengths[] = {1, 1, 2, 1, 1};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_LONG, MPI_SHORT, MPI_C_FLOAT_COMPLEX, MPI_DOUBLE};
    MPI_Aint displacements[] = {offsetof(Mixed, letter), offsetof(Mixed, number), offsetof(Mixed, shorts),
        offsetof(Mixed, complex_number), offsetof(Mixed, real)};
    MPI_Aint start = 0;
    if (absolute) MPI_Get_address(&of, &start);
    for (MPI_Aint& displacement : displacements) displacement = MPI_Aint_add(start, displacement);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(5, lengths, displacements, types, &type);
    MPI_Type_commit(&type);
    return type;
}

MPI_TEST_AT(External32, AStructureIsItsMembersWithoutGaps, ({1}))
{
    const Mixed out[2] = {{'x', -2, {1, 2, 3}, {1.0F, -2.0F}, 0.5}, {'y', 3, {4, 5, 6}, {0.5F, 0.25F}, -0.0}};
    const std::string first = "78 fffffffe 0001 0002 3f800000 c0000000 3fe0000000000000";
    const std::string second = "79 00000003 0004 0005 3f000000 3e800000 8000000000000000";
    MPI_Datatype type = mixed_type(out[0], false);
    EXPECT_EQ(size_of(2, type), 50);
    EXPECT_EQ(digits_of(packed(out, 2, type)), digits_of(bytes_of(first + second)));
    Mixed in[2] = {};
    in[1].shorts[2] = 77;
    unpack(bytes_of(first + second), in, 2, type);
    EXPECT_EQ(in[1].letter, 'y');
    EXPECT_EQ(in[0].number, -2);
    EXPECT_EQ(in[1].shorts[1], 5);
    EXPECT_EQ(in[1].shorts[2], 77) << "no entry of the type";
    EXPECT_EQ(in[0].complex_number[1], -2.0F);
    EXPECT_TRUE(std::signbit(in[1].real));
    MPI_Type_free(&type);
    // The same by addresses, from MPI_BOTTOM, and within another type.
    MPI_Datatype inner = mixed_type(out[1], true);
    MPI_Datatype outer = MPI_DATATYPE_NULL;
    MPI_Type_dup(inner, &outer);
    MPI_Type_free(&inner);
    EXPECT_EQ(digits_of(packed(MPI_BOTTOM, 1, outer)), digits_of(bytes_of(second)));
    MPI_Type_free(&outer);
}

MPI_TEST_AT(External32, ThePositionGoesOnFromCallToCall, ({1}))
{
    std::string buffer(20, kUntouched);
    MPI_Aint position = 1;
    const int whole = 0x01020304;
    const double real = 1.0;
    const char letters[] = {'a', 'b'};
    MPI_Pack_external(kForm, &whole, 1, MPI_INT, buffer.data(), 20, &position);
    EXPECT_EQ(position, 5);
    MPI_Pack_external(kForm, &real, 0, MPI_DOUBLE, buffer.data(), 20, &position);
    EXPECT_EQ(position, 5);
    MPI_Pack_external(kForm, &real, 1, MPI_DOUBLE, buffer.data(), 20, &position);
    EXPECT_EQ(position, 13);
    MPI_Pack_external(kForm, letters, 2, MPI_CHAR, buffer.data(), 20, &position);
    EXPECT_EQ(position, 15);
    EXPECT_EQ(digits_of(buffer),
        "5a01020304"
        "3ff0000000000000"
        "6162"
        "5a5a5a5a5a");
    // In other pieces than those that were packed.
    struct {
        double real;
        char letter;
    } in = {};
    int back = 0;
    char last = 0;
    position = 1;
    MPI_Unpack_external(kForm, buffer.data(), 15, &position, &back, 1, MPI_INT);
    EXPECT_EQ(back, whole);
    EXPECT_EQ(position, 5);
    const int lengths[] = {1, 1};
    const MPI_Aint displacements[] = {0, 8};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths, displacements, types, &type);
    MPI_Type_commit(&type);
    MPI_Unpack_external(kForm, buffer.data(), 15, &position, &in, 1, type);
    EXPECT_EQ(in.real, 1.0);
    EXPECT_EQ(in.letter, 'a');
    EXPECT_EQ(position, 14);
    MPI_Unpack_external(kForm, buffer.data(), 15, &position, &last, 1, MPI_CHAR);
    EXPECT_EQ(last, 'b');
    EXPECT_EQ(position, 15);
    MPI_Type_free(&type);
}

MPI_TEST_AT(External32, TooLittleRoomIsAnErrorThatWritesAndMovesNothing, ({1}))
{
    const ReturnErrors returned;
    const int values[] = {1, 2, 3};
    const long longs[] = {1, 2, 3};
    for (const MPI_Aint room : {0, 1, 4, 11}) {
        std::string buffer(32, kUntouched);
        MPI_Aint position = 0;
        EXPECT_NE(MPI_Pack_external(kForm, values, 3, MPI_INT, buffer.data(), room, &position), MPI_SUCCESS);
        EXPECT_EQ(position, 0);
        EXPECT_EQ(buffer, std::string(32, kUntouched));
        EXPECT_NE(MPI_Pack_external(kForm, longs, 3, MPI_LONG, buffer.data(), room, &position), MPI_SUCCESS);
        EXPECT_EQ(buffer, std::string(32, kUntouched));
        int in[] = {7, 7, 7};
        EXPECT_NE(MPI_Unpack_external(kForm, buffer.data(), room, &position, in, 3, MPI_INT), MPI_SUCCESS);
        EXPECT_EQ(position, 0);
        EXPECT_EQ(in[0], 7);
    }
    // Twelve bytes are enough, as long as they are beyond the position.
    std::string buffer(32, kUntouched);
    MPI_Aint position = 4;
    EXPECT_NE(MPI_Pack_external(kForm, values, 3, MPI_INT, buffer.data(), 15, &position), MPI_SUCCESS);
    EXPECT_EQ(position, 4);
    EXPECT_SUCCESS(MPI_Pack_external(kForm, longs, 3, MPI_LONG, buffer.data(), 16, &position));
    EXPECT_EQ(position, 16);
    position = 17;
    EXPECT_NE(MPI_Pack_external(kForm, values, 0, MPI_INT, buffer.data(), 16, &position), MPI_SUCCESS);
}

MPI_TEST_AT(External32, WrongArgumentsAreRefused, ({1}))
{
    const ReturnErrors returned;
    const int value = 1;
    int in = 7;
    char buffer[16] = {};
    MPI_Aint position = 0;
    MPI_Aint size = 0;
    for (const char* const other : {"native", "internal", "external3", "external321", "EXTERNAL32", ""}) {
        EXPECT_NE(MPI_Pack_external(other, &value, 1, MPI_INT, buffer, 16, &position), MPI_SUCCESS) << other;
        EXPECT_NE(MPI_Unpack_external(other, buffer, 16, &position, &in, 1, MPI_INT), MPI_SUCCESS) << other;
        EXPECT_NE(MPI_Pack_external_size(other, 1, MPI_INT, &size), MPI_SUCCESS) << other;
    }
    EXPECT_EQ(position, 0);
    EXPECT_EQ(in, 7);
    EXPECT_CLASS(MPI_ERR_COUNT, MPI_Pack_external(kForm, &value, -1, MPI_INT, buffer, 16, &position));
    EXPECT_CLASS(MPI_ERR_COUNT, MPI_Unpack_external(kForm, buffer, 16, &position, &in, -1, MPI_INT));
    EXPECT_CLASS(MPI_ERR_COUNT, MPI_Pack_external_size(kForm, -1, MPI_INT, &size));
    EXPECT_CLASS(MPI_ERR_TYPE, MPI_Pack_external(kForm, &value, 1, MPI_DATATYPE_NULL, buffer, 16, &position));
    EXPECT_CLASS(MPI_ERR_TYPE, MPI_Pack_external_size(kForm, 1, MPI_DATATYPE_NULL, &size));
    MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(1, MPI_INT, &uncommitted);
    EXPECT_CLASS(MPI_ERR_TYPE, MPI_Pack_external(kForm, &value, 1, uncommitted, buffer, 16, &position));
    MPI_Type_free(&uncommitted);
}

// Section 4.3: such data is sent as bytes.
MPI_TEST_AT(External32, ItTravelsAsBytes, ({2, 3}))
{
    Mixed out{'m', rank(), {7, 8, 9}, {1.0F, 2.0F}, rank() + 0.5};
    MPI_Datatype type = mixed_type(out, false);
    const std::string sent = packed(&out, 1, type);
    std::string received(sent.size(), 0);
    const int count = static_cast<int>(sent.size());
    MPI_Sendrecv(sent.data(), count, MPI_BYTE, right(), kTag, received.data(), count, MPI_BYTE, left(), kTag,
        MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    Mixed in{};
    unpack(received, &in, 1, type);
    EXPECT_EQ(in.number, left());
    EXPECT_EQ(in.real, left() + 0.5);
    EXPECT_EQ(in.shorts[1], 8);
    MPI_Type_free(&type);
}

}  // namespace
}  // namespace mpi_test
