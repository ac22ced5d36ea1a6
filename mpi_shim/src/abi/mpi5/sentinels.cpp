// Fortran's sentinels as our mpif.h declares them; the standard ABI has no names for them.

// clang-format off
#define FMPL_SENTINELS(sentinel)                             \
    sentinel(fmpl_mpi_bottom_, 4, bottom)                    \
    sentinel(fmpl_mpi_in_place_, 4, in_place)                \
    sentinel(fmpl_mpi_status_ignore_, 32, status_ignore)     \
    sentinel(fmpl_mpi_statuses_ignore_, 32, status_ignore)   \
    sentinel(fmpl_mpi_errcodes_ignore_, 4, errcodes_ignore)  \
    sentinel(fmpl_mpi_argv_null_, 1, argv_null)              \
    sentinel(fmpl_mpi_argvs_null_, 1, argvs_null)            \
    sentinel(fmpl_mpi_unweighted_, 4, unweighted)            \
    sentinel(fmpl_mpi_weights_empty_, 4, weights_empty)
// clang-format on
#include "abi/sentinel_blocks.hpp"

// For C that calls Fortran's routines, or is called by them (MPI-3.1, section 17.2.5).
MPI_Fint* MPI_F_STATUS_IGNORE = reinterpret_cast<MPI_Fint*>(fmpl_mpi_status_ignore_);
MPI_Fint* MPI_F_STATUSES_IGNORE = reinterpret_cast<MPI_Fint*>(fmpl_mpi_statuses_ignore_);
