// Finds out that the ranks of a job are deadlocked: all that are left sleep, each until another rank rings its doorbell, and
// nobody is there who could.
//
// A verdict is a proof, however loaded the machine is and even if processes are stopped; docs/memory_layout.md has the
// argument. There is none while a rank has not called fmpl_init, computes, waits with a deadline or for something outside of
// the job, or has been rung and is not awake yet; nor where the kernel has no membarrier, since no sleep is unbounded there.
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
    // A deadlock is told when it has stood for so long. It is one from the first look on; but whoever starts a job and ends it
    // at once, by an interrupt or a time-out, is not to be forestalled, and a signal handler of the program's may yet end it.
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
