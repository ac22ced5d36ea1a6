// The other rank's remote-DMA memory, as this rank writes it.
#pragma once

#include "../job.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fmpl::bench {

// Each rank of a pair gives `bytes` of its own remote-DMA memory at `mine` and gets the address of the other one's,
// which is good until that is freed; nullptr on a rank without a partner. Collective over the job; throws
// std::runtime_error on all ranks, beginning with the benchmark's name, where one does not address the other's
// memory.
std::byte* room_at_peer(const Pairing& pairing, const std::byte* mine, std::size_t bytes, const char* benchmark);

// In remote-DMA memory of the first rank of a pair: one line in which both ranks write, as in bouncing_line.hpp. That
// memory is aligned to lines, and processors fetch lines in pairs, hence the room on either side.
struct LineForBoth {
    std::byte before[64];
    // Steps done by the first rank, by the other one (release, after all that belongs to the step).
    alignas(64) std::atomic<std::uint64_t> steps[2];
    alignas(64) std::byte behind[64];
};
static_assert(sizeof(LineForBoth) == 192);

}  // namespace fmpl::bench
