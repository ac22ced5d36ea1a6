// MPI-3.1, sections 5.9.2 to 5.9.4: every predefined operation on every type that the standard gives it.
//
// Fortran's types are taken as gfortran's without options: INTEGER and LOGICAL of 4 bytes, .TRUE. as 1.
#include "collective_calls.hpp"

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

using namespace mpi_test;

namespace {

template <class Value>
using Fold = Value (*)(Value, Value);

template <class Value>
struct Operation {
    MPI_Op op;
    const char* name;
    Fold<Value> fold;
};

struct Type {
    MPI_Datatype handle;
    const char* name;
};
#define TYPE(handle)    \
    Type                \
    {                   \
        handle, #handle \
    }

constexpr int kCount = 9;

// Values that fit into a byte whatever is done to those of seven ranks, zeros among them.
template <class Value>
Value operand(int from, int index)
{
    return static_cast<Value>((from * 5 + index * 3) % 4);
}

template <class Value>
std::vector<Value> operands(int from)
{
    std::vector<Value> values;
    for (int i = 0; i < kCount; ++i) values.push_back(operand<Value>(from, i));
    return values;
}

template <class Value>
std::vector<Value> folded(Fold<Value> fold)
{
    std::vector<Value> total = operands<Value>(0);
    for (int from = 1; from < size(); ++from) {
        const std::vector<Value> more = operands<Value>(from);
        for (int i = 0; i < kCount; ++i) {
            const auto k = static_cast<std::size_t>(i);
            total[k] = fold(total[k], more[k]);
        }
    }
    return total;
}

// vector<bool> has no array of values.
template <class Value>
struct Element {
    Value value;
};

template <class Value>
std::vector<Element<Value>> as_array(const std::vector<Value>& values)
{
    std::vector<Element<Value>> array;
    for (const Value value : values) array.push_back({value});
    return array;
}

template <class Value>
std::vector<Value> as_values(const std::vector<Element<Value>>& array)
{
    std::vector<Value> values;
    for (const Element<Value>& element : array) values.push_back(element.value);
    return values;
}

template <class Value>
void expect_operations(const std::vector<Type>& types, const std::vector<Operation<Value>>& operations)
{
    for (const Type& type : types) {
        if (type.handle == MPI_DATATYPE_NULL || excepted(type.name)) continue;
        int bytes = 0;
        MPI_Type_size(type.handle, &bytes);
        if (static_cast<std::size_t>(bytes) != sizeof(Value)) {
            ADD_FAILURE() << type.name << " has " << bytes << " bytes, the test's type " << sizeof(Value);
            continue;
        }
        for (const Operation<Value>& operation : operations) {
            const std::string what = std::string(operation.name) + " on " + type.name;
            if (excepted(what)) continue;
            const std::vector<Element<Value>> mine = as_array(operands<Value>(rank()));
            std::vector<Element<Value>> total(kCount);
            MPI_Allreduce(mine.data(), total.data(), kCount, type.handle, operation.op, MPI_COMM_WORLD);
            EXPECT_EQ(as_values(total), folded(operation.fold)) << what;

            std::vector<Element<Value>> local = as_array(operands<Value>(1));
            const std::vector<Element<Value>> in = as_array(operands<Value>(2));
            MPI_Reduce_local(in.data(), local.data(), kCount, type.handle, operation.op);
            std::vector<Value> expected;
            for (int i = 0; i < kCount; ++i) {
                expected.push_back(operation.fold(operand<Value>(2, i), operand<Value>(1, i)));
            }
            EXPECT_EQ(as_values(local), expected) << what << ", locally";
        }
    }
}

template <class Value>
std::vector<Operation<Value>> sum_and_product()
{
    return {{MPI_SUM, "MPI_SUM", [](Value a, Value b) { return static_cast<Value>(a + b); }},
        {MPI_PROD, "MPI_PROD", [](Value a, Value b) { return static_cast<Value>(a * b); }}};
}

template <class Value>
std::vector<Operation<Value>> extremes()
{
    return {{MPI_MAX, "MPI_MAX", [](Value a, Value b) { return a < b ? b : a; }},
        {MPI_MIN, "MPI_MIN", [](Value a, Value b) { return b < a ? b : a; }}};
}

template <class Value>
std::vector<Operation<Value>> logical()
{
    return {{MPI_LAND, "MPI_LAND", [](Value a, Value b) { return static_cast<Value>(a && b); }},
        {MPI_LOR, "MPI_LOR", [](Value a, Value b) { return static_cast<Value>(a || b); }},
        {MPI_LXOR, "MPI_LXOR", [](Value a, Value b) { return static_cast<Value>(!a != !b); }}};
}

template <class Value>
std::vector<Operation<Value>> bitwise()
{
    return {{MPI_BAND, "MPI_BAND", [](Value a, Value b) { return static_cast<Value>(a & b); }},
        {MPI_BOR, "MPI_BOR", [](Value a, Value b) { return static_cast<Value>(a | b); }},
        {MPI_BXOR, "MPI_BXOR", [](Value a, Value b) { return static_cast<Value>(a ^ b); }}};
}

template <class Operations>
Operations joined(Operations all, const Operations& more)
{
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

template <class Value>
void expect_arithmetic(const std::vector<Type>& types)
{
    expect_operations(types, joined(extremes<Value>(), sum_and_product<Value>()));
}

template <class Value>
void expect_bitwise_arithmetic(const std::vector<Type>& types)
{
    expect_arithmetic<Value>(types);
    expect_operations(types, bitwise<Value>());
}

template <class Value>
void expect_c_integer(const std::vector<Type>& types)
{
    expect_bitwise_arithmetic<Value>(types);
    expect_operations(types, logical<Value>());
}

}  // namespace

MPI_TEST(Operations, OnIntegersOfC)
{
    expect_c_integer<signed char>({TYPE(MPI_SIGNED_CHAR)});
    expect_c_integer<unsigned char>({TYPE(MPI_UNSIGNED_CHAR)});
    expect_c_integer<short>({TYPE(MPI_SHORT)});
    expect_c_integer<unsigned short>({TYPE(MPI_UNSIGNED_SHORT)});
    expect_c_integer<int>({TYPE(MPI_INT)});
    expect_c_integer<unsigned>({TYPE(MPI_UNSIGNED)});
    expect_c_integer<long>({TYPE(MPI_LONG)});
    expect_c_integer<unsigned long>({TYPE(MPI_UNSIGNED_LONG)});
    expect_c_integer<long long>({TYPE(MPI_LONG_LONG_INT), TYPE(MPI_LONG_LONG)});
    expect_c_integer<unsigned long long>({TYPE(MPI_UNSIGNED_LONG_LONG)});
}

MPI_TEST(Operations, OnIntegersOfGivenSize)
{
    expect_c_integer<std::int8_t>({TYPE(MPI_INT8_T)});
    expect_c_integer<std::int16_t>({TYPE(MPI_INT16_T)});
    expect_c_integer<std::int32_t>({TYPE(MPI_INT32_T)});
    expect_c_integer<std::int64_t>({TYPE(MPI_INT64_T)});
    expect_c_integer<std::uint8_t>({TYPE(MPI_UINT8_T)});
    expect_c_integer<std::uint16_t>({TYPE(MPI_UINT16_T)});
    expect_c_integer<std::uint32_t>({TYPE(MPI_UINT32_T)});
    expect_c_integer<std::uint64_t>({TYPE(MPI_UINT64_T)});
}

MPI_TEST(Operations, OnIntegersOfFortran)
{
    expect_bitwise_arithmetic<std::int8_t>({TYPE(MPI_INTEGER1)});
    expect_bitwise_arithmetic<std::int16_t>({TYPE(MPI_INTEGER2)});
    expect_bitwise_arithmetic<std::int32_t>({TYPE(MPI_INTEGER), TYPE(MPI_INTEGER4)});
    expect_bitwise_arithmetic<std::int64_t>({TYPE(MPI_INTEGER8)});
}

MPI_TEST(Operations, OnAddressesOffsetsAndCounts)
{
    expect_bitwise_arithmetic<MPI_Aint>({TYPE(MPI_AINT)});
    expect_bitwise_arithmetic<MPI_Offset>({TYPE(MPI_OFFSET)});
    expect_bitwise_arithmetic<MPI_Count>({TYPE(MPI_COUNT)});
    if (!excepted("logical operations on MPI_AINT, MPI_OFFSET and MPI_COUNT")) {
        expect_operations({TYPE(MPI_AINT), TYPE(MPI_OFFSET), TYPE(MPI_COUNT)}, logical<MPI_Aint>());
    }
}

MPI_TEST(Operations, OnFloatingPoint)
{
    expect_arithmetic<float>({TYPE(MPI_FLOAT), TYPE(MPI_REAL), TYPE(MPI_REAL4)});
    expect_arithmetic<double>({TYPE(MPI_DOUBLE), TYPE(MPI_DOUBLE_PRECISION), TYPE(MPI_REAL8)});
    expect_arithmetic<long double>({TYPE(MPI_LONG_DOUBLE)});
    expect_arithmetic<__float128>({TYPE(MPI_REAL16)});
}

MPI_TEST(Operations, OnLogical)
{
    expect_operations<std::int32_t>({TYPE(MPI_LOGICAL)},
        {{MPI_LAND, "MPI_LAND", [](std::int32_t a, std::int32_t b) -> std::int32_t { return a && b; }},
            {MPI_LOR, "MPI_LOR", [](std::int32_t a, std::int32_t b) -> std::int32_t { return a || b; }},
            {MPI_LXOR, "MPI_LXOR", [](std::int32_t a, std::int32_t b) -> std::int32_t { return !a != !b; }}});
    expect_operations<bool>({TYPE(MPI_C_BOOL), TYPE(MPI_CXX_BOOL)}, logical<bool>());
}

MPI_TEST(Operations, OnComplex)
{
    using Single = std::complex<float>;
    using Double = std::complex<double>;
    using Long = std::complex<long double>;
    expect_operations({TYPE(MPI_C_COMPLEX), TYPE(MPI_C_FLOAT_COMPLEX), TYPE(MPI_CXX_FLOAT_COMPLEX), TYPE(MPI_COMPLEX),
                          TYPE(MPI_COMPLEX8)},
        sum_and_product<Single>());
    expect_operations(
        {TYPE(MPI_C_DOUBLE_COMPLEX), TYPE(MPI_CXX_DOUBLE_COMPLEX), TYPE(MPI_DOUBLE_COMPLEX), TYPE(MPI_COMPLEX16)},
        sum_and_product<Double>());
    expect_operations({TYPE(MPI_C_LONG_DOUBLE_COMPLEX), TYPE(MPI_CXX_LONG_DOUBLE_COMPLEX)}, sum_and_product<Long>());
}

MPI_TEST(Operations, OnBytes)
{
    expect_operations({TYPE(MPI_BYTE)}, bitwise<unsigned char>());
}

namespace {

template <class Value>
struct Located {
    Value value;
    int index;
    bool operator==(const Located&) const = default;
};

// Fortran's pairs hold both in the value's type.
template <class Value>
struct PairOf {
    Value value;
    Value index;
    bool operator==(const PairOf&) const = default;
};

// Values of which several ranks have the same; indices in an order that is not that of the ranks.
template <class Pair>
Pair located(int from, int index)
{
    Pair pair{};
    pair.value = static_cast<decltype(pair.value)>((from * 3 + index) % 3 - 1);
    pair.index = static_cast<decltype(pair.index)>((from * 5 + index * 2) % 7 + 10);
    return pair;
}

template <class Pair>
void expect_locations(const Type& type)
{
    if (excepted(type.name)) return;
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(type.handle, &lower, &extent);
    EXPECT_EQ(extent, static_cast<MPI_Aint>(sizeof(Pair))) << type.name;
    std::vector<Pair> mine(kCount), most(kCount), least(kCount);
    for (int i = 0; i < kCount; ++i) mine[static_cast<std::size_t>(i)] = located<Pair>(rank(), i);
    MPI_Allreduce(mine.data(), most.data(), kCount, type.handle, MPI_MAXLOC, MPI_COMM_WORLD);
    MPI_Allreduce(mine.data(), least.data(), kCount, type.handle, MPI_MINLOC, MPI_COMM_WORLD);
    for (int i = 0; i < kCount; ++i) {
        Pair highest = located<Pair>(0, i);
        Pair lowest = highest;
        for (int from = 1; from < size(); ++from) {
            const Pair other = located<Pair>(from, i);
            if (other.value > highest.value || (other.value == highest.value && other.index < highest.index)) {
                highest = other;
            }
            if (other.value < lowest.value || (other.value == lowest.value && other.index < lowest.index)) {
                lowest = other;
            }
        }
        EXPECT_TRUE(most[static_cast<std::size_t>(i)] == highest) << "MPI_MAXLOC on " << type.name << ", element " << i;
        EXPECT_TRUE(least[static_cast<std::size_t>(i)] == lowest) << "MPI_MINLOC on " << type.name << ", element " << i;
    }
}

}  // namespace

MPI_TEST(Operations, LocationsOfExtremesWithTheLowestIndexOfEquals)
{
    expect_locations<Located<float>>(TYPE(MPI_FLOAT_INT));
    expect_locations<Located<double>>(TYPE(MPI_DOUBLE_INT));
    expect_locations<Located<long>>(TYPE(MPI_LONG_INT));
    expect_locations<Located<int>>(TYPE(MPI_2INT));
    expect_locations<Located<short>>(TYPE(MPI_SHORT_INT));
    expect_locations<Located<long double>>(TYPE(MPI_LONG_DOUBLE_INT));
    expect_locations<PairOf<float>>(TYPE(MPI_2REAL));
    expect_locations<PairOf<double>>(TYPE(MPI_2DOUBLE_PRECISION));
    expect_locations<PairOf<std::int32_t>>(TYPE(MPI_2INTEGER));
}

MPI_TEST(Operations, ThePaddingOfPairsIsNoPartOfThem)
{
    std::vector<unsigned char> bytes(3 * sizeof(Located<double>), 0xEE);
    std::vector<unsigned char> result(bytes.size(), 0xDD);
    for (std::size_t i = 0; i < 3; ++i) {
        auto* pair = reinterpret_cast<Located<double>*>(bytes.data()) + i;
        pair->value = 1.5 * rank();
        pair->index = static_cast<int>(i);
    }
    MPI_Allreduce(bytes.data(), result.data(), 3, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto* pair = reinterpret_cast<const Located<double>*>(result.data()) + i;
        EXPECT_EQ(pair->value, 1.5 * (size() - 1));
        EXPECT_EQ(pair->index, static_cast<int>(i));
    }
}

MPI_TEST(Operations, OnATypeThatTheyAreNotForIsAnError)
{
    const ReturnErrors guard;
    const std::vector<unsigned char> mine(64);
    std::vector<unsigned char> result(64);
    const auto allreduce = [&](MPI_Datatype type, MPI_Op op) {
        return MPI_Allreduce(mine.data(), result.data(), 1, type, op, MPI_COMM_WORLD);
    };
    if (!excepted("MPI_SUM on MPI_BYTE is an error")) {
        EXPECT_CLASS(MPI_ERR_OP, allreduce(MPI_BYTE, MPI_SUM));
    }
    EXPECT_CLASS(MPI_ERR_OP, allreduce(MPI_DOUBLE, MPI_BAND));
    EXPECT_CLASS(MPI_ERR_OP, allreduce(MPI_C_DOUBLE_COMPLEX, MPI_MAX));
    EXPECT_CLASS(MPI_ERR_OP, allreduce(MPI_INT, MPI_MAXLOC));
    EXPECT_CLASS(MPI_ERR_OP, allreduce(MPI_2INT, MPI_SUM));
    EXPECT_CLASS(MPI_ERR_OP, allreduce(MPI_INT, MPI_OP_NULL));
}

MPI_TEST(Operations, ArePredefinedAsCommutative)
{
    for (const MPI_Op op : {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR,
             MPI_BXOR, MPI_MAXLOC, MPI_MINLOC}) {
        int commutes = 0;
        MPI_Op_commutative(op, &commutes);
        EXPECT_TRUE(commutes);
    }
}
