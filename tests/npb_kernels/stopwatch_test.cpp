// The time of many intervals.
#include "common/stopwatch.hpp"

#include "support/ranks_test.hpp"

#include <chrono>

namespace {

using fmpl::npb::Stopwatch;
using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end)
{
    return std::chrono::duration<double>(end - begin).count();
}

// Until the clock has moved.
void pass_time()
{
    for (const auto begin = Clock::now(); Clock::now() - begin < std::chrono::microseconds(50);) {
    }
}

TEST(Stopwatch, AddsUpIntervalsAndNothingBetweenThem)
{
    Stopwatch watch;
    double most = 0, least = 0;
    for (int turn = 0; turn < 5; ++turn) {
        const auto before = Clock::now();
        {
            const Stopwatch::Interval interval(watch);
            const auto begin = Clock::now();
            pass_time();
            least += seconds_between(begin, Clock::now());
        }
        most += seconds_between(before, Clock::now());
        pass_time();
    }
    EXPECT_GE(watch.seconds(), least);
    EXPECT_LE(watch.seconds(), most);
}

TEST(Stopwatch, CountsAnIntervalWithinAnotherOnce)
{
    Stopwatch watch;
    const auto before = Clock::now();
    {
        const Stopwatch::Interval outer(watch);
        for (int turn = 0; turn < 5; ++turn) {
            const Stopwatch::Interval inner(watch);
            pass_time();
        }
    }
    EXPECT_LE(watch.seconds(), seconds_between(before, Clock::now()));
    EXPECT_GE(watch.seconds(), 5 * 50e-6);
}

}  // namespace
