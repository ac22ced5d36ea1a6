// Fortran's sentinels in a common block each. Included by an interface's sentinels.cpp, behind its
//
//   #define FMPL_SENTINELS(sentinel) sentinel(name, bytes, meaning) ...
//
// of the blocks' names as gfortran gives them, their sizes (a program's own block is as long or longer) and what each
// means.
#pragma once

#include "abi/sentinels.hpp"

#include <array>

#define FMPL_DEFINE(name, bytes, meaning)       \
    extern "C" {                                \
    extern unsigned char name[bytes];           \
    alignas(16) unsigned char name[bytes] = {}; \
    }
FMPL_SENTINELS(FMPL_DEFINE)
#undef FMPL_DEFINE

namespace fmpl::mpi::fortran {
namespace {

#define FMPL_PLACE(name, bytes, meaning) SentinelPlace{#name, name, 0, bytes, Sentinel::meaning},
const std::array kPlaces = {FMPL_SENTINELS(FMPL_PLACE)};
#undef FMPL_PLACE

}  // namespace

std::span<const SentinelPlace> sentinel_places()
{
    return kPlaces;
}

}  // namespace fmpl::mpi::fortran
