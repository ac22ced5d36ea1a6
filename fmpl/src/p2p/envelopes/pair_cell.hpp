// The pair cell: one line in which two mapped ranks answer each other.
//
// The answer also tells that the question has been taken, and all that was sent before it: their bodies' lines may be
// written again. (The handler that answers is through with the body it got.)
//
// A core that takes a line to read it owns it, so that an answer written there costs one passage between cores, one
// into the ring two (docs/decisions/0001-one-line-for-both-directions.md).
//
// Invariants
//   5. The higher rank writes the pair cell first, so that who polls it at first has it at hand; then each writes it
//      only when it has taken what the other wrote there. So it has one writer at a time, and needs no credit. Both
//      know whose turn it is without a look at shared memory. Without the turn an envelope goes into the ring, as
//      does one of fmpl_envelope_send_quietly, and one whose body comes in steps.
//   6. A destination looks into the ring first, into the pair cell only while it is the source's turn, and takes what
//      carries the number that it awaits; so the order is that of the numbers.
//
// An envelope there is a *question*, whose answer comes in the same cell. A look at the cell takes it from the core
// that is about to answer, so nobody looks before an answer can be there: answer_pause.hpp.
#pragma once

#include "crossbar/cycle_clock.hpp"
#include "p2p/envelopes/answer_pause.hpp"
#include "p2p/envelopes/cell.hpp"
#include "p2p/node.hpp"

#include <utility>

namespace fmpl {

// What a rank keeps of a question to another one.
struct AwaitedAnswer {
    EnvelopeCell* cell;        // when it is the other's turn to write it, else nullptr
    std::uint64_t asked_at;    // when this rank wrote it, by the cycle counter; 0: it lent a body there
    std::uint64_t waited = 0;  // cycles from then to the last look at it
};

// A rank's turns at all its pair cells. `turn`: the cell while it is this rank's turn to write it, else nullptr.
class PairCells {
public:
    explicit PairCells(const WaitingPolicy& policy) : pause_(policy.answer_cycles, policy.answer_is_fixed) {}

    // This rank writes the cell now: the next turn is the other's.
    void end_turn(EnvelopeCell*& turn, AwaitedAnswer& answer)
    {
        answer.cell = std::exchange(turn, nullptr);
        last_asked_ = &answer;
    }
    // This rank has taken what the other one wrote there.
    void begin_turn(EnvelopeCell*& turn, AwaitedAnswer& answer)
    {
        if (answer.asked_at != 0) pause_.learn(answer.waited);  // else nothing was asked for
        turn = std::exchange(answer.cell, nullptr);
    }

    // What this rank has written is a question.
    void ask(AwaitedAnswer& answer) const
    {
        if (pause_.is_used()) answer.asked_at = read_clock(ClockKind::cycles);
    }
    // Whether no answer can be there yet. Of two cores' counters that differ, at worst a look comes too early or, for
    // so long, not at all.
    bool is_too_early(AwaitedAnswer& answer) const
    {
        if (!pause_.is_used()) return false;
        answer.waited = read_clock(ClockKind::cycles) - answer.asked_at;
        return answer.waited < pause_.cycles();
    }
    // The same for a look that takes what is there, and leaves nothing out, but in a wait, and not before a sleep.
    bool is_too_early(AwaitedAnswer& answer, const Node& node) const
    {
        return is_too_early(answer) && node.in_layers_wait && !node.waiter.is_last_look();
    }
    // Whether it became the other's turn last of all.
    bool is_last_asked(const AwaitedAnswer& answer) const { return &answer == last_asked_; }

    void forget() { last_asked_ = nullptr; }

private:
    AnswerPause pause_;
    const AwaitedAnswer* last_asked_ = nullptr;
};

}  // namespace fmpl
