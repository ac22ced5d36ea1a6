// The cell of an envelope: the layer's own bytes, where its body is, and the stamp that announces both. Cells lie in
// rings (ring.hpp), and one for each pair of ranks apart (pair_cell.hpp).
//
// Invariants
//   1. Envelope n of an ordered pair, from 1, is in the pair cell or in cell n mod cells of the ring. A cell holds only
//      numbers that it has held or will hold once, so no stale stamp is ever awaited.
//   2. The stamp lies at a fixed place in lines that hold no bodies, so that no payload is ever taken for one.
#pragma once

#include "crossbar/control_block.hpp"

#include <fmpl/envelopes.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fmpl {

// The envelope's number, who has written it (so that the two of a pair cell are never taken for each other), and what
// has become of its body. Of one that comes in steps the highest bits say how many of them are there, until it is
// whole.
struct EnvelopeStamp {
    static constexpr std::uint64_t kLent = 2;
    static constexpr std::uint64_t kReturned = 4;  // by the destination
    static constexpr int kStepsShift = 56;
    static constexpr std::uint64_t kMostSteps = 255;

    // As the destination awaits it, lent or not.
    static constexpr std::uint64_t make(std::uint64_t number, int source, int destination)
    {
        return number << 3 | (source > destination ? 1u : 0u);
    }
    static constexpr bool is(std::uint64_t stamp, std::uint64_t awaited)
    {
        return (stamp & ~(kLent | kMostSteps << kStepsShift)) == awaited;
    }
    static constexpr bool is_lent(std::uint64_t stamp) { return (stamp & kLent) != 0; }
    static constexpr std::uint64_t with_steps(std::uint64_t stamp, std::uint64_t steps)
    {
        return stamp | steps << kStepsShift;
    }
    // 0: the body is whole.
    static constexpr std::uint64_t steps(std::uint64_t stamp) { return stamp >> kStepsShift; }
};

// Writer: the source, in the pair cell in its turn. Ordering: plain, under `stamp`; again after a credit or answer.
struct alignas(kLine) EnvelopeCell {
    // An EnvelopeStamp. Writer: likewise; of a lent body the destination.
    // Ordering: release, after the rest; acquire in holds(), ComingBody, Loan.
    std::atomic<std::uint64_t> stamp;
    std::uint32_t body_at;  // the line where the body begins; of a lent one, with body_bytes, a LentBody
    std::uint32_t body_bytes;
    std::uint8_t head[FMPL_ENVELOPE_HEAD];

    void write(std::uint32_t at, std::uint32_t bytes, const void* from, std::uint64_t number)
    {
        body_at = at;
        body_bytes = bytes;
        std::memcpy(head, from, sizeof head);
        stamp.store(number, std::memory_order_release);  // pairs with holds()
    }
    // Whether the envelope that the destination awaits is here. acquire: pairs with write(),
    // OutgoingRing::write_remotely()
    bool holds(std::uint64_t awaited) const
    {
        return EnvelopeStamp::is(stamp.load(std::memory_order_acquire), awaited);
    }
};
static_assert(sizeof(EnvelopeCell) == kLine && offsetof(EnvelopeCell, head) == 16);

// As the handler gets it.
struct EnvelopeBody {
    const void* data;
    std::size_t bytes;
};

}  // namespace fmpl
