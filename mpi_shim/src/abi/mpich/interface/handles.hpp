// MPICH's handles: int, with the very numbers of the core (handles/handles.hpp); of files a pointer, null for
// MPI_FILE_NULL, which is 0 in Fortran, and else with the core's number for an address. Every interface has these
// functions.
#pragma once

#include "standard.hpp"

#include <mpi.h>

#include <cstdint>
#include <type_traits>

namespace fmpl::mpi {

// What the core knows a handle of the program's as; a number that stands for nothing where it is no handle.
inline constexpr HandleNumber number_of(int handle)
{
    return handle;
}
inline HandleNumber number_of(MPI_File handle)
{
    const auto bits = reinterpret_cast<std::uintptr_t>(handle);
    return bits == 0 ? kFileNull : bits <= UINT32_MAX ? static_cast<HandleNumber>(bits) : 0;
}

// The program's handle, of type Handle, of what the core knows by that number.
template <class Handle>
inline constexpr Handle handle_for(HandleNumber number)
{
    if constexpr (std::is_same_v<Handle, MPI_File>) {
        const std::uintptr_t bits = number == kFileNull ? 0 : static_cast<std::uint32_t>(number);
        return reinterpret_cast<MPI_File>(bits);
    } else {
        return number;
    }
}

// The same for Fortran's handles of the kind that C has as Handle.
template <class Handle>
inline constexpr HandleNumber number_of_fortran(MPI_Fint handle)
{
    return std::is_same_v<Handle, MPI_File> && handle == 0 ? kFileNull : handle;
}
template <class Handle>
inline constexpr MPI_Fint fortran_for(HandleNumber number)
{
    return std::is_same_v<Handle, MPI_File> && number == kFileNull ? 0 : number;
}

static_assert(MPI_COMM_NULL == kCommNull && MPI_COMM_WORLD == kCommWorld && MPI_COMM_SELF == kCommSelf);
static_assert(MPI_GROUP_NULL == kGroupNull && MPI_GROUP_EMPTY == kGroupEmpty);
static_assert(MPI_DATATYPE_NULL == kDatatypeNull && MPI_OP_NULL == kOpNull && MPI_MAX == kOpMax);
static_assert(MPI_ERRHANDLER_NULL == kErrhandlerNull && MPI_ERRORS_ARE_FATAL == kErrorsAreFatal);
static_assert(MPI_ERRORS_RETURN == kErrorsReturn && MPI_ERRORS_ABORT == kErrorsAbort);
static_assert(MPI_INFO_NULL == kInfoNull && MPI_INFO_ENV == kInfoEnv && MPI_WIN_NULL == kWinNull);
static_assert(MPI_REQUEST_NULL == kRequestNull && MPI_MESSAGE_NULL == kMessageNull);
static_assert(MPI_MESSAGE_NO_PROC == kMessageNoProc);

}  // namespace fmpl::mpi
