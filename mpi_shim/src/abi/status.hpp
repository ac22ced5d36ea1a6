// MPI_Status in MPICH's layout: what calls give the user, made from the shim's own Status.
#pragma once

#include "p2p/request.hpp"

#include <mpi.h>

namespace fmpl::mpi {

// The count of bytes is 63 bits wide, over count_lo and count_hi_and_cancelled; the lowest bit of the latter says
// cancelled.
inline void set_bytes(MPI_Status& to, std::uint64_t bytes)
{
    to.count_lo = static_cast<int>(bytes & 0xffffffff);
    to.count_hi_and_cancelled = static_cast<int>(
        static_cast<std::uint32_t>(bytes >> 32) << 1 | (static_cast<std::uint32_t>(to.count_hi_and_cancelled) & 1));
}
inline std::uint64_t bytes_of(const MPI_Status& status)
{
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1) << 32 |
           static_cast<std::uint32_t>(status.count_lo);
}
inline void set_cancelled(MPI_Status& to, bool cancelled)
{
    to.count_hi_and_cancelled = (to.count_hi_and_cancelled & ~1) | (cancelled ? 1 : 0);
}
inline bool is_cancelled(const MPI_Status& status)
{
    return (status.count_hi_and_cancelled & 1) != 0;
}

// MPI_ERROR is left alone: calls that return one status do not set it (MPI-3.1, section 3.2.5).
inline void give(MPI_Status* to, const Status& status)
{
    if (to == MPI_STATUS_IGNORE) return;
    to->count_hi_and_cancelled = 0;
    set_bytes(*to, status.bytes);
    set_cancelled(*to, status.cancelled);
    to->MPI_SOURCE = status.source;
    to->MPI_TAG = status.tag;
}

// What a user's function has put into a status.
inline Status taken_from(const MPI_Status& status)
{
    Status taken{status.MPI_SOURCE, status.MPI_TAG};
    taken.cancelled = is_cancelled(status);
    taken.bytes = bytes_of(status);
    return taken;
}

}  // namespace fmpl::mpi
