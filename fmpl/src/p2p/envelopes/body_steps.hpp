// A long body that comes in steps: its destination takes the first one while the source writes the next
// (docs/decisions/0056-long-bodies-in-steps.md).
//
// The stamp of the cell counts the steps that are there, until the body is whole. The source writes them all in one
// call and waits for nothing meanwhile, so its destination waits no longer than a copy takes.
#pragma once

#include "p2p/envelopes/cell.hpp"
#include "p2p/node.hpp"

#include <fmpl/envelope_steps.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace fmpl {

// Of a body of more than kBytes.
class BodySteps {
public:
    static constexpr std::size_t kBytes = FMPL_ENVELOPE_STEP;

    explicit BodySteps(std::size_t body_bytes)
        : body_bytes_(body_bytes),
          bytes_(std::max(kBytes, (body_bytes / EnvelopeStamp::kMostSteps / kLine + 1) * kLine))
    {
    }

    std::size_t count() const { return (body_bytes_ + bytes_ - 1) / bytes_; }
    // Of the step after the last one, the end.
    std::size_t begin_of(std::size_t step) const { return std::min(step * bytes_, body_bytes_); }

private:
    std::size_t body_bytes_;
    std::size_t bytes_;
};

// At the destination, while its handler has it.
struct ComingBody {
    const std::atomic<std::uint64_t>& stamp;
    BodySteps steps;

    std::size_t bytes_there() const
    {
        // acquire: pairs with Envelopes::send_in_steps
        const std::uint64_t there = EnvelopeStamp::steps(stamp.load(std::memory_order_acquire));
        return there == 0 ? std::numeric_limits<std::size_t>::max() : steps.begin_of(there);
    }
    // Waits until so many bytes are there; how many are. Throws Error(ABORTED): the source may have been killed.
    std::size_t await(const Node& node, std::size_t bytes) const;
    // Waits until all are; false: the job ends.
    bool is_whole(const Node& node) const;

    // The time in which a handler has it.
    class Shown {
    public:
        Shown(const ComingBody*& to, const ComingBody& body) : to_(to) { to_ = &body; }
        ~Shown() { to_ = nullptr; }
        Shown(const Shown&) = delete;
        Shown& operator=(const Shown&) = delete;

    private:
        const ComingBody*& to_;
    };
};

}  // namespace fmpl
