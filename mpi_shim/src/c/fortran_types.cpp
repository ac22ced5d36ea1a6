// MPI-3.1, section 17.1.9: the predefined types of Fortran's numbers, by precision and range or by size.
#include "abi/boundary.hpp"

#include <array>
#include <climits>
#include <memory>
#include <span>
#include <string>

namespace fmpl::mpi {
namespace {

// Kinds of gfortran's numbers, the smallest first, with the decimal precision and exponent range that they have. An
// integer's range is its decimal digits.
struct FortranKind {
    int precision;
    int range;
    Predefined type;
};
constexpr FortranKind kReals[] = {
    {6, 37, Predefined::fortran_real},
    {15, 307, Predefined::fortran_double_precision},
    {18, 4931, Predefined::long_double},
    {33, 4931, Predefined::real16},
};
constexpr FortranKind kComplexes[] = {
    {6, 37, Predefined::fortran_complex},
    {15, 307, Predefined::fortran_double_complex},
    {18, 4931, Predefined::c_long_double_complex},
    {33, 4931, Predefined::complex32},
};
constexpr FortranKind kIntegers[] = {
    {INT_MAX, 2, Predefined::integer1},
    {INT_MAX, 4, Predefined::integer2},
    {INT_MAX, 9, Predefined::integer4},
    {INT_MAX, 18, Predefined::integer8},
};

// The type under a handle of its own, by which MPI_Type_get_envelope knows it; the same for the same arguments.
HandleNumber by_range(Process& process, int combiner, int precision, int range, std::span<const FortranKind> kinds)
{
    const auto [place, is_new] = process.f90_types.try_emplace({combiner, precision, range}, kDatatypeNull);
    if (!is_new) return place->second;
    for (const FortranKind& kind : kinds) {
        if (kind.precision < precision || kind.range < range) continue;
        const TypeObjectPtr& predefined = process.type(handle_of(kind.type));
        place->second = process.add(std::make_shared<TypeObject>(TypeObject{Datatype::predefined(kind.type),
            predefined->layout, nullptr, predefined->dense_bytes, predefined->element_bytes}));
        return place->second;
    }
    process.f90_types.erase(place);
    const FortranKind& widest = kinds.back();
    if (combiner == static_cast<int>(Combiner::f90_integer)) {
        fail(ErrorClass::argument, "r = {} digits are more than an integer has; give at most {}", range, widest.range);
    }
    fail(ErrorClass::argument, "no Fortran kind has p = {} digits and the range r = {}; give at most {} and {}",
        precision, range, widest.precision, widest.range);
}

int create_by_precision(
    const char* name, Combiner combiner, int p, int r, std::span<const FortranKind> kinds, MPI_Datatype* newtype)
{
    return call(name, [&](Process& process) {
        check_pointer(newtype, "newtype");
        if (p == MPI_UNDEFINED && r == MPI_UNDEFINED) {
            fail(ErrorClass::argument, "both p and r are MPI_UNDEFINED; give at least one of them");
        }
        for (const int number : {p, r}) {
            if (number < 0 && number != MPI_UNDEFINED) {
                fail(ErrorClass::argument, "{} = {} is negative; give 0 or more, or MPI_UNDEFINED",
                    number == p ? "p" : "r", number);
            }
        }
        *newtype = handle_for<MPI_Datatype>(by_range(process, static_cast<int>(combiner), p, r, kinds));
    });
}

constexpr Predefined kRealsBySize[] = {Predefined::real4, Predefined::real8, Predefined::real16};
constexpr Predefined kIntegersBySize[] = {
    Predefined::integer1, Predefined::integer2, Predefined::integer4, Predefined::integer8};
constexpr Predefined kComplexesBySize[] = {Predefined::complex8, Predefined::complex16, Predefined::complex32};

std::span<const Predefined> types_of_class(int typeclass)
{
    switch (typeclass) {
        case MPI_TYPECLASS_REAL:
            return kRealsBySize;
        case MPI_TYPECLASS_INTEGER:
            return kIntegersBySize;
        case MPI_TYPECLASS_COMPLEX:
            return kComplexesBySize;
        default:
            fail(ErrorClass::argument,
                "typeclass = {} is none; give MPI_TYPECLASS_REAL, MPI_TYPECLASS_INTEGER or MPI_TYPECLASS_COMPLEX",
                typeclass);
    }
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Type_create_f90_real(int p, int r, MPI_Datatype* newtype)
{
    return create_by_precision("MPI_Type_create_f90_real", Combiner::f90_real, p, r, kReals, newtype);
}
FMPL_MPI_NAME(MPI_Type_create_f90_real)

int PMPI_Type_create_f90_complex(int p, int r, MPI_Datatype* newtype)
{
    return create_by_precision("MPI_Type_create_f90_complex", Combiner::f90_complex, p, r, kComplexes, newtype);
}
FMPL_MPI_NAME(MPI_Type_create_f90_complex)

int PMPI_Type_create_f90_integer(int r, MPI_Datatype* newtype)
{
    return call("MPI_Type_create_f90_integer", [&](Process& process) {
        check_pointer(newtype, "newtype");
        if (r < 0) fail(ErrorClass::argument, "r = {} is negative; give the decimal digits of the integer", r);
        // Its envelope has one integer, the range; the precision takes no part in it.
        *newtype =
            handle_for<MPI_Datatype>(by_range(process, static_cast<int>(Combiner::f90_integer), r, r, kIntegers));
    });
}
FMPL_MPI_NAME(MPI_Type_create_f90_integer)

int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype* datatype)
{
    return call("MPI_Type_match_size", [&](Process&) {
        check_pointer(datatype, "datatype");
        std::string sizes;
        for (const Predefined type : types_of_class(typeclass)) {
            if (static_cast<std::int64_t>(info(type).size) == size) {
                *datatype = handle_for<MPI_Datatype>(handle_of(type));
                return;
            }
            sizes += (sizes.empty() ? "" : ", ") + std::to_string(info(type).size);
        }
        fail(ErrorClass::argument, "no type of this class has size = {} bytes; give one of {}", size, sizes);
    });
}
FMPL_MPI_NAME(MPI_Type_match_size)
