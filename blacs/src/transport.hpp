// The communication library below the BLACS, chosen when they are compiled: FMPL, or an MPI where FMPL_BLACS_MPI is
// defined. All else is the same source for both, so that the library is the only difference between their figures.
//
// Both folders, fmpl/ and mpi/, define the same names, as types and functions and without virtual calls. They throw
// Error. Here is what the state of a process is made of:
//
//   check             the result of a call of the library
//   Comm, FortranComm the library's communicator, and what Fortran has for it: from_fortran, to_fortran
//   null_comm, create_group, free_group, world_ranks_of, barrier
//   system_world, system_null, make_system_comm, free_system_comm: the communicators that system contexts stand for
//   kMessageIndex     of all point-to-point messages: each context has communicators of its own, so one is enough
//   Job               this process as one of the job's: joins, leaves, and holds what sends in progress need
//   CallName          tells the library which routine of the BLACS the rank is in
//   rank_slot, rank_state: where the Process of a rank is kept
//   library_is_up, finalize_library, job_rank, end_job, wall_seconds
//   allocate_memory, release_memory: the library's own memory for messages
//   ObservedCall, tell_about: the routines in the library's statistics
//
// and operations.hpp has what is done with it: send_matrix, receive_matrix, broadcast_send, broadcast_receive, sum,
// find_extreme.
#pragma once

#ifdef FMPL_BLACS_MPI
#include "mpi/communicators.hpp"
#include "mpi/job.hpp"
#include "mpi/observed_call.hpp"
#else
#include "fmpl/communicators.hpp"
#include "fmpl/job.hpp"
#include "fmpl/observed_call.hpp"
#endif
