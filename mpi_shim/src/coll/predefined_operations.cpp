#include "coll/predefined_operations.hpp"

#include <fmpl/elementwise.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace fmpl::mpi {
namespace {

using Quad = __float128;

// Multiplied by the formula of the textbooks: std::complex mends infinities, at several times the cost.
template <class Part>
struct Complex {
    using value_type = Part;
    Part real;
    Part imaginary;
};
static_assert(sizeof(Complex<Quad>) == 32 && sizeof(Complex<long double>) == sizeof(std::complex<long double>));

// A truth value of a size; anything but 0 is true.
template <class Word>
struct Logical {
    Word word;
};

template <class Value, class Place>
struct Pair {
    Value value;
    Place place;
};

// Table 5.9.2: what is defined on which group of types. Beyond the table, as MPICH has it, since programs built with
// MPICH use it: MPI_CHAR and MPI_CHARACTER are C integers, and the logical operations work on Fortran integers,
// floating-point numbers, addresses, offsets and counts.
enum Group : unsigned {
    kCInteger = 1,
    kFortranInteger = 2,
    kFloating = 4,
    kLogical = 8,
    kComplex = 16,
    kByte = 32,
    kMultiLanguage = 64,
    kPair = 128,
};
constexpr unsigned kOrdered = kCInteger | kFortranInteger | kFloating | kMultiLanguage;

struct Maximum {
    static constexpr const char* name = "MPI_MAX";
    static constexpr unsigned groups = kOrdered;
    template <class T>
    static T apply(T a, T b)
    {
        return a > b ? a : b;
    }
};

struct Minimum {
    static constexpr const char* name = "MPI_MIN";
    static constexpr unsigned groups = kOrdered;
    template <class T>
    static T apply(T a, T b)
    {
        return a < b ? a : b;
    }
};

// Integers wrap around: computed without sign.
template <class T, class Compute>
T wrapping(T a, T b, Compute compute)
{
    if constexpr (std::is_integral_v<T>) {
        using Wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
        return static_cast<T>(compute(static_cast<Wide>(a), static_cast<Wide>(b)));
    } else {
        return compute(a, b);
    }
}

struct Sum {
    static constexpr const char* name = "MPI_SUM";
    static constexpr unsigned groups = kOrdered | kComplex;
    template <class T>
    static T apply(T a, T b)
    {
        return wrapping(a, b, [](auto x, auto y) { return x + y; });
    }
    template <class Part>
    static Complex<Part> apply(Complex<Part> a, Complex<Part> b)
    {
        return {a.real + b.real, a.imaginary + b.imaginary};
    }
};

struct Product {
    static constexpr const char* name = "MPI_PROD";
    static constexpr unsigned groups = kOrdered | kComplex;
    template <class T>
    static T apply(T a, T b)
    {
        return wrapping(a, b, [](auto x, auto y) { return x * y; });
    }
    template <class Part>
    static Complex<Part> apply(Complex<Part> a, Complex<Part> b)
    {
        return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
    }
};

// The three logical operations; Decide works on truth values.
template <class Decide>
struct LogicalOperation {
    static constexpr unsigned groups = kCInteger | kFortranInteger | kFloating | kLogical | kMultiLanguage;
    template <class T>
    static T apply(T a, T b)
    {
        return static_cast<T>(Decide::decide(a != 0, b != 0));
    }
    template <class Word>
    static Logical<Word> apply(Logical<Word> a, Logical<Word> b)
    {
        return {apply(a.word, b.word)};
    }
};

struct LogicalAnd : LogicalOperation<LogicalAnd> {
    static constexpr const char* name = "MPI_LAND";
    static bool decide(bool a, bool b) { return a && b; }
};

struct LogicalOr : LogicalOperation<LogicalOr> {
    static constexpr const char* name = "MPI_LOR";
    static bool decide(bool a, bool b) { return a || b; }
};

struct LogicalExclusiveOr : LogicalOperation<LogicalExclusiveOr> {
    static constexpr const char* name = "MPI_LXOR";
    static bool decide(bool a, bool b) { return a != b; }
};

constexpr unsigned kBits = kCInteger | kFortranInteger | kByte | kMultiLanguage;

struct BitwiseAnd {
    static constexpr const char* name = "MPI_BAND";
    static constexpr unsigned groups = kBits;
    template <class T>
    static T apply(T a, T b)
    {
        return static_cast<T>(a & b);
    }
};

struct BitwiseOr {
    static constexpr const char* name = "MPI_BOR";
    static constexpr unsigned groups = kBits;
    template <class T>
    static T apply(T a, T b)
    {
        return static_cast<T>(a | b);
    }
};

struct BitwiseExclusiveOr {
    static constexpr const char* name = "MPI_BXOR";
    static constexpr unsigned groups = kBits;
    template <class T>
    static T apply(T a, T b)
    {
        return static_cast<T>(a ^ b);
    }
};

// Of equal values the lower place.
template <class Value, class Place>
Pair<Value, Place> first_place(const Pair<Value, Place>& a, const Pair<Value, Place>& b, bool a_wins)
{
    if (a.value == b.value) return {a.value, a.place < b.place ? a.place : b.place};
    return a_wins ? a : b;
}

struct MinimumPlace {
    static constexpr const char* name = "MPI_MINLOC";
    static constexpr unsigned groups = kPair;
    template <class Value, class Place>
    static Pair<Value, Place> apply(const Pair<Value, Place>& a, const Pair<Value, Place>& b)
    {
        return first_place(a, b, a.value < b.value);
    }
};

struct MaximumPlace {
    static constexpr const char* name = "MPI_MAXLOC";
    static constexpr unsigned groups = kPair;
    template <class Value, class Place>
    static Pair<Value, Place> apply(const Pair<Value, Place>& a, const Pair<Value, Place>& b)
    {
        return first_place(a, b, a.value > b.value);
    }
};

template <class T>
void store(T& to, const T& result)
{
    to = result;
}

// What lies between the entries of a pair belongs to nobody.
template <class Value, class Place>
void store(Pair<Value, Place>& to, const Pair<Value, Place>& result)
{
    to.value = result.value;
    to.place = result.place;
}

template <class Operation, class T>
void combine_two(T& out, const T& a, const T& b)
{
    store(out, Operation::apply(a, b));
}

template <class Operation, class T>
constexpr fmpl_op kReduction = Elementwise<T, combine_two<Operation, T>>::operation(Operation::name);

// One line of the table: all operations that are defined on types of a group, of which T is one.
using Line = std::array<const fmpl_op*, kLastReduction + 1>;

template <class Operation, unsigned group, class T>
constexpr const fmpl_op* entry()
{
    if constexpr ((Operation::groups & group) != 0) {
        return &kReduction<Operation, T>;
    } else {
        return nullptr;
    }
}

template <unsigned group, class T>
constexpr Line line()
{
    return {nullptr, entry<Maximum, group, T>(), entry<Minimum, group, T>(), entry<Sum, group, T>(),
        entry<Product, group, T>(), entry<LogicalAnd, group, T>(), entry<BitwiseAnd, group, T>(),
        entry<LogicalOr, group, T>(), entry<BitwiseOr, group, T>(), entry<LogicalExclusiveOr, group, T>(),
        entry<BitwiseExclusiveOr, group, T>(), entry<MinimumPlace, group, T>(), entry<MaximumPlace, group, T>()};
}

constexpr Line line_of(Predefined type)
{
    switch (type) {
        using enum Predefined;
        case character:
        case fortran_character:
        case signed_char:
        case int8:
            return line<kCInteger, std::int8_t>();
        case unsigned_char:
        case uint8:
            return line<kCInteger, std::uint8_t>();
        case short_int:
        case int16:
            return line<kCInteger, std::int16_t>();
        case unsigned_short:
        case uint16:
            return line<kCInteger, std::uint16_t>();
        case integer:
        case int32:
            return line<kCInteger, std::int32_t>();
        case unsigned_integer:
        case uint32:
            return line<kCInteger, std::uint32_t>();
        case long_int:
            return line<kCInteger, long>();
        case long_long:
        case int64:
            return line<kCInteger, std::int64_t>();
        case unsigned_long:
            return line<kCInteger, unsigned long>();
        case unsigned_long_long:
        case uint64:
            return line<kCInteger, std::uint64_t>();
        case float_real:
        case fortran_real:
        case real4:
            return line<kFloating, float>();
        case double_real:
        case fortran_double_precision:
        case real8:
            return line<kFloating, double>();
        case long_double:
            return line<kFloating, long double>();
        case real16:
            return line<kFloating, Quad>();
        case c_bool:
        case cxx_bool:
            return line<kLogical, Logical<unsigned char>>();
        case logical1:
            return line<kLogical, Logical<std::int8_t>>();
        case logical2:
            return line<kLogical, Logical<std::int16_t>>();
        case logical8:
            return line<kLogical, Logical<std::int64_t>>();
        case fortran_logical:
        case logical4:
            return line<kLogical, Logical<std::int32_t>>();
        case c_float_complex:
        case cxx_float_complex:
        case fortran_complex:
        case complex8:
            return line<kComplex, Complex<float>>();
        case c_double_complex:
        case cxx_double_complex:
        case fortran_double_complex:
        case complex16:
            return line<kComplex, Complex<double>>();
        case c_long_double_complex:
        case cxx_long_double_complex:
            return line<kComplex, Complex<long double>>();
        case complex32:
            return line<kComplex, Complex<Quad>>();
        case byte:
            return line<kByte, std::uint8_t>();
        case aint:
        case offset:
        case count:
            return line<kMultiLanguage, std::int64_t>();
        case fortran_integer:
        case integer4:
            return line<kFortranInteger, std::int32_t>();
        case integer1:
            return line<kFortranInteger, std::int8_t>();
        case integer2:
            return line<kFortranInteger, std::int16_t>();
        case integer8:
            return line<kFortranInteger, std::int64_t>();
        case float_and_int:
            return line<kPair, Pair<float, int>>();
        case double_and_int:
            return line<kPair, Pair<double, int>>();
        case long_and_int:
            return line<kPair, Pair<long, int>>();
        case short_and_int:
            return line<kPair, Pair<short, int>>();
        case long_double_and_int:
            return line<kPair, Pair<long double, int>>();
        case two_ints:
        case two_fortran_integers:
            return line<kPair, Pair<std::int32_t, std::int32_t>>();
        case two_fortran_reals:
            return line<kPair, Pair<float, float>>();
        case two_fortran_double_precisions:
            return line<kPair, Pair<double, double>>();
        case two_fortran_complexes:
        case two_fortran_double_complexes:
        case wchar:
        case packed:
        case lower_bound:
        case upper_bound:
            return {};
    }
    return {};
}

constexpr std::array<Line, kPredefinedCount> all_lines()
{
    std::array<Line, kPredefinedCount> lines{};
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = line_of(static_cast<Predefined>(i));
    return lines;
}
constexpr std::array<Line, kPredefinedCount> kTable = all_lines();

}  // namespace

const char* name_of(PredefinedOperation operation)
{
    static constexpr std::array<const char*, 15> kNames = {"MPI_OP_NULL", Maximum::name, Minimum::name, Sum::name,
        Product::name, LogicalAnd::name, BitwiseAnd::name, LogicalOr::name, BitwiseOr::name, LogicalExclusiveOr::name,
        BitwiseExclusiveOr::name, MinimumPlace::name, MaximumPlace::name, "MPI_REPLACE", "MPI_NO_OP"};
    return kNames[static_cast<std::size_t>(operation)];
}

const fmpl_op* find_reduction(PredefinedOperation operation, Predefined type)
{
    if (static_cast<int>(operation) > kLastReduction) return nullptr;
    return kTable[static_cast<std::size_t>(type)][static_cast<std::size_t>(operation)];
}

}  // namespace fmpl::mpi
