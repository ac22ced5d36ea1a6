// Communicators of FMPL for the BLACS. See transport.hpp.
#pragma once

#include "../error.hpp"
#include "mpi_beside.hpp"

#include <fmpl.h>

#include <cstddef>
#include <vector>

namespace fmpl::blacs {

using Comm = fmpl_comm_t;
using FortranComm = fmpl_comm_t;

inline constexpr int kMessageIndex = 0;

[[noreturn]] void fail(int code);

// The result of an FMPL call, whose words are FMPL's own.
inline void check(int code)
{
    if (code != FMPL_SUCCESS) [[unlikely]]
        fail(code);
}

inline Comm null_comm()
{
    return FMPL_COMM_NULL;
}
inline Comm from_fortran(FortranComm comm)
{
    return comm;
}
inline FortranComm to_fortran(Comm comm)
{
    return comm;
}

// A communicator of these ranks of FMPL_COMM_WORLD, in this order; called by all of them. Blocks until they all have.
Comm create_group(const std::vector<int>& world_ranks);
// By all of its ranks; makes it null.
inline void free_group(Comm& comm)
{
    check(fmpl_comm_free(&comm));
}
// The rank in FMPL_COMM_WORLD of each rank of the communicator, which is FMPL's, or of MPI where that is up. Throws
// Error.
std::vector<int> world_ranks_of(Comm comm);

// Gives all ranks of the communicator what its rank 0 has; called by all.
inline void copy_of_first(Comm comm, void* data, std::size_t bytes)
{
    check(fmpl_bcast(data, bytes, 0, comm));
}

inline void barrier(Comm comm)
{
    check(fmpl_barrier(comm));
}

}  // namespace fmpl::blacs
