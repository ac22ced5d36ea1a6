// Fortran's sentinels as Open MPI's mpif.h, and ours, declare them; the sizes are those in libmpi.so.40.

// clang-format off
#define FMPL_SENTINELS(sentinel)                                \
    sentinel(mpi_fortran_bottom_, 4, bottom)                    \
    sentinel(mpi_fortran_in_place_, 4, in_place)                \
    sentinel(mpi_fortran_status_ignore_, 24, status_ignore)     \
    sentinel(mpi_fortran_statuses_ignore_, 24, status_ignore)   \
    sentinel(mpi_fortran_errcodes_ignore_, 4, errcodes_ignore)  \
    sentinel(mpi_fortran_argv_null_, 1, argv_null)              \
    sentinel(mpi_fortran_argvs_null_, 1, argvs_null)            \
    sentinel(mpi_fortran_unweighted_, 4, unweighted)            \
    sentinel(mpi_fortran_weights_empty_, 4, weights_empty)
// clang-format on
#include "abi/sentinel_blocks.hpp"

// For C that calls Fortran's routines, or is called by them (MPI-3.1, section 17.2.5).
MPI_Fint* MPI_F_STATUS_IGNORE = reinterpret_cast<MPI_Fint*>(mpi_fortran_status_ignore_);
MPI_Fint* MPI_F_STATUSES_IGNORE = reinterpret_cast<MPI_Fint*>(mpi_fortran_statuses_ignore_);
