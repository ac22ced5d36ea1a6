// Which Process a call from C or Fortran means: that of the calling thread when it is a rank itself, else that of its
// operating-system process. Used by the C and Fortran names alone; everything below takes the Process it works on.
#pragma once

#include "process/process.hpp"

namespace fmpl::mpi {

// Null before MPI_Init and after MPI_Finalize.
Process* find_process();
// MPI_Init and MPI_Finalize. Throw Error.
Process& join_process(int thread_level);
void leave_process();
// Whether the calling rank has called MPI_Init (MPI_Finalize), ever.
bool has_joined();
bool has_left();

}  // namespace fmpl::mpi
