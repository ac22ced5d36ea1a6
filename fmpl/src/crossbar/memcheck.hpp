// What valgrind's memcheck is told of the job's memory, which is far larger than what of it is backed: a leak check
// reads all that counts as addressable, and reading a hole backs it. So only what this process has backed counts as
// addressable; in the rest, where other ranks have backed memory, nothing is reported.
//
// Without valgrind the calls do nothing, and where its headers were not there at build time they are empty.
#pragma once

#include <cstddef>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define RUNNING_ON_VALGRIND 0
#define VALGRIND_MAKE_MEM_NOACCESS(at, bytes) static_cast<void>(0)
#define VALGRIND_MAKE_MEM_DEFINED(at, bytes) static_cast<void>(0)
#define VALGRIND_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE(at, bytes) static_cast<void>(0)
#define VALGRIND_ENABLE_ADDR_ERROR_REPORTING_IN_RANGE(at, bytes) static_cast<void>(0)
#endif

namespace fmpl::memcheck {

// [at, at + bytes) has just been mapped.
inline void mapped(const std::byte* at, std::size_t bytes)
{
    if (RUNNING_ON_VALGRIND == 0) return;
    VALGRIND_MAKE_MEM_NOACCESS(at, bytes);
    VALGRIND_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE(at, bytes);
}

// This process touches no other rank's memory in it any more.
inline void left(const std::byte* at, std::size_t bytes)
{
    VALGRIND_ENABLE_ADDR_ERROR_REPORTING_IN_RANGE(at, bytes);
}

// This process has backed it, or given it back.
inline void backed(const std::byte* at, std::size_t bytes)
{
    VALGRIND_MAKE_MEM_DEFINED(at, bytes);
}
inline void released(const std::byte* at, std::size_t bytes)
{
    VALGRIND_MAKE_MEM_NOACCESS(at, bytes);
}

}  // namespace fmpl::memcheck
