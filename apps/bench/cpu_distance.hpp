// How far apart the CPUs of two ranks are while something is timed. The host of a virtual machine may move its CPUs
// from cores that share a cache to cores that do not, and back, several times a second; what is compared should have
// been timed at one distance.
#pragma once

#include "job.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace fmpl::bench {

class CpuDistance {
public:
    // nearer_than_ns: that a cache line may take from rank 0 to rank 1 and back; 0: whatever it takes. Nothing is
    // looked at either where the job has another number of ranks, or they share a CPU, or cannot share memory.
    // Collective over the job.
    CpuDistance(const Job& job, double nearer_than_ns);
    ~CpuDistance();
    CpuDistance(const CpuDistance&) = delete;
    CpuDistance& operator=(const CpuDistance&) = delete;

    bool is_watched() const { return line_ != nullptr; }

    // Calls batch(), which returns its seconds, until the CPUs were near before it and after it; returns the seconds of
    // the last one. When three seconds in all have been waited for that, each batch counts. Collective over the job.
    template <class TimedBatch>
    double near(const TimedBatch& batch)
    {
        if (!is_watched()) return batch();
        for (;;) {
            const Clock::time_point begin = Clock::now();
            const bool near_before = becomes_near();
            const Clock::time_point batch_begin = Clock::now();
            const double seconds = batch();
            const bool counts = near_before && is_near();
            // Its time is not lost when it counts.
            waited_ += (counts ? batch_begin : Clock::now()) - begin;
            if (counts) return seconds;
            if (is_patience_over(Clock::duration::zero())) {
                ++farther_;
                return seconds;
            }
        }
    }
    // Batches that count though the CPUs were not near.
    int farther() const { return farther_; }
    // What waiting for near CPUs has taken, with the batches that do not count.
    double waited_seconds() const { return std::chrono::duration<double>(waited_).count(); }

private:
    using Clock = std::chrono::steady_clock;

    struct Line {
        alignas(128) std::atomic<std::uint64_t> turn;
    };

    bool is_near();                                // collective, as are the next two
    bool becomes_near();                           // within what is left of the patience
    bool is_patience_over(Clock::duration spent);  // beside what has been waited before

    double nearer_than_ns_;
    std::uint64_t own_turn_;
    Line* line_ = nullptr;
    Clock::duration waited_{};
    int farther_ = 0;
};

}  // namespace fmpl::bench
