// Fortran's sentinels as MPICH's mpif.h, and ours, declare them.
#include "abi/sentinels.hpp"

#include <array>
#include <cstddef>

extern "C" {

extern struct FmplMpipriv1 {
    MPI_Fint bottom;
    MPI_Fint in_place;
    MPI_Fint status_ignore[MPI_F_STATUS_SIZE];
} mpipriv1_;
extern struct FmplMpipriv2 {
    MPI_Fint statuses_ignore[MPI_F_STATUS_SIZE];
    MPI_Fint errcodes_ignore;
} mpipriv2_;
extern struct FmplMpiprivc {
    char argvs_null;
    char argv_null;
} mpiprivc_;
extern MPI_Fint mpifcmb5_;  // MPI_UNWEIGHTED
extern MPI_Fint mpifcmb9_;  // MPI_WEIGHTS_EMPTY

FmplMpipriv1 mpipriv1_;
FmplMpipriv2 mpipriv2_;
FmplMpiprivc mpiprivc_;
MPI_Fint mpifcmb5_;
MPI_Fint mpifcmb9_;

// For C that calls Fortran's routines, or is called by them (MPI-3.1, section 17.2.5).
MPI_Fint* MPI_F_STATUS_IGNORE = mpipriv1_.status_ignore;
MPI_Fint* MPI_F_STATUSES_IGNORE = mpipriv2_.statuses_ignore;
}

namespace fmpl::mpi::fortran {
namespace {

#define FMPL_SENTINEL(block, Type, member, meaning)                                     \
    SentinelPlace                                                                       \
    {                                                                                   \
#block, &block, offsetof(Type, member), sizeof(Type::member), Sentinel::meaning \
    }

const std::array kPlaces = {
    FMPL_SENTINEL(mpipriv1_, FmplMpipriv1, bottom, bottom),
    FMPL_SENTINEL(mpipriv1_, FmplMpipriv1, in_place, in_place),
    FMPL_SENTINEL(mpipriv1_, FmplMpipriv1, status_ignore, status_ignore),
    FMPL_SENTINEL(mpipriv2_, FmplMpipriv2, statuses_ignore, status_ignore),
    FMPL_SENTINEL(mpipriv2_, FmplMpipriv2, errcodes_ignore, errcodes_ignore),
    FMPL_SENTINEL(mpiprivc_, FmplMpiprivc, argvs_null, argvs_null),
    FMPL_SENTINEL(mpiprivc_, FmplMpiprivc, argv_null, argv_null),
    SentinelPlace{"mpifcmb5_", &mpifcmb5_, 0, sizeof mpifcmb5_, Sentinel::unweighted},
    SentinelPlace{"mpifcmb9_", &mpifcmb9_, 0, sizeof mpifcmb9_, Sentinel::weights_empty},
};

}  // namespace

std::span<const SentinelPlace> sentinel_places()
{
    return kPlaces;
}

}  // namespace fmpl::mpi::fortran
