// The constants of mpi.h that arguments and contents of data types hold, with the values of MPICH 4.0's header, so that
// they pass through unchanged; and the error classes that its checks report.
#pragma once

namespace fmpl::mpi {

enum class ErrorClass : int {
    count = 2,      // MPI_ERR_COUNT
    type = 3,       // MPI_ERR_TYPE
    dims = 11,      // MPI_ERR_DIMS
    argument = 12,  // MPI_ERR_ARG
    other = 15,     // MPI_ERR_OTHER
};

enum class Combiner : int {
    named = 1,
    dup = 2,
    contiguous = 3,
    vector = 4,
    hvector = 6,
    indexed = 7,
    hindexed = 9,
    indexed_block = 10,
    structure = 12,
    subarray = 13,
    darray = 14,
    resized = 18,
    hindexed_block = 19,
};

// MPI_ORDER_C, MPI_ORDER_FORTRAN.
inline constexpr int kOrderC = 56;
inline constexpr int kOrderFortran = 57;

// MPI_DISTRIBUTE_BLOCK, _CYCLIC, _NONE, _DFLT_DARG.
inline constexpr int kDistributeBlock = 121;
inline constexpr int kDistributeCyclic = 122;
inline constexpr int kDistributeNone = 123;
inline constexpr int kDistributeDefault = -49767;

}  // namespace fmpl::mpi
