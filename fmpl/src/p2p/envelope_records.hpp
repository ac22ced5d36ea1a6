// The shared records of the envelopes (p2p/envelopes.hpp). docs/memory_layout.md explains each field's writer and ordering.
//
// Of each ordered pair of ranks, in the arena of the destination: a ring of EnvelopeCells and a ring of body lines, written
// by the source; in the arena of the source: an EnvelopeCredit, written by the destination. Of each pair of mapped ranks, in the
// arena of the lower one: the *pair cell*, which the two write in turn.
//
// Invariants
//   1. Envelope n of an ordered pair, from 1, is in the pair cell or in cell n mod cells of the ring. A cell holds only numbers
//      that it has held or will hold once, so no stale stamp is ever awaited.
//   2. The stamp lies at a fixed place in lines that hold no bodies, so that no payload is ever taken for one.
//   3. The source writes a cell of the ring or a body line again only after a credit has shown that the destination is through
//      with it.
//   4. The higher rank writes the pair cell first, so that who polls it at first has it at hand; then each writes it only when it has taken what the other wrote there. So it
//      has one writer at a time, and needs no credit.
//   5. A body is contiguous and begins at a line. One that does not fit before the end of its ring begins at the ring's start,
//      and the lines skipped count as used: source and destination both see that from where the body begins.
#pragma once

#include "crossbar/control_block.hpp"

#include <fmpl/layers.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace fmpl {

struct alignas(kLine) EnvelopeCell {
    // In a ring: the envelope's number. In a pair cell: twice that, and 1 more if the higher rank of the pair has written it.
    std::atomic<std::uint64_t> stamp;  // (release, after all the rest)
    std::uint32_t body_at;             // the line where the body begins
    std::uint32_t body_bytes;
    std::uint8_t head[FMPL_ENVELOPE_HEAD];
};
static_assert(sizeof(EnvelopeCell) == kLine && offsetof(EnvelopeCell, head) == 16);

struct alignas(kLine) EnvelopeCredit {
    std::atomic<std::uint64_t> taken;  // EnvelopeCount of what has been taken (release)
    std::uint8_t pad[kLine - 8];
};
static_assert(sizeof(EnvelopeCredit) == kLine);

// Number of an envelope and lines of bodies used up to it, both cut to 32 bits, in one word that is written whole.
struct EnvelopeCount {
    static constexpr std::uint64_t make(std::uint32_t number, std::uint32_t lines)
    {
        return std::uint64_t{lines} << 32 | number;
    }
    static constexpr std::uint32_t number(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
    static constexpr std::uint32_t lines(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
};

struct alignas(kLine) BodyLine {
    std::byte bytes[kLine];
};

// Cells of a ring: 64, and fewer in jobs of more than 128 ranks, so that the rings of a rank take about 512 KiB (from 1024
// ranks on, 8 cells: the square of the ranks times 512 bytes for the job).
constexpr std::uint32_t envelope_cells(int ranks)
{
    return std::clamp(std::bit_floor(8192u / static_cast<std::uint32_t>(ranks)), 8u, 64u);
}

}  // namespace fmpl
