// The sentinels of Fortran: variables of common blocks, of which only the addresses mean something. A Fortran program
// has the same blocks; the dynamic linker takes the program's, for this library too, since it reaches them by name.
// So they must stay exported, and the library must not be linked with -Bsymbolic.
//
// A Fortran library keeps blocks of its own where it does not find these: opened with RTLD_LOCAL by a program without
// MPI (an extension module of Python), or linked with -Bsymbolic. So an address that lies in another object is looked
// for in the blocks that this object exports (sentinel_of).
#pragma once

#include <mpi.h>

extern "C" {

// The blocks as mpif.h, and MPICH's, declare them. The names are those that gfortran gives to common blocks.
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
}

namespace fmpl::mpi::fortran {

// The sentinel of the blocks above that an argument of Fortran's means; null for an argument that is none.
const void* sentinel_of(const void* argument);

}  // namespace fmpl::mpi::fortran
