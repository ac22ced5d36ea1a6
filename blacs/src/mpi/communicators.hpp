// Communicators of MPI for the BLACS, and the words of its errors. See transport.hpp.
#pragma once

#include "../error.hpp"

#include <mpi.h>

#include <vector>

namespace fmpl::blacs {

using Comm = MPI_Comm;
using FortranComm = MPI_Fint;

// As a tag.
inline constexpr int kMessageIndex = 0;

[[noreturn]] void fail(int code);

// The result of an MPI call, whose words are MPI's own.
inline void check(int code)
{
    if (code != MPI_SUCCESS) [[unlikely]]
        fail(code);
}

inline Comm null_comm()
{
    return MPI_COMM_NULL;
}
inline Comm from_fortran(FortranComm comm)
{
    return MPI_Comm_f2c(comm);
}
inline FortranComm to_fortran(Comm comm)
{
    return MPI_Comm_c2f(comm);
}

// A communicator of these ranks of MPI_COMM_WORLD, in this order, which returns errors; called by all of them. Blocks
// until they all have.
Comm create_group(const std::vector<int>& world_ranks);
// By all of its ranks; makes it null. Messages in progress still arrive.
inline void free_group(Comm& comm)
{
    check(MPI_Comm_free(&comm));
}
// What system contexts stand for: the same communicators.
inline Comm system_world()
{
    return MPI_COMM_WORLD;
}
inline Comm system_null()
{
    return null_comm();
}
inline Comm make_system_comm(Comm of_grid, const std::vector<int>&)
{
    return of_grid;
}
inline void free_system_comm(Comm, Comm) {}

// The rank in MPI_COMM_WORLD of each rank of the communicator. Throws Error for one with processes of another job.
std::vector<int> world_ranks_of(Comm comm);

// Gives all ranks of the communicator what its rank 0 has; called by all.
inline void copy_of_first(Comm comm, void* data, std::size_t bytes)
{
    check(MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, 0, comm));
}

inline void barrier(Comm comm)
{
    check(MPI_Barrier(comm));
}

}  // namespace fmpl::blacs
