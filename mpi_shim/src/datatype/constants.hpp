// The constants that arguments and contents of data types hold, with the values of MPICH 4.0's mpi.h (standard.hpp).
#pragma once

namespace fmpl::mpi {

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
    f90_real = 15,
    f90_complex = 16,
    f90_integer = 17,
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
