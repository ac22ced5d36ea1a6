// Fortran's sentinels as Open MPI's mpif.h, and ours, declare them.
#include "abi/sentinels.hpp"

#include <array>

// name, bytes in libmpi.so.40 (a program's own block is as long or longer), what it means.
#define FMPL_SENTINELS(sentinel)                                                                                  \
    sentinel(mpi_fortran_bottom_, 4, bottom) sentinel(mpi_fortran_in_place_, 4, in_place) sentinel(               \
        mpi_fortran_status_ignore_, 24, status_ignore) sentinel(mpi_fortran_statuses_ignore_, 24, status_ignore)  \
        sentinel(mpi_fortran_errcodes_ignore_, 4, errcodes_ignore) sentinel(mpi_fortran_argv_null_, 1, argv_null) \
            sentinel(mpi_fortran_argvs_null_, 1, argvs_null) sentinel(mpi_fortran_unweighted_, 4, unweighted)     \
                sentinel(mpi_fortran_weights_empty_, 4, weights_empty)

#define FMPL_DEFINE(name, bytes, meaning)       \
    extern "C" {                                \
    extern unsigned char name[bytes];           \
    alignas(16) unsigned char name[bytes] = {}; \
    }
FMPL_SENTINELS(FMPL_DEFINE)

// For C that calls Fortran's routines, or is called by them (MPI-3.1, section 17.2.5).
MPI_Fint* MPI_F_STATUS_IGNORE = reinterpret_cast<MPI_Fint*>(mpi_fortran_status_ignore_);
MPI_Fint* MPI_F_STATUSES_IGNORE = reinterpret_cast<MPI_Fint*>(mpi_fortran_statuses_ignore_);

namespace fmpl::mpi::fortran {
namespace {

#define FMPL_PLACE(name, bytes, meaning) SentinelPlace{#name, name, 0, bytes, Sentinel::meaning},
const std::array kPlaces = {FMPL_SENTINELS(FMPL_PLACE)};

}  // namespace

std::span<const SentinelPlace> sentinel_places()
{
    return kPlaces;
}

}  // namespace fmpl::mpi::fortran
