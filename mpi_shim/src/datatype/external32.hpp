// The external data representation "external32" (MPI-3.1, section 13.5.2): big-endian, with sizes of its own for some
// types (4 bytes for MPI_LONG, 2 for MPI_WCHAR, IEEE quadruple precision for MPI_LONG_DOUBLE).
//
// The form of a message is the basic types of its type map in order, without gaps. Used by MPI_Pack_external; element
// by element, so not for speed. `buffer` is the argument of the MPI call, null for MPI_BOTTOM.
#pragma once

#include "datatype/datatype.hpp"

#include <cstddef>
#include <cstdint>

namespace fmpl::mpi {

// Bytes of `count` of the type. Throws TypeError beyond 64 bits.
std::int64_t external_size(const Datatype& type, std::int64_t count);

// Throw Error (MPI_ERR_CONVERSION) at a value that the other side has no room for. What was written by then stays.
void pack_external(const Datatype& type, std::int64_t count, const void* buffer, std::byte* packed);
void unpack_external(const Datatype& type, std::int64_t count, void* buffer, const std::byte* packed);

}  // namespace fmpl::mpi
