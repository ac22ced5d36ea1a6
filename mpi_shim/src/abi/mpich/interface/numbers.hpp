// MPICH's constants, which are those of the core (standard.hpp). Every interface has these functions: X_in() gives
// the core's number for one of mpi.h's, X_out() the reverse; what is neither's constant stays as it is, or is no
// constant of the other's.
#pragma once

#include "standard.hpp"

#include <mpi.h>

namespace fmpl::mpi {

// Whose interface it is, for MPI_Get_library_version.
inline constexpr const char* kInterface = "MPICH 4.0";

// Ranks: MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ROOT.
inline constexpr int rank_in(int rank)
{
    return rank;
}
inline constexpr int rank_out(int rank)
{
    return rank;
}
// MPI_ANY_TAG.
inline constexpr int tag_in(int tag)
{
    return tag;
}
inline constexpr int tag_out(int tag)
{
    return tag;
}
// Error classes, and codes, which are classes or the program's own.
inline constexpr int code_in(int code)
{
    return code;
}
inline constexpr int code_out(int code)
{
    return code;
}
// Results of comparisons: MPI_IDENT ... MPI_UNEQUAL.
inline constexpr int comparison_out(int result)
{
    return result;
}
inline constexpr int thread_level_in(int level)
{
    return level;
}
inline constexpr int thread_level_out(int level)
{
    return level;
}
inline constexpr int keyval_in(int keyval)
{
    return keyval;
}
inline constexpr int keyval_out(int keyval)
{
    return keyval;
}
// What arguments and contents of data types name: MPI_COMBINER_*, MPI_ORDER_*, MPI_DISTRIBUTE_*; and of the arguments
// of distributions MPI_DISTRIBUTE_DFLT_DARG.
inline constexpr int combiner_out(int combiner)
{
    return combiner;
}
inline constexpr int order_in(int order)
{
    return order;
}
inline constexpr int order_out(int order)
{
    return order;
}
inline constexpr int distribution_in(int distribution)
{
    return distribution;
}
inline constexpr int distribution_out(int distribution)
{
    return distribution;
}

inline constexpr int distribution_argument_in(int argument)
{
    return argument;
}
inline constexpr int distribution_argument_out(int argument)
{
    return argument;
}

static_assert(MPI_PROC_NULL == kProcNull && MPI_ANY_SOURCE == kAnySource && MPI_ROOT == kRoot);
static_assert(MPI_ANY_TAG == kAnyTag && MPI_UNDEFINED == kUndefined);
static_assert(MPI_ERR_BUFFER == code_of(ErrorClass::buffer) && MPI_ERR_RMA_FLAVOR == code_of(ErrorClass::rma_flavor));
static_assert(MPI_ERR_LASTCODE == code_of(ErrorClass::last_code));
static_assert(MPI_IDENT == kIdent && MPI_UNEQUAL == kUnequal);
static_assert(MPI_THREAD_SINGLE == kThreadSingle && MPI_THREAD_MULTIPLE == kThreadMultiple);
static_assert(MPI_KEYVAL_INVALID == kKeyvalInvalid && MPI_TAG_UB == kTagUb && MPI_APPNUM == kAppnum);

}  // namespace fmpl::mpi
