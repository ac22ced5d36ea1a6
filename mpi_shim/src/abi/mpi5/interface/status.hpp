// MPI_Status in the layout of the standard ABI: of the five integers that belong to the library, the first says
// cancelled and the next two are the count of bytes. Every interface has these functions; abi/status.hpp makes and
// reads one with them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>

namespace fmpl::mpi {

inline void set_bytes(MPI_Status& to, std::uint64_t bytes)
{
    std::memcpy(&to.MPI_internal[1], &bytes, sizeof bytes);
}
inline std::uint64_t bytes_of(const MPI_Status& status)
{
    std::uint64_t bytes;
    std::memcpy(&bytes, &status.MPI_internal[1], sizeof bytes);
    return bytes;
}
inline void set_cancelled(MPI_Status& to, bool cancelled)
{
    to.MPI_internal[0] = cancelled ? 1 : 0;
}
// Both, of a status that nothing was written to.
inline void set_length(MPI_Status& to, std::uint64_t bytes, bool cancelled)
{
    set_bytes(to, bytes);
    set_cancelled(to, cancelled);
}
inline bool is_cancelled(const MPI_Status& status)
{
    return status.MPI_internal[0] != 0;
}

}  // namespace fmpl::mpi
