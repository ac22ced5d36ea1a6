// What calls give the program of an operation's status, and what a function of the program's has put into one.
#pragma once

#include "interface/numbers.hpp"
#include "interface/status.hpp"
#include "p2p/request.hpp"

#include <mpi.h>

namespace fmpl::mpi {

// MPI_ERROR is left alone: calls that return one status do not set it (MPI-3.1, section 3.2.5).
inline void give(MPI_Status* to, const Status& status)
{
    if (to == MPI_STATUS_IGNORE) return;
    set_length(*to, status.bytes, status.cancelled);
    to->MPI_SOURCE = rank_out(status.source);
    to->MPI_TAG = tag_out(status.tag);
}

// What a user's function has put into a status.
inline Status taken_from(const MPI_Status& status)
{
    Status taken{rank_in(status.MPI_SOURCE), tag_in(status.MPI_TAG)};
    taken.cancelled = is_cancelled(status);
    taken.bytes = bytes_of(status);
    return taken;
}

}  // namespace fmpl::mpi
