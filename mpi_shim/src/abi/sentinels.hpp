// What a binary interface says of Fortran's sentinels: variables of common blocks, of which only the addresses mean
// something (fortran/sentinels.hpp).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

namespace fmpl::mpi::fortran {

enum class Sentinel {
    none,
    bottom,
    in_place,
    status_ignore,  // and MPI_STATUSES_IGNORE: programs pass either for either
    errcodes_ignore,
    argv_null,
    argvs_null,
    unweighted,
    weights_empty
};

// Where a sentinel lies: `bytes` from `offset` on in the common block.
struct SentinelPlace {
    const char* block;  // the name that gfortran gives it
    const void* address;
    std::size_t offset;
    std::size_t bytes;
    Sentinel meaning;
};

// In abi/<interface>/sentinels.cpp.
std::span<const SentinelPlace> sentinel_places();

}  // namespace fmpl::mpi::fortran
