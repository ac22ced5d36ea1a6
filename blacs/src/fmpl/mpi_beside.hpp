// FMPL's MPI in the same process, where the program has it: then program and BLACS are in one job, system contexts
// stand for communicators of MPI, and, as with the BLACS that come with ScaLAPACK, the BLACS start MPI and end it.
#pragma once

#include <fmpl/mpi_services.h>

#include <vector>

namespace fmpl::blacs {

// Null where the program has none.
const fmpl_mpi_services* linked_mpi();
// The same, but null also before MPI_Init and after MPI_Finalize.
const fmpl_mpi_services* mpi_beside();

// The result of one of its functions; throws Error.
void check_mpi(const char* words);

// Whether the process has started another MPI, in which it must be alone.
bool other_mpi_is_up();

// For the program, a grid's communicator: FMPL's own, or one of MPI with the same processes, made by all of them.
fmpl_comm_t make_system_comm(fmpl_comm_t of_grid, const std::vector<int>& world_ranks);
// By all of its processes, while `of_grid` exists.
void free_system_comm(fmpl_comm_t comm, fmpl_comm_t of_grid);
// What it has for all processes, and for none.
fmpl_comm_t system_world();
fmpl_comm_t system_null();

}  // namespace fmpl::blacs
