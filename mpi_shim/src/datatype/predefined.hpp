// The predefined data types of MPI-3.1 (section 3.2.2 and 5.9.4): what each is called and how it lies in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fmpl::mpi {

// Names that the standard gives twice (MPI_LONG_LONG, MPI_C_FLOAT_COMPLEX) stand here once.
enum class Predefined : std::uint8_t {
    // C
    character,
    signed_char,
    unsigned_char,
    wchar,
    short_int,
    unsigned_short,
    integer,
    unsigned_integer,
    long_int,
    unsigned_long,
    long_long,
    unsigned_long_long,
    float_real,
    double_real,
    long_double,
    c_bool,
    c_float_complex,
    c_double_complex,
    c_long_double_complex,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    // C++
    cxx_bool,
    cxx_float_complex,
    cxx_double_complex,
    cxx_long_double_complex,
    // any language
    byte,
    packed,
    aint,
    offset,
    count,
    // Fortran
    fortran_character,
    fortran_logical,
    fortran_integer,
    fortran_real,
    fortran_double_precision,
    fortran_complex,
    fortran_double_complex,
    integer1,
    integer2,
    integer4,
    integer8,
    logical1,
    logical2,
    logical4,
    logical8,
    real4,
    real8,
    real16,
    complex8,
    complex16,
    complex32,
    // pairs of a value and an index, for MPI_MINLOC and MPI_MAXLOC
    float_and_int,
    double_and_int,
    long_and_int,
    short_and_int,
    long_double_and_int,
    two_ints,
    two_fortran_integers,
    two_fortran_reals,
    two_fortran_double_precisions,
    // pairs of complex numbers, which Open MPI's mpi.h has and no operation
    two_fortran_complexes,
    two_fortran_double_complexes,
    // markers of the bounds, which MPI-3.0 removed and MPICH's header still has
    lower_bound,
    upper_bound,
};
inline constexpr std::size_t kPredefinedCount = static_cast<std::size_t>(Predefined::upper_bound) + 1;

// What a reduction may do with the values.
enum class Kind : std::uint8_t {
    character,
    signed_integer,
    unsigned_integer,
    floating,
    logical,
    complex,
    byte,
    packed,
    pair,
    marker
};

struct PredefinedInfo {
    Predefined type;
    const char* name;  // "MPI_INT"
    Kind kind;
    std::uint32_t size;    // bytes of data, without gaps
    std::uint32_t extent;  // bytes from one to the next in an array
    std::uint32_t alignment;
    Predefined first;         // of a pair; elsewhere the type itself
    Predefined second;        // likewise
    std::uint32_t second_at;  // displacement of a pair's second entry
};

const PredefinedInfo& info(Predefined type);

// All of them, in the order of the enumeration.
std::span<const PredefinedInfo, kPredefinedCount> all_predefined();

}  // namespace fmpl::mpi
