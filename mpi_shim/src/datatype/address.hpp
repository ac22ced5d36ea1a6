// Addresses in a type map.
#pragma once

#include <cstdint>

namespace fmpl::mpi {

// A number: displacements from MPI_BOTTOM are no offsets in an object, and a loop's next address may be none. Sums
// wrap around as the machine's addresses do.
using Address = std::uint64_t;

inline Address moved(Address at, std::int64_t by)
{
    return at + static_cast<std::uint64_t>(by);
}

}  // namespace fmpl::mpi
