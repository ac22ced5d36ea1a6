// MPI_Status in Open MPI's layout. Every interface has these functions; abi/status.hpp makes and reads one with them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fmpl::mpi {

inline void set_bytes(MPI_Status& to, std::uint64_t bytes)
{
    // In Fortran a status is aligned as INTEGERs are.
    const std::size_t count = bytes;
    std::memcpy(&to._ucount, &count, sizeof count);
}
inline std::uint64_t bytes_of(const MPI_Status& status)
{
    std::size_t count;
    std::memcpy(&count, &status._ucount, sizeof count);
    return count;
}
inline void set_cancelled(MPI_Status& to, bool cancelled)
{
    to._cancelled = cancelled ? 1 : 0;
}
// Both, of a status that nothing was written to.
inline void set_length(MPI_Status& to, std::uint64_t bytes, bool cancelled)
{
    set_bytes(to, bytes);
    set_cancelled(to, cancelled);
}
inline bool is_cancelled(const MPI_Status& status)
{
    return status._cancelled != 0;
}

}  // namespace fmpl::mpi
