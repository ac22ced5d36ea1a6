// How long memory is to be that one core writes piece after piece, again and again, and another core reads: a piece is
// to have left the caches of the reader from which the writer takes its lines slowly by the time that it is written
// again (docs/decisions/0047-rings-longer-than-the-nearest-cache.md, 0052-rings-by-the-make-of-the-processor.md).
//
// On Intel's cores that is the nearest cache. On AMD's it is the second-level one: its lines go to the third-level
// cache when they leave it, and from there they come four times as fast as from another core.
#pragma once

#include "crossbar/copy_across.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace fmpl {

inline constexpr std::size_t kRewrittenBytes = 256 * 1024;

// Whether a line that has left the second-level cache is in the third-level one, as a place of its own.
inline bool has_victim_cache()
{
    return is_amd_processor();
}

// A power of two: twice the second-level cache, where that counts.
inline std::size_t rewritten_bytes()
{
    if (!has_victim_cache()) return kRewrittenBytes;
    static const std::size_t second_level = [] {
        constexpr long kMost = 2 * 1024 * 1024;  // a virtual machine may tell anything
        return static_cast<std::size_t>(std::clamp(sysconf(_SC_LEVEL2_CACHE_SIZE), 0L, kMost));
    }();
    return std::max(kRewrittenBytes, std::bit_floor(2 * second_level));
}

// Pieces of up to this size, each of which is read before the next one is written, travel faster by lines that both
// nearest caches have had before (docs/decisions/0054-short-bodies-in-one-place.md).
inline std::size_t longest_in_one_place()
{
    return has_victim_cache() ? 4 * 1024 : 1024;
}

// The same for pieces of which another one or two may be under way. 0: the rings of other processors are too short for
// that to matter (docs/decisions/0047-rings-longer-than-the-nearest-cache.md).
inline std::size_t longest_in_short_lap()
{
    return has_victim_cache() ? 8 * 1024 : 0;
}

// The longest piece whose place is asked for while the one before the last is written, if it is one copy
// (docs/decisions/0043-lines-to-write-asked-for-ahead.md).
inline std::size_t longest_asked_ahead()
{
    return has_victim_cache() ? 2 * 1024 : 8 * 1024;
}

}  // namespace fmpl
