// What blacs_mpi_test asks of MPI itself, in a source file of its own: blacs_fmpl.h declares the system handles for
// communicators of FMPL.
#pragma once

namespace fmpl_test {

// What is wrong with the handles of a communicator that has all processes in reverse order, of MPI_COMM_WORLD and of a
// grid, by the C and Fortran names; null when nothing is. Called by all processes.
const char* wrong_with_mpi_handles(int grid_context);

void init_mpi();
// False when the BLACS have finalized MPI.
bool finalize_mpi();

}  // namespace fmpl_test
