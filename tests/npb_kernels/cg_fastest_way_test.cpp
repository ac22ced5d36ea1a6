#include "cg/fastest_way.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace {

using namespace std::chrono_literals;

// Goes on when it is told to.
struct ToldClock {
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<ToldClock, duration>;
    static time_point now() { return time_point(told); }
    static inline duration told{};
};
using FastestWay = fmpl::npb::cg::FastestWay<ToldClock>;

// Does work that takes so long.
std::size_t work(FastestWay& ways, const auto& time_of)
{
    const std::size_t way = ways.begin();
    ToldClock::told += time_of(way);
    ways.end();
    return way;
}

TEST(CgFastestWay, IsKeptToAfterAllWereTriedInTurn)
{
    const std::vector<ToldClock::duration> times{3us, 1us, 2us};
    FastestWay ways(times.size());
    for (std::size_t trial = 0; trial < FastestWay::kRounds * times.size(); ++trial) {
        ASSERT_EQ(work(ways, [&](std::size_t way) { return times[way]; }), trial % times.size());
    }
    // What it takes from then on does not matter.
    for (int later = 0; later < 4; ++later) EXPECT_EQ(work(ways, [](std::size_t) { return 9us; }), 1u);
}

// The shortest time of each way counts, in whichever round it was: a disturbance makes a time longer.
TEST(CgFastestWay, IsFoundAmongDisturbances)
{
    for (std::size_t round = 0; round < FastestWay::kRounds; ++round) {
        FastestWay ways(2);
        for (std::size_t trial = 0; trial < FastestWay::kRounds * 2; ++trial) {
            work(ways, [&](std::size_t way) { return way == 0 ? 5us : trial / 2 == round ? 4us : 50us; });
        }
        EXPECT_EQ(ways.begin(), 1u) << "undisturbed in round " << round;
    }
}

}  // namespace
