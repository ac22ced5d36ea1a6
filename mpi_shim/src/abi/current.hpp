// Which Process a call from C or Fortran means: that of the calling rank, which FMPL keeps (fmpl/layer_slots.h). Used
// by the C and Fortran names alone; everything below takes the Process it works on.
#pragma once

#include "process/process.hpp"

#include <fmpl/layer_slots.h>

namespace fmpl::mpi {

// Null before MPI_Init and after MPI_Finalize. What the thread that called MPI_Init did before is visible.
inline Process* find_process()
{
    return static_cast<Process*>(fmpl_layer_state(FMPL_LAYER_MPI));
}
// MPI_Init and MPI_Finalize. Throw Error.
Process& join_process(int thread_level);
void leave_process();
// Whether the calling rank has called MPI_Init (MPI_Finalize), ever.
bool has_joined();
bool has_left();

}  // namespace fmpl::mpi
