// The clock of statistics and traces.
#include "crossbar/cycle_clock.hpp"

#include <gtest/gtest.h>

namespace {

using namespace fmpl;

TEST(CycleClock, AgreesWithTheMonotonicOne)
{
    for (const ClockKind kind : {ClockKind::monotonic, best_clock()}) {
        const ClockReading begin = read_both_clocks(kind);
        ClockReading end = begin;
        while (end.ns - begin.ns < 20'000'000) end = read_both_clocks(kind);
        const ClockScale scale(kind, begin, end);
        EXPECT_NEAR(scale.ns_since_begin(end.ticks), static_cast<double>(end.ns - begin.ns), 1.0);
        EXPECT_EQ(scale.ns_since_begin(begin.ticks), 0);
        EXPECT_LT(scale.ns_since_begin(begin.ticks - 1), 0);
    }
}

}  // namespace
