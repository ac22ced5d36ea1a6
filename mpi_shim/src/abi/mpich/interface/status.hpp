// MPI_Status in MPICH's layout. Every interface has these functions; abi/status.hpp makes and reads one with them.
#pragma once

#include <mpi.h>

#include <cstdint>

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
// Both, of a status that nothing was written to.
inline void set_length(MPI_Status& to, std::uint64_t bytes, bool cancelled)
{
    to.count_hi_and_cancelled = cancelled ? 1 : 0;
    set_bytes(to, bytes);
}
inline bool is_cancelled(const MPI_Status& status)
{
    return (status.count_hi_and_cancelled & 1) != 0;
}

}  // namespace fmpl::mpi
