// Sums up the time of many intervals, at some 20 ns each.
#pragma once

#include <chrono>

namespace fmpl::npb {

class Stopwatch {
public:
    // One interval: from its making to its end. Intervals within an interval do not count twice.
    class Interval {
    public:
        explicit Interval(Stopwatch& watch) : watch_(watch)
        {
            if (watch_.depth_++ == 0) watch_.start_ = Clock::now();
        }
        ~Interval()
        {
            if (--watch_.depth_ == 0) watch_.total_ += Clock::now() - watch_.start_;
        }
        Interval(const Interval&) = delete;
        Interval& operator=(const Interval&) = delete;

    private:
        Stopwatch& watch_;
    };

    double seconds() const { return std::chrono::duration<double>(total_).count(); }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_;
    Clock::duration total_{};
    int depth_ = 0;
};

}  // namespace fmpl::npb
