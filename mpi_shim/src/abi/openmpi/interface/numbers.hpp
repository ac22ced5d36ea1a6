// Open MPI's constants and the core's (standard.hpp). Every interface has these functions: X_in() gives the core's
// number for one of mpi.h's, X_out() the reverse; what is neither's constant stays as it is, or is no constant of the
// other's.
#pragma once

#include "abi/numbers_by_name.hpp"
#include "datatype/constants.hpp"
#include "standard.hpp"

#include <mpi.h>

namespace fmpl::mpi {

// Whose interface it is, for MPI_Get_library_version.
inline constexpr const char* kInterface = "Open MPI 4.1";

// Ranks: MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ROOT. Two pairs change places, one of them with a number that means
// nothing, so that the functions undo each other.
inline constexpr int rank_in(int rank)
{
    if (rank >= 0) [[likely]]
        return rank;
    switch (rank) {
        case MPI_ANY_SOURCE:
            return kAnySource;
        case MPI_PROC_NULL:
            return kProcNull;
        case MPI_ROOT:
            return kRoot;
        case kRoot:
            return MPI_ROOT;
        default:
            return rank;
    }
}
inline constexpr int rank_out(int rank)
{
    return rank_in(rank);
}
static_assert(MPI_ANY_SOURCE == kProcNull && MPI_PROC_NULL == kAnySource);

// MPI_ANY_TAG.
inline constexpr int tag_in(int tag)
{
    return tag;
}
inline constexpr int tag_out(int tag)
{
    return tag;
}
static_assert(MPI_ANY_TAG == kAnyTag && MPI_UNDEFINED == kUndefined);

// Results of comparisons: MPI_IDENT ... MPI_UNEQUAL.
inline constexpr int comparison_out(int result)
{
    return result;
}
static_assert(MPI_IDENT == kIdent && MPI_CONGRUENT == kCongruent && MPI_SIMILAR == kSimilar);
static_assert(MPI_UNEQUAL == kUnequal);

inline constexpr int thread_level_in(int level)
{
    return level;
}
inline constexpr int thread_level_out(int level)
{
    return level;
}
static_assert(MPI_THREAD_SINGLE == kThreadSingle && MPI_THREAD_FUNNELED == kThreadFunneled);
static_assert(MPI_THREAD_SERIALIZED == kThreadSerialized && MPI_THREAD_MULTIPLE == kThreadMultiple);

// What contents of data types name: MPI_COMBINER_*.
inline constexpr int combiner_out(int combiner)
{
    return combiner - 1;
}
static_assert(combiner_out(static_cast<int>(Combiner::named)) == MPI_COMBINER_NAMED);
static_assert(combiner_out(static_cast<int>(Combiner::hvector)) == MPI_COMBINER_HVECTOR);
static_assert(combiner_out(static_cast<int>(Combiner::indexed_block)) == MPI_COMBINER_INDEXED_BLOCK);
static_assert(combiner_out(static_cast<int>(Combiner::structure)) == MPI_COMBINER_STRUCT);
static_assert(combiner_out(static_cast<int>(Combiner::f90_integer)) == MPI_COMBINER_F90_INTEGER);
static_assert(combiner_out(static_cast<int>(Combiner::hindexed_block)) == MPI_COMBINER_HINDEXED_BLOCK);

}  // namespace fmpl::mpi
