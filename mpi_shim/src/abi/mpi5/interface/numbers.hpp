// The constants of the standard ABI and the core's (standard.hpp). Every interface has these functions: X_in() gives
// the core's number for one of mpi.h's, X_out() the reverse; what is neither's constant stays as it is, or is no
// constant of the other's.
#pragma once

#include "abi/numbers_by_name.hpp"
#include "datatype/constants.hpp"
#include "standard.hpp"

#include <mpi.h>

namespace fmpl::mpi {

// Whose interface it is, for MPI_Get_library_version.
inline constexpr const char* kInterface = "MPI-5.0";

// A number that means nothing takes the place of the core's that has become free, so that rank_in and rank_out undo
// each other; likewise of tags.
inline constexpr int kNoRank = MPI_ROOT;
inline constexpr int kNoTag = MPI_ANY_TAG;

// Ranks: MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ROOT.
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
        case kAnySource:
            return kNoRank;
        default:
            return rank;
    }
}
inline constexpr int rank_out(int rank)
{
    if (rank >= 0) [[likely]]
        return rank;
    switch (rank) {
        case kAnySource:
            return MPI_ANY_SOURCE;
        case kProcNull:
            return MPI_PROC_NULL;
        case kRoot:
            return MPI_ROOT;
        case kNoRank:
            return kAnySource;
        default:
            return rank;
    }
}
static_assert(MPI_ANY_SOURCE == kProcNull && MPI_PROC_NULL == kRoot && MPI_UNDEFINED == kUndefined);

// MPI_ANY_TAG.
inline constexpr int tag_in(int tag)
{
    return tag == MPI_ANY_TAG ? kAnyTag : tag == kAnyTag ? kNoTag : tag;
}
inline constexpr int tag_out(int tag)
{
    return tag_in(tag);
}

// Results of comparisons: MPI_IDENT ... MPI_UNEQUAL.
inline constexpr int comparison_out(int result)
{
    return result - kIdent + MPI_IDENT;
}
static_assert(comparison_out(kCongruent) == MPI_CONGRUENT && comparison_out(kSimilar) == MPI_SIMILAR);
static_assert(comparison_out(kUnequal) == MPI_UNEQUAL);

// -1 for a level that is none.
inline constexpr int thread_level_in(int level)
{
    switch (level) {
        case MPI_THREAD_SINGLE:
            return kThreadSingle;
        case MPI_THREAD_FUNNELED:
            return kThreadFunneled;
        case MPI_THREAD_SERIALIZED:
            return kThreadSerialized;
        case MPI_THREAD_MULTIPLE:
            return kThreadMultiple;
        default:
            return -1;
    }
}
inline constexpr int thread_level_out(int level)
{
    return level == kThreadSingle       ? MPI_THREAD_SINGLE
           : level == kThreadFunneled   ? MPI_THREAD_FUNNELED
           : level == kThreadSerialized ? MPI_THREAD_SERIALIZED
                                        : MPI_THREAD_MULTIPLE;
}

// What contents of data types name: MPI_COMBINER_*.
inline constexpr int combiner_out(int combiner)
{
    switch (static_cast<Combiner>(combiner)) {
        case Combiner::named:
            return MPI_COMBINER_NAMED;
        case Combiner::dup:
            return MPI_COMBINER_DUP;
        case Combiner::contiguous:
            return MPI_COMBINER_CONTIGUOUS;
        case Combiner::vector:
            return MPI_COMBINER_VECTOR;
        case Combiner::hvector:
            return MPI_COMBINER_HVECTOR;
        case Combiner::indexed:
            return MPI_COMBINER_INDEXED;
        case Combiner::hindexed:
            return MPI_COMBINER_HINDEXED;
        case Combiner::indexed_block:
            return MPI_COMBINER_INDEXED_BLOCK;
        case Combiner::hindexed_block:
            return MPI_COMBINER_HINDEXED_BLOCK;
        case Combiner::structure:
            return MPI_COMBINER_STRUCT;
        case Combiner::subarray:
            return MPI_COMBINER_SUBARRAY;
        case Combiner::darray:
            return MPI_COMBINER_DARRAY;
        case Combiner::f90_real:
            return MPI_COMBINER_F90_REAL;
        case Combiner::f90_complex:
            return MPI_COMBINER_F90_COMPLEX;
        case Combiner::f90_integer:
            return MPI_COMBINER_F90_INTEGER;
        case Combiner::resized:
            return MPI_COMBINER_RESIZED;
    }
    return combiner;
}

// MPI_DISTRIBUTE_DFLT_DARG is positive here: a block of as many elements cannot be asked for.
static_assert(MPI_DISTRIBUTE_DFLT_DARG > 0);

}  // namespace fmpl::mpi
