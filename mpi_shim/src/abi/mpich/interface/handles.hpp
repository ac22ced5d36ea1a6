// MPICH's handles: int, with the very numbers of the core (handles/handles.hpp). Every interface has these functions.
#pragma once

#include "standard.hpp"

#include <mpi.h>

namespace fmpl::mpi {

// What the core knows a handle of the program's as; a number that stands for nothing where it is no handle.
inline constexpr HandleNumber number_of(int handle)
{
    return handle;
}

// The program's handle, of type Handle, of what the core knows by that number.
template <class Handle>
inline constexpr Handle handle_for(HandleNumber number)
{
    return number;
}

// The same for Fortran's handles of the kind that C has as Handle.
template <class Handle>
inline constexpr HandleNumber number_of_fortran(MPI_Fint handle)
{
    return handle;
}
template <class Handle>
inline constexpr MPI_Fint fortran_for(HandleNumber number)
{
    return number;
}

static_assert(MPI_COMM_NULL == kCommNull && MPI_COMM_WORLD == kCommWorld && MPI_COMM_SELF == kCommSelf);
static_assert(MPI_GROUP_NULL == kGroupNull && MPI_GROUP_EMPTY == kGroupEmpty);
static_assert(MPI_DATATYPE_NULL == kDatatypeNull && MPI_OP_NULL == kOpNull && MPI_MAX == kOpMax);
static_assert(MPI_ERRHANDLER_NULL == kErrhandlerNull && MPI_ERRORS_ARE_FATAL == kErrorsAreFatal);
static_assert(MPI_ERRORS_RETURN == kErrorsReturn && MPI_ERRORS_ABORT == kErrorsAbort);
static_assert(MPI_INFO_NULL == kInfoNull && MPI_INFO_ENV == kInfoEnv);
static_assert(MPI_REQUEST_NULL == kRequestNull && MPI_MESSAGE_NULL == kMessageNull);
static_assert(MPI_MESSAGE_NO_PROC == kMessageNoProc);

}  // namespace fmpl::mpi
