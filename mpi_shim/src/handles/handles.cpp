#include "handles/handles.hpp"

#include "error.hpp"

#include <array>
#include <cstddef>

namespace fmpl::mpi {
namespace {

struct Named {
    Predefined type;
    MPI_Datatype handle;
};

using enum Predefined;

constexpr std::array<Named, kPredefinedCount> kHandles = {{
    {character, MPI_CHAR},
    {signed_char, MPI_SIGNED_CHAR},
    {unsigned_char, MPI_UNSIGNED_CHAR},
    {wchar, MPI_WCHAR},
    {short_int, MPI_SHORT},
    {unsigned_short, MPI_UNSIGNED_SHORT},
    {integer, MPI_INT},
    {unsigned_integer, MPI_UNSIGNED},
    {long_int, MPI_LONG},
    {unsigned_long, MPI_UNSIGNED_LONG},
    {long_long, MPI_LONG_LONG_INT},
    {unsigned_long_long, MPI_UNSIGNED_LONG_LONG},
    {float_real, MPI_FLOAT},
    {double_real, MPI_DOUBLE},
    {long_double, MPI_LONG_DOUBLE},
    {c_bool, MPI_C_BOOL},
    {c_float_complex, MPI_C_FLOAT_COMPLEX},
    {c_double_complex, MPI_C_DOUBLE_COMPLEX},
    {c_long_double_complex, MPI_C_LONG_DOUBLE_COMPLEX},
    {int8, MPI_INT8_T},
    {int16, MPI_INT16_T},
    {int32, MPI_INT32_T},
    {int64, MPI_INT64_T},
    {uint8, MPI_UINT8_T},
    {uint16, MPI_UINT16_T},
    {uint32, MPI_UINT32_T},
    {uint64, MPI_UINT64_T},
    {cxx_bool, MPI_CXX_BOOL},
    {cxx_float_complex, MPI_CXX_FLOAT_COMPLEX},
    {cxx_double_complex, MPI_CXX_DOUBLE_COMPLEX},
    {cxx_long_double_complex, MPI_CXX_LONG_DOUBLE_COMPLEX},
    {byte, MPI_BYTE},
    {packed, MPI_PACKED},
    {aint, MPI_AINT},
    {offset, MPI_OFFSET},
    {count, MPI_COUNT},
    {fortran_character, MPI_CHARACTER},
    {fortran_logical, MPI_LOGICAL},
    {fortran_integer, MPI_INTEGER},
    {fortran_real, MPI_REAL},
    {fortran_double_precision, MPI_DOUBLE_PRECISION},
    {fortran_complex, MPI_COMPLEX},
    {fortran_double_complex, MPI_DOUBLE_COMPLEX},
    {integer1, MPI_INTEGER1},
    {integer2, MPI_INTEGER2},
    {integer4, MPI_INTEGER4},
    {integer8, MPI_INTEGER8},
    {real4, MPI_REAL4},
    {real8, MPI_REAL8},
    {real16, MPI_REAL16},
    {complex8, MPI_COMPLEX8},
    {complex16, MPI_COMPLEX16},
    {complex32, MPI_COMPLEX32},
    {float_and_int, MPI_FLOAT_INT},
    {double_and_int, MPI_DOUBLE_INT},
    {long_and_int, MPI_LONG_INT},
    {short_and_int, MPI_SHORT_INT},
    {long_double_and_int, MPI_LONG_DOUBLE_INT},
    {two_ints, MPI_2INT},
    {two_fortran_integers, MPI_2INTEGER},
    {two_fortran_reals, MPI_2REAL},
    {two_fortran_double_precisions, MPI_2DOUBLE_PRECISION},
    {lower_bound, MPI_LB},
    {upper_bound, MPI_UB},
}};

constexpr bool is_in_order()
{
    for (std::size_t i = 0; i < kHandles.size(); ++i) {
        if (static_cast<std::size_t>(kHandles[i].type) != i) return false;
    }
    return true;
}
static_assert(is_in_order(), "the table has the order of the enumeration");

}  // namespace

int checked_handle(int handle, int error_class, const char* what)
{
    if (handle == 0) fail(error_class, "there are too many {} at a time; free some that are not needed", what);
    return handle;
}

std::optional<Predefined> predefined_of(MPI_Datatype handle)
{
    for (const Named& entry : kHandles) {
        if (entry.handle == handle) return entry.type;
    }
    return std::nullopt;
}

MPI_Datatype handle_of(Predefined type)
{
    return kHandles[static_cast<std::size_t>(type)].handle;
}

}  // namespace fmpl::mpi
