// How long the rings of bodies are with which messages travel fastest.
#pragma once

#include "crossbar/rewritten_bytes.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace fmpl {

// Where each rank has a CPU: what the rings of all pairs may take, if rewritten_bytes() asks for so much.
inline constexpr std::size_t kRingsOfRank = std::size_t{8} * 1024 * 1024;
inline constexpr std::size_t kRingsOfJob = std::size_t{128} * 1024 * 1024;
// Where ranks share CPUs the rings of those of a CPU are to stay in its second-level cache, unless longer bodies ask
// for more. So they are where a longer ring than the nearest cache gains nothing.
inline constexpr std::size_t kRingsOfCpu = 1536 * 1024;

// What each of a rank's rings may take so that all take a quarter of its tables.
inline std::size_t most_ring_room(int ranks, std::size_t table_bytes)
{
    return table_bytes / 4 / static_cast<std::size_t>(std::max(ranks - 1, 1));
}

// Of an ordered pair; a power of two. ranks_of_cpu: that share one. table_bytes: that a rank has for all its records.
inline std::size_t best_ring_room(int ranks, int ranks_of_cpu, std::size_t table_bytes)
{
    const auto others = static_cast<std::size_t>(std::max(ranks - 1, 1));
    const bool long_ones = ranks_of_cpu == 1 && has_victim_cache();
    const std::size_t of_rank = long_ones ? std::min(kRingsOfRank, kRingsOfJob / static_cast<std::size_t>(ranks))
                                          : kRingsOfCpu / static_cast<std::size_t>(ranks_of_cpu);
    const std::size_t longest = long_ones ? rewritten_bytes() : kRewrittenBytes;
    return std::min({longest, std::bit_floor(of_rank / others), std::bit_floor(most_ring_room(ranks, table_bytes))});
}

}  // namespace fmpl
