#include "datatype/predefined.hpp"

#include <complex>
#include <cstddef>

namespace fmpl::mpi {
namespace {

template <class T>
constexpr PredefinedInfo simple(Predefined type, const char* name, Kind kind)
{
    return {type, name, kind, sizeof(T), sizeof(T), alignof(T), type, type, 0};
}

template <class First, class Second>
struct Pair {
    First first;
    Second second;
};

template <class First, class Second>
constexpr PredefinedInfo pair(Predefined type, const char* name, Predefined first, Predefined second)
{
    using Both = Pair<First, Second>;
    return {type, name, Kind::pair, sizeof(First) + sizeof(Second), sizeof(Both), alignof(Both), first, second,
        offsetof(Both, second)};
}

// Fortran's types are those of gfortran without options that change their sizes.
using Quad = __float128;
struct alignas(Quad) QuadComplex {
    Quad real;
    Quad imaginary;
};

using enum Predefined;

constexpr std::array<PredefinedInfo, kPredefinedCount> kTable = {{
    simple<char>(character, "MPI_CHAR", Kind::character),
    simple<signed char>(signed_char, "MPI_SIGNED_CHAR", Kind::signed_integer),
    simple<unsigned char>(unsigned_char, "MPI_UNSIGNED_CHAR", Kind::unsigned_integer),
    simple<wchar_t>(wchar, "MPI_WCHAR", Kind::character),
    simple<short>(short_int, "MPI_SHORT", Kind::signed_integer),
    simple<unsigned short>(unsigned_short, "MPI_UNSIGNED_SHORT", Kind::unsigned_integer),
    simple<int>(integer, "MPI_INT", Kind::signed_integer),
    simple<unsigned>(unsigned_integer, "MPI_UNSIGNED", Kind::unsigned_integer),
    simple<long>(long_int, "MPI_LONG", Kind::signed_integer),
    simple<unsigned long>(unsigned_long, "MPI_UNSIGNED_LONG", Kind::unsigned_integer),
    simple<long long>(long_long, "MPI_LONG_LONG_INT", Kind::signed_integer),
    simple<unsigned long long>(unsigned_long_long, "MPI_UNSIGNED_LONG_LONG", Kind::unsigned_integer),
    simple<float>(float_real, "MPI_FLOAT", Kind::floating),
    simple<double>(double_real, "MPI_DOUBLE", Kind::floating),
    simple<long double>(long_double, "MPI_LONG_DOUBLE", Kind::floating),
    simple<bool>(c_bool, "MPI_C_BOOL", Kind::logical),
    simple<std::complex<float>>(c_float_complex, "MPI_C_COMPLEX", Kind::complex),
    simple<std::complex<double>>(c_double_complex, "MPI_C_DOUBLE_COMPLEX", Kind::complex),
    simple<std::complex<long double>>(c_long_double_complex, "MPI_C_LONG_DOUBLE_COMPLEX", Kind::complex),
    simple<std::int8_t>(int8, "MPI_INT8_T", Kind::signed_integer),
    simple<std::int16_t>(int16, "MPI_INT16_T", Kind::signed_integer),
    simple<std::int32_t>(int32, "MPI_INT32_T", Kind::signed_integer),
    simple<std::int64_t>(int64, "MPI_INT64_T", Kind::signed_integer),
    simple<std::uint8_t>(uint8, "MPI_UINT8_T", Kind::unsigned_integer),
    simple<std::uint16_t>(uint16, "MPI_UINT16_T", Kind::unsigned_integer),
    simple<std::uint32_t>(uint32, "MPI_UINT32_T", Kind::unsigned_integer),
    simple<std::uint64_t>(uint64, "MPI_UINT64_T", Kind::unsigned_integer),
    simple<bool>(cxx_bool, "MPI_CXX_BOOL", Kind::logical),
    simple<std::complex<float>>(cxx_float_complex, "MPI_CXX_FLOAT_COMPLEX", Kind::complex),
    simple<std::complex<double>>(cxx_double_complex, "MPI_CXX_DOUBLE_COMPLEX", Kind::complex),
    simple<std::complex<long double>>(cxx_long_double_complex, "MPI_CXX_LONG_DOUBLE_COMPLEX", Kind::complex),
    simple<char>(byte, "MPI_BYTE", Kind::byte),
    simple<char>(packed, "MPI_PACKED", Kind::packed),
    simple<std::ptrdiff_t>(aint, "MPI_AINT", Kind::signed_integer),
    simple<std::int64_t>(offset, "MPI_OFFSET", Kind::signed_integer),
    simple<std::int64_t>(count, "MPI_COUNT", Kind::signed_integer),
    simple<char>(fortran_character, "MPI_CHARACTER", Kind::character),
    simple<std::int32_t>(fortran_logical, "MPI_LOGICAL", Kind::logical),
    simple<std::int32_t>(fortran_integer, "MPI_INTEGER", Kind::signed_integer),
    simple<float>(fortran_real, "MPI_REAL", Kind::floating),
    simple<double>(fortran_double_precision, "MPI_DOUBLE_PRECISION", Kind::floating),
    simple<std::complex<float>>(fortran_complex, "MPI_COMPLEX", Kind::complex),
    simple<std::complex<double>>(fortran_double_complex, "MPI_DOUBLE_COMPLEX", Kind::complex),
    simple<std::int8_t>(integer1, "MPI_INTEGER1", Kind::signed_integer),
    simple<std::int16_t>(integer2, "MPI_INTEGER2", Kind::signed_integer),
    simple<std::int32_t>(integer4, "MPI_INTEGER4", Kind::signed_integer),
    simple<std::int64_t>(integer8, "MPI_INTEGER8", Kind::signed_integer),
    simple<std::int8_t>(logical1, "MPI_LOGICAL1", Kind::logical),
    simple<std::int16_t>(logical2, "MPI_LOGICAL2", Kind::logical),
    simple<std::int32_t>(logical4, "MPI_LOGICAL4", Kind::logical),
    simple<std::int64_t>(logical8, "MPI_LOGICAL8", Kind::logical),
    simple<float>(real4, "MPI_REAL4", Kind::floating),
    simple<double>(real8, "MPI_REAL8", Kind::floating),
    simple<Quad>(real16, "MPI_REAL16", Kind::floating),
    simple<std::complex<float>>(complex8, "MPI_COMPLEX8", Kind::complex),
    simple<std::complex<double>>(complex16, "MPI_COMPLEX16", Kind::complex),
    simple<QuadComplex>(complex32, "MPI_COMPLEX32", Kind::complex),
    pair<float, int>(float_and_int, "MPI_FLOAT_INT", float_real, integer),
    pair<double, int>(double_and_int, "MPI_DOUBLE_INT", double_real, integer),
    pair<long, int>(long_and_int, "MPI_LONG_INT", long_int, integer),
    pair<short, int>(short_and_int, "MPI_SHORT_INT", short_int, integer),
    pair<long double, int>(long_double_and_int, "MPI_LONG_DOUBLE_INT", long_double, integer),
    pair<int, int>(two_ints, "MPI_2INT", integer, integer),
    pair<std::int32_t, std::int32_t>(two_fortran_integers, "MPI_2INTEGER", fortran_integer, fortran_integer),
    pair<float, float>(two_fortran_reals, "MPI_2REAL", fortran_real, fortran_real),
    pair<double, double>(
        two_fortran_double_precisions, "MPI_2DOUBLE_PRECISION", fortran_double_precision, fortran_double_precision),
    pair<std::complex<float>, std::complex<float>>(
        two_fortran_complexes, "MPI_2COMPLEX", fortran_complex, fortran_complex),
    pair<std::complex<double>, std::complex<double>>(
        two_fortran_double_complexes, "MPI_2DOUBLE_COMPLEX", fortran_double_complex, fortran_double_complex),
    {lower_bound, "MPI_LB", Kind::marker, 0, 0, 1, lower_bound, lower_bound, 0},
    {upper_bound, "MPI_UB", Kind::marker, 0, 0, 1, upper_bound, upper_bound, 0},
}};

constexpr bool is_in_order()
{
    for (std::size_t i = 0; i < kTable.size(); ++i) {
        if (static_cast<std::size_t>(kTable[i].type) != i) return false;
    }
    return true;
}
static_assert(is_in_order(), "the table has the order of the enumeration");

}  // namespace

const PredefinedInfo& info(Predefined type)
{
    return kTable[static_cast<std::size_t>(type)];
}

std::span<const PredefinedInfo, kPredefinedCount> all_predefined()
{
    return kTable;
}

}  // namespace fmpl::mpi
