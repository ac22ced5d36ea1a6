// Finds out that the ranks of a job are deadlocked: all that are left sleep, each until another rank rings its
// doorbell, and nobody is there who could.
//
// A verdict is a proof, however loaded the machine is and even if processes are stopped. There is none while a rank
// has not called fmpl_init, computes, waits with a deadline or for something outside of the job, or has been rung and
// is not awake yet; nor where the kernel has no membarrier, since no sleep is unbounded there.
//
// A rank publishes NodeRecord::sleep after the last look at what it waits for, before futex_wait, and clears it when
// that returns; but only if nothing but a ring ends the sleep: not with a deadline, not in a bounded sleep, as each is
// in the first second of a wait, and not when the layer above says that something outside of the job may end it
// (from_outside of fmpl_wait_words: in the MPI shim, a generalized request that is not complete).
//
// A look has two passes. The first reads `state` and then `sleep` of each rank: every rank must have left
// (`finalized`, or its process was reaped) or be `ready` with a `sleep`. The second reads doorbells and `sleep`
// again: each doorbell must be what its rank sleeps on, and `sleep` unchanged. *Then no rank ever leaves the sleep
// that was read.* Suppose that rings end some of these sleeps; take the first that is ended, rank i's, and the rank k
// that rings. A rank rings only while it is awake, and k has not been woken out of its own sleep before, so the ring
// comes before that sleep in k's program (or before k's end). The release of `sleep` (of `state`; the end of the
// process) and the acquire of the first pass make the second pass see the ring. If it came after i had read the value
// to sleep on, the second pass finds a doorbell that differs, and there was no verdict. If it came before, it does
// not end the sleep. A stopped rank is asleep or is not, and one that was rung and does not run yet has a doorbell
// that differs.
//
// Nothing is overlooked that would make the wait of rank i true: whoever writes such a flag then calls
// Crossbar::wake, but for what a layer sends quietly, on which no wait of its depends. By the protocol of
// crossbar/waiter.hpp, either the last look of i has seen the flag, and i does not sleep, or the doorbell is rung
// after i has read the value to sleep on. The same holds for a layer's condition that leaves nothing undone that it
// can do (fmpl_wait_until), for a look that takes envelopes (fmpl_envelopes_wait), and for a transfer that the last
// look has moved: the rank rings itself (Node::return_ring).
//
// A signal handler of the program's runs within the sleep, and may not call FMPL but for fmpl_abort, which rings all
// doorbells. After it the rank may look again and sleeps with the next number. It may also end the process, or leave
// the call, which nobody can foresee: so a deadlock is told only when the same sleeps have stood for three seconds.
#pragma once

#include "crossbar/control_block.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace fmpl {

class DeadlockWatch {
public:
    using Clock = std::chrono::steady_clock;

    // Between two looks. A look ends at the first rank that does not sleep.
    static constexpr std::chrono::seconds kBetweenLooks{1};
    // A deadlock is told when it has stood for so long. It is one from the first look on; but whoever starts a job
    // and ends it at once, by an interrupt or a time-out, is not to be forestalled, and a signal handler of the
    // program's may yet end it.
    static constexpr std::chrono::seconds kStands{3};

    DeadlockWatch(const ControlBlock& control, Clock::time_point now)
        : control_(control),
          next_look_(now + kBetweenLooks)
    {
    }

    Clock::time_point next_look() const { return next_look_; }

    // Looks if it is time to. gone[r]: the process of rank r has ended. True once for each deadlock.
    bool look(const std::vector<bool>& gone, Clock::time_point now);

private:
    // The sleeps of all ranks, 0 for those that have left, if nobody can ever end them.
    std::optional<std::vector<std::uint64_t>> sleeps(const std::vector<bool>& gone) const;

    const ControlBlock& control_;
    Clock::time_point next_look_;
    std::optional<std::vector<std::uint64_t>> standing_;  // what the last look found
    Clock::time_point since_;                             // when it was first found
    bool told_ = false;
};

}  // namespace fmpl
