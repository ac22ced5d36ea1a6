// The predefined operations alone: on which types they are defined, and what they make of values of every type.
#include "coll/predefined_operations.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace fmpl::mpi;
using enum PredefinedOperation;

using Operations = std::set<PredefinedOperation>;

const Operations kOrder = {maximum, minimum};
const Operations kArithmetic = {sum, product};
const Operations kLogic = {logical_and, logical_or, logical_exclusive_or};
const Operations kBits = {bitwise_and, bitwise_or, bitwise_exclusive_or};
const Operations kPlaces = {minimum_place, maximum_place};

Operations joined(std::initializer_list<Operations> sets)
{
    Operations all;
    for (const Operations& set : sets) all.insert(set.begin(), set.end());
    return all;
}

// Table 5.9.2 and section 5.9.4, written from the kinds of the types, and what MPICH has beyond them.
Operations defined_on(Predefined type)
{
    using enum Predefined;
    switch (info(type).kind) {
        case Kind::signed_integer:
        case Kind::unsigned_integer:
            return joined({kOrder, kArithmetic, kLogic, kBits});
        case Kind::floating:
            return joined({kOrder, kArithmetic, kLogic});
        case Kind::character:
            return type == character || type == fortran_character ? joined({kOrder, kArithmetic, kLogic, kBits})
                                                                  : Operations();
        case Kind::logical:
            return kLogic;
        case Kind::complex:
            return kArithmetic;
        case Kind::byte:
            return kBits;
        case Kind::pair:
            return info(info(type).first).kind == Kind::complex ? Operations() : kPlaces;
        default:
            return {};
    }
}

TEST(PredefinedOperations, AreDefinedWhereTheStandardSays)
{
    for (const PredefinedInfo& type : all_predefined()) {
        const Operations expected = defined_on(type.type);
        for (int number = 1; number <= static_cast<int>(no_operation); ++number) {
            const auto operation = static_cast<PredefinedOperation>(number);
            EXPECT_EQ(find_reduction(operation, type.type) != nullptr, expected.count(operation) != 0)
                << name_of(operation) << " on " << type.name;
        }
    }
}

TEST(PredefinedOperations, CountElementsByTheExtentOfTheType)
{
    for (const PredefinedInfo& type : all_predefined()) {
        for (const PredefinedOperation operation : defined_on(type.type)) {
            EXPECT_EQ(find_reduction(operation, type.type)->element_size, type.extent)
                << name_of(operation) << " on " << type.name;
        }
    }
}

// Applies the operation to several lengths, in place and in one pass over two operands, and compares with `expected` of
// each two.
template <class Value, class Expected>
void expect_results(PredefinedOperation operation, Predefined type, const std::vector<Value>& values, Expected expected)
{
    const fmpl_op* const form = find_reduction(operation, type);
    ASSERT_NE(form, nullptr);
    ASSERT_EQ(form->element_size, sizeof(Value));
    std::vector<Value> in;
    std::vector<Value> inout;
    for (const Value& a : values) {
        for (const Value& b : values) {
            in.push_back(a);
            inout.push_back(b);
        }
    }
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, in.size() - 1, in.size()}) {
        const auto expect_of = [&](const std::vector<Value>& result, const std::vector<Value>& before) {
            for (std::size_t i = 0; i < in.size(); ++i) {
                const Value wanted = i < length ? static_cast<Value>(expected(in[i], inout[i])) : before[i];
                EXPECT_TRUE(result[i] == wanted)
                    << name_of(operation) << " on " << info(type).name << ", element " << i << " of " << length;
            }
        };
        std::vector<Value> result = inout;
        form->function(in.data(), result.data(), length);
        expect_of(result, inout);
        result = inout;
        form->combine(in.data(), result.data(), result.data(), length);
        expect_of(result, inout);
        result = in;
        form->combine(result.data(), inout.data(), result.data(), length);
        expect_of(result, in);
        const std::vector<Value> elsewhere(in.size(), values.front());
        result = elsewhere;
        form->combine(in.data(), inout.data(), result.data(), length);
        expect_of(result, elsewhere);
    }
}

template <class Value>
void expect_integer_results(Predefined type)
{
    using Limits = std::numeric_limits<Value>;
    using Bits = std::make_unsigned_t<Value>;
    const std::vector<Value> values = {0, 1, 2, 3, 7, static_cast<Value>(-1), static_cast<Value>(-5), Limits::min(),
        Limits::max(), static_cast<Value>(Limits::max() / 3)};
    const auto wrapped = [](auto wide) { return static_cast<Value>(static_cast<Bits>(wide)); };
    const auto bits = [](Value v) { return static_cast<unsigned long long>(static_cast<Bits>(v)); };
    expect_results(maximum, type, values, [](Value a, Value b) { return a < b ? b : a; });
    expect_results(minimum, type, values, [](Value a, Value b) { return b < a ? b : a; });
    expect_results(sum, type, values, [&](Value a, Value b) { return wrapped(bits(a) + bits(b)); });
    expect_results(product, type, values, [&](Value a, Value b) { return wrapped(bits(a) * bits(b)); });
    expect_results(bitwise_and, type, values, [&](Value a, Value b) { return wrapped(bits(a) & bits(b)); });
    expect_results(bitwise_or, type, values, [&](Value a, Value b) { return wrapped(bits(a) | bits(b)); });
    expect_results(bitwise_exclusive_or, type, values, [&](Value a, Value b) { return wrapped(bits(a) ^ bits(b)); });
    if (find_reduction(logical_and, type) == nullptr) return;
    expect_results(logical_and, type, values, [](Value a, Value b) { return a != 0 && b != 0 ? 1 : 0; });
    expect_results(logical_or, type, values, [](Value a, Value b) { return a != 0 || b != 0 ? 1 : 0; });
    expect_results(logical_exclusive_or, type, values, [](Value a, Value b) { return (a != 0) != (b != 0) ? 1 : 0; });
}

TEST(PredefinedOperations, OnIntegersWrapAround)
{
    for (const PredefinedInfo& type : all_predefined()) {
        const bool is_signed = type.kind == Kind::signed_integer;
        if (!is_signed && type.kind != Kind::unsigned_integer) continue;
        switch (type.size) {
            case 1:
                is_signed ? expect_integer_results<std::int8_t>(type.type)
                          : expect_integer_results<std::uint8_t>(type.type);
                break;
            case 2:
                is_signed ? expect_integer_results<std::int16_t>(type.type)
                          : expect_integer_results<std::uint16_t>(type.type);
                break;
            case 4:
                is_signed ? expect_integer_results<std::int32_t>(type.type)
                          : expect_integer_results<std::uint32_t>(type.type);
                break;
            default:
                ASSERT_EQ(type.size, 8U) << type.name;
                is_signed ? expect_integer_results<std::int64_t>(type.type)
                          : expect_integer_results<std::uint64_t>(type.type);
        }
    }
}

template <class Value>
void expect_floating_results(Predefined type)
{
    const std::vector<Value> values = {0, 1, -1, Value(0.5), -3, 1024, Value(1.25)};
    expect_results(maximum, type, values, [](Value a, Value b) { return a < b ? b : a; });
    expect_results(minimum, type, values, [](Value a, Value b) { return b < a ? b : a; });
    expect_results(sum, type, values, [](Value a, Value b) { return a + b; });
    expect_results(product, type, values, [](Value a, Value b) { return a * b; });
}

TEST(PredefinedOperations, OnFloatingPointNumbers)
{
    for (const Predefined type : {Predefined::float_real, Predefined::fortran_real, Predefined::real4}) {
        expect_floating_results<float>(type);
    }
    for (const Predefined type : {Predefined::double_real, Predefined::fortran_double_precision, Predefined::real8}) {
        expect_floating_results<double>(type);
    }
    expect_floating_results<long double>(Predefined::long_double);
    expect_floating_results<__float128>(Predefined::real16);
}

template <class Part>
struct TwoParts {
    Part first;
    Part second;
    bool operator==(const TwoParts& other) const { return first == other.first && second == other.second; }
};

template <class Part>
void expect_complex_results(std::initializer_list<Predefined> types)
{
    using Value = TwoParts<Part>;
    const std::vector<Value> values = {{0, 0}, {1, 0}, {0, 1}, {2, -3}, {Part(0.5), 4}};
    for (const Predefined type : types) {
        expect_results(sum, type, values, [](Value a, Value b) {
            return Value{a.first + b.first, a.second + b.second};
        });
        expect_results(product, type, values, [](Value a, Value b) {
            return Value{a.first * b.first - a.second * b.second, a.first * b.second + a.second * b.first};
        });
    }
}

TEST(PredefinedOperations, OnComplexNumbers)
{
    using enum Predefined;
    expect_complex_results<float>({c_float_complex, cxx_float_complex, fortran_complex, complex8});
    expect_complex_results<double>({c_double_complex, cxx_double_complex, fortran_double_complex, complex16});
    expect_complex_results<long double>({c_long_double_complex, cxx_long_double_complex});
    expect_complex_results<__float128>({complex32});
}

template <class Word>
void expect_truth_values(Predefined type, const std::vector<Word>& values)
{
    expect_results(logical_and, type, values, [](Word a, Word b) { return a != 0 && b != 0 ? 1 : 0; });
    expect_results(logical_or, type, values, [](Word a, Word b) { return a != 0 || b != 0 ? 1 : 0; });
    expect_results(logical_exclusive_or, type, values, [](Word a, Word b) { return (a != 0) != (b != 0) ? 1 : 0; });
}

TEST(PredefinedOperations, OnTruthValues)
{
    expect_truth_values<unsigned char>(Predefined::c_bool, {0, 1});
    expect_truth_values<unsigned char>(Predefined::cxx_bool, {0, 1});
    expect_truth_values<std::int32_t>(Predefined::fortran_logical, {0, 1, -1});
}

template <class Value, class Place>
void expect_places(Predefined type)
{
    using Both = TwoParts<Value>;
    static_assert(std::is_same_v<Value, Place> || sizeof(Place) == 4);
    struct Entry {
        Value value;
        Place place;
    };
    const fmpl_op* const lowest = find_reduction(minimum_place, type);
    const fmpl_op* const highest = find_reduction(maximum_place, type);
    ASSERT_EQ(lowest->element_size, sizeof(Entry));
    const Entry in[] = {{1, 5}, {3, 2}, {2, 9}, {2, 4}};
    const Entry other[] = {{2, 1}, {-4, 7}, {2, 3}, {2, 6}};
    const Both at_least[] = {{1, 5}, {-4, 7}, {2, 3}, {2, 4}};
    const Both at_most[] = {{2, 1}, {3, 2}, {2, 3}, {2, 4}};
    for (const auto& [form, wanted] : {std::pair(lowest, at_least), std::pair(highest, at_most)}) {
        // The bytes that are no entry's stay.
        Entry result[4];
        std::memset(result, 0x5a, sizeof result);
        for (int i = 0; i < 4; ++i) {
            result[i].value = other[i].value;
            result[i].place = other[i].place;
        }
        form->function(in, result, 4);
        for (int i = 0; i < 4; ++i) {
            EXPECT_TRUE(result[i].value == wanted[i].first) << info(type).name << ' ' << i;
            EXPECT_TRUE(result[i].place == static_cast<Place>(wanted[i].second)) << info(type).name << ' ' << i;
            const auto* const bytes = reinterpret_cast<const unsigned char*>(&result[i]);
            for (std::size_t b = offsetof(Entry, place) + sizeof(Place); b < sizeof(Entry); ++b) {
                EXPECT_EQ(bytes[b], 0x5a) << info(type).name << " byte " << b;
            }
        }
    }
}

TEST(PredefinedOperations, FindPlacesAndTheLowestOfEqualValues)
{
    expect_places<float, int>(Predefined::float_and_int);
    expect_places<double, int>(Predefined::double_and_int);
    expect_places<long, int>(Predefined::long_and_int);
    expect_places<short, int>(Predefined::short_and_int);
    expect_places<long double, int>(Predefined::long_double_and_int);
    expect_places<int, int>(Predefined::two_ints);
    expect_places<std::int32_t, std::int32_t>(Predefined::two_fortran_integers);
    expect_places<float, float>(Predefined::two_fortran_reals);
    expect_places<double, double>(Predefined::two_fortran_double_precisions);
}

}  // namespace
