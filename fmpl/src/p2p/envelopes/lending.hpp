// Lending: the source puts into the cell where the body lies in its own memory, and waits while the destination copies
// it from there.
//
// A destination that waits does so at once, and says so in the same cell, the one store of a destination's to a cell;
// where that is the pair cell, its answer goes there too: one passage and the copy, where a body in the ring takes a
// copy on each side, and lines that change cores twice. If nobody has claimed the body after about a microsecond, the
// source takes it back, and sends it otherwise (docs/decisions/0020-lent-bodies.md). That a source has the turn at the
// pair cell is what tells a question from a stream, whose source had better not wait.
//
// Invariant
//   7. The source of a lent body waits until the destination has returned it, or takes it back: who of the two first
//      raises the EnvelopeClaim to the envelope's number has it. What has been taken back is as if it had never been
//      sent.
#pragma once

#include "p2p/envelopes/cell.hpp"
#include "p2p/node.hpp"

namespace fmpl {

// Where a lent body lies, and its length, in one word.
struct LentBody {
    static constexpr int kAtBits = 48;
    static constexpr std::size_t kMostBytes = 65535;

    static constexpr bool fits(Offset at, std::size_t bytes) { return at >> kAtBits == 0 && bytes <= kMostBytes; }
    static constexpr std::uint64_t make(Offset at, std::size_t bytes) { return std::uint64_t{bytes} << kAtBits | at; }
    static constexpr Offset at(std::uint64_t word) { return word & ((Offset{1} << kAtBits) - 1); }
    static constexpr std::size_t bytes(std::uint64_t word) { return word >> kAtBits; }
};

// Of an ordered pair, at the destination. Writer: source and destination, by compare-exchange.
struct alignas(kLine) EnvelopeClaim {
    // Of the last lent body that has been claimed, by either side; it only grows. Who raises it to the envelope's
    // number has the body. The load before is relaxed: a destination that finds the number or a later one has nothing
    // to read. Ordering: acq_rel, in EnvelopeClaim::take of both.
    std::atomic<std::uint64_t> number;
    std::uint8_t pad[kLine - 8];

    // Whether this rank, and not the other one, has the lent body of envelope `wanted`. A destination may come to one
    // long after its source has taken it back, and later ones too.
    bool take(std::uint64_t wanted)
    {
        std::uint64_t last = number.load(std::memory_order_relaxed);
        // acquire and release: pair with each other on the two sides
        return last < wanted && number.compare_exchange_strong(last, wanted, std::memory_order_acq_rel);
    }
};
static_assert(sizeof(EnvelopeClaim) == kLine);

// A body that the source has lent, in the cell with the stamp.
class Loan {
public:
    Loan(EnvelopeCell& cell, std::uint64_t stamp) : cell_(&cell), stamp_(stamp) {}

    // Waits until the destination is through with the body: true; or takes it back when it does not look soon: false.
    // Throws Error(ABORTED).
    bool await_return(Node& node, EnvelopeClaim& claim, std::uint64_t number, int destination, std::size_t bytes) const;

private:
    // Returned, or answered. acquire: pairs with ~ReturnOfLoan() and EnvelopeCell::write(), since when the body may be
    // overwritten
    bool is_returned() const { return cell_->stamp.load(std::memory_order_acquire) != stamp_; }
    bool is_returned_soon() const;

    EnvelopeCell* cell_;
    std::uint64_t stamp_;
};

// At its end the destination says that its handler is through with a lent body, unless it has answered in the same
// cell.
struct ReturnOfLoan {
    const Crossbar& crossbar;
    EnvelopeCell& cell;
    EnvelopeCell* const* turn;  // at the pair cell, if that is the cell; nullptr: it lies in the ring
    std::uint64_t stamp;
    int source;
    ~ReturnOfLoan()
    {
        if (turn != nullptr && *turn != &cell) return;
        cell.stamp.store(
            stamp | EnvelopeStamp::kReturned, std::memory_order_release);  // pairs with Loan::is_returned()
        crossbar.wake(source);
    }
};

}  // namespace fmpl
