#include "fortran/sentinels.hpp"

#include "fortran/exported_variable.hpp"

#include <link.h>

#include <cstdint>

namespace fmpl::mpi::fortran {
namespace {

bool lies_in(const SentinelPlace& place, const void* block, const void* argument)
{
    // An address before the place is as far behind it as a large number says.
    const auto begin = reinterpret_cast<std::uintptr_t>(block) + place.offset;
    return reinterpret_cast<std::uintptr_t>(argument) - begin < place.bytes;
}

}  // namespace

Sentinel sentinel_of(const void* argument)
{
    for (const SentinelPlace& place : sentinel_places()) {
        if (lies_in(place, place.address, argument)) return place.meaning;
    }
    // The blocks of the program itself, which is the first object, are ours.
    const link_map* const object = object_of(argument);
    if (object == nullptr || object->l_prev == nullptr) return Sentinel::none;
    for (const SentinelPlace& place : sentinel_places()) {
        const void* const theirs = exported_variable(*object, place.block);
        if (theirs != nullptr && lies_in(place, theirs, argument)) return place.meaning;
    }
    return Sentinel::none;
}

}  // namespace fmpl::mpi::fortran
