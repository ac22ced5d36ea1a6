// The sentinels of Fortran: variables of common blocks, of which only the addresses mean something. A Fortran program
// has the same blocks; the dynamic linker takes the program's, for this library too, since it reaches them by name.
// So they must stay exported, and the library must not be linked with -Bsymbolic.
//
// A Fortran library keeps blocks of its own where it does not find these: opened with RTLD_LOCAL by a program without
// MPI (an extension module of Python), or linked with -Bsymbolic. So an address that lies in another object is looked
// for in the blocks that this object exports.
#pragma once

#include "abi/sentinels.hpp"

namespace fmpl::mpi::fortran {

// What an argument of Fortran's means by its address.
Sentinel sentinel_of(const void* argument);

}  // namespace fmpl::mpi::fortran
