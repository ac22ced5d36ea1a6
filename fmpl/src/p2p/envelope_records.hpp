// The shared records of the envelopes (p2p/envelopes.hpp). docs/memory_layout.md has a table of their fields, made from
// the words Writer and Ordering here (tools/memory-layout).
//
// Of each ordered pair of ranks, at the destination: a ring of EnvelopeCells and a ring of body lines; at the source:
// an EnvelopeCredit. Of each pair of mapped ranks, at the lower one: the *pair cell*, which the two write in turn;
// and of each direction, at the destination, an EnvelopeClaim, which says who has a *lent* body: one that stays in
// the source's memory, and that the destination reads there. When it is through with it, it says so in the cell that
// announced it: the one store of a destination's to a cell of the ring. And at each destination an EnvelopeDoor a
// source, by which it knows at whose ring to look.
//
// All of it lies in a block of the rank's tables (p2p/table_memory.hpp), whose offset rank 0 gathers and tells all:
// for each other rank in their order doors, rings of cells with a line between two, credits, claims, pair cells (that
// of two ranks at the place (sum of their ranks) mod ranks), rings of body lines. What belongs to two ranks that
// never talk is never touched: the source of a pair's first envelope backs its rings at the destination, and opens
// its door.
//
// Invariants
//   1. Envelope n of an ordered pair, from 1, is in the pair cell or in cell n mod cells of the ring. A cell holds only
//      numbers that it has held or will hold once, so no stale stamp is ever awaited.
//   2. The stamp lies at a fixed place in lines that hold no bodies, so that no payload is ever taken for one.
//   3. The source writes a cell of the ring or a body line again only after a credit has shown that the destination is
//      through with it.
//   4. The higher rank writes the pair cell first, so that who polls it at first has it at hand; then each writes it
//      only when it has taken what the other wrote there. So it has one writer at a time, and needs no credit. Both
//      know whose turn it is without a look at shared memory. Without the turn an envelope goes into the ring, as
//      does one of fmpl_envelope_send_quietly.
//   5. A destination looks into the ring first, into the pair cell only while it is the source's turn, and takes what
//      carries the number that it awaits; so the order is that of the numbers.
//   6. The source of a lent body waits until the destination has returned it, or takes it back: who of the two first
//      raises the EnvelopeClaim to the envelope's number has it. What has been taken back is as if it had never been
//      sent.
//   7. A body is contiguous, begins at a line, and has at most a quarter of the ring. One that does not fit before the
//      end of its ring begins at the ring's start, and the lines skipped count as used: source and destination both see
//      that from where the body begins.
#pragma once

#include "crossbar/control_block.hpp"

#include <fmpl/envelopes.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace fmpl {

// Writer: the source, in the pair cell in its turn. Ordering: plain, under `stamp`; again after a credit or turn.
struct alignas(kLine) EnvelopeCell {
    // An EnvelopeStamp. Writer: likewise; of a lent body the destination.
    // Ordering: release, after the rest; acquire in Envelopes::arrived, Envelopes::lend_at.
    std::atomic<std::uint64_t> stamp;
    std::uint32_t body_at;  // the line where the body begins; of a lent one, with body_bytes, a LentBody
    std::uint32_t body_bytes;
    std::uint8_t head[FMPL_ENVELOPE_HEAD];
};
static_assert(sizeof(EnvelopeCell) == kLine && offsetof(EnvelopeCell, head) == 16);

// At the source. Writer: the destination.
struct alignas(kLine) EnvelopeCredit {
    // EnvelopeCount of what has been taken. Ordering: release, after the handlers; acquire in Envelopes::has_room.
    std::atomic<std::uint64_t> taken;
    std::uint8_t pad[kLine - 8];
};
static_assert(sizeof(EnvelopeCredit) == kLine);

// The envelope's number, who has written it (so that the two of a pair cell are never taken for each other), and what
// has become of its body.
struct EnvelopeStamp {
    static constexpr std::uint64_t kLent = 2;
    static constexpr std::uint64_t kReturned = 4;  // by the destination

    // As the destination awaits it, lent or not.
    static constexpr std::uint64_t make(std::uint64_t number, int source, int destination)
    {
        return number << 3 | (source > destination ? 1u : 0u);
    }
    static constexpr bool is(std::uint64_t stamp, std::uint64_t awaited) { return (stamp & ~kLent) == awaited; }
    static constexpr bool is_lent(std::uint64_t stamp) { return (stamp & kLent) != 0; }
};

// How a destination hears of its sources: where the destination counts, because ranks share CPUs and a look at each
// ring would cost more than what it finds, the number of the source's last envelope; else 1 with its first one, after
// which the destination looks at its ring by itself. Writer: the source.
struct EnvelopeDoor {
    // Ordering: release, after the envelope's `stamp`; acquire in Envelopes::poll, Envelopes::look_at_doors.
    std::atomic<std::uint64_t> word;
};
static_assert(sizeof(EnvelopeDoor) == 8);

constexpr std::size_t envelope_doors_bytes(int ranks)
{
    return (static_cast<std::size_t>(ranks) * sizeof(EnvelopeDoor) + kLine - 1) / kLine * kLine;
}

// Where a lent body lies, and its length, in one word.
struct LentBody {
    static constexpr int kAtBits = 48;
    static constexpr std::size_t kMostBytes = 65535;

    static constexpr bool fits(Offset at, std::size_t bytes) { return at >> kAtBits == 0 && bytes <= kMostBytes; }
    static constexpr std::uint64_t make(Offset at, std::size_t bytes) { return std::uint64_t{bytes} << kAtBits | at; }
    static constexpr Offset at(std::uint64_t word) { return word & ((Offset{1} << kAtBits) - 1); }
    static constexpr std::size_t bytes(std::uint64_t word) { return word >> kAtBits; }
};

// Writer: source and destination, by compare-exchange.
struct alignas(kLine) EnvelopeClaim {
    // Of the last lent body that has been claimed, by either side; it only grows. Who raises it to the envelope's
    // number has the body. The load before is relaxed: a destination that finds the number or a later one has nothing
    // to read. Ordering: acq_rel, in Envelopes::claim of both.
    std::atomic<std::uint64_t> number;
    std::uint8_t pad[kLine - 8];
};
static_assert(sizeof(EnvelopeClaim) == kLine);

// Number of an envelope and lines of bodies used up to it, both cut to 32 bits, in one word that is written whole.
struct EnvelopeCount {
    static constexpr std::uint64_t make(std::uint32_t number, std::uint32_t lines)
    {
        return std::uint64_t{lines} << 32 | number;
    }
    static constexpr std::uint32_t number(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
    static constexpr std::uint32_t lines(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
};

// Writer: the source. Ordering: plain, under the cell's `stamp`; again after a credit.
struct alignas(kLine) BodyLine {
    std::byte bytes[kLine];
};

// Cells of a ring: 64, and fewer in jobs of more than 128 ranks, of which all may talk: then the rings of a rank take
// about 512 KiB (from 1024 ranks on, 8 cells: the square of the ranks times 512 bytes for the job).
constexpr std::uint32_t envelope_cells(int ranks)
{
    return std::clamp(std::bit_floor(8192u / static_cast<std::uint32_t>(ranks)), 8u, 64u);
}

// The address space that a rank of a job takes for its envelopes, with rings of body_bytes: a line more than its own
// for each pair of its cells.
constexpr std::size_t envelope_block_bytes(int ranks, std::size_t body_bytes)
{
    const std::size_t others = static_cast<std::size_t>(ranks) - 1;
    const std::size_t cells = (envelope_cells(ranks) + 1) * sizeof(EnvelopeCell);
    return envelope_doors_bytes(ranks) +
           others * (cells + sizeof(EnvelopeCredit) + sizeof(EnvelopeClaim) + sizeof(EnvelopeCell) +
                        body_bytes / kLine * kLine) +
           sizeof(EnvelopeCell);
}

}  // namespace fmpl
