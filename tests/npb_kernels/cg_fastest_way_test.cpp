#include "cg/fastest_way.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace {

using fmpl::npb::cg::FastestWay;

TEST(CgFastestWay, IsKeptToAfterAllWereTriedInTurn)
{
    using namespace std::chrono_literals;
    const std::vector<std::chrono::microseconds> times{3000us, 0us, 2000us};
    FastestWay ways(times.size());

    for (std::size_t trial = 0; trial < FastestWay::kRounds * times.size(); ++trial) {
        const std::size_t way = ways.begin();
        ASSERT_EQ(way, trial % times.size());
        std::this_thread::sleep_for(times[way]);
        ways.end();
    }
    for (int work = 0; work < 4; ++work) {
        EXPECT_EQ(ways.begin(), 1u);
        ways.end();
    }
}

// A disturbance makes a time longer; the shortest one counts.
TEST(CgFastestWay, IsFoundAmongDisturbances)
{
    using namespace std::chrono_literals;
    FastestWay ways(2);
    for (std::size_t trial = 0; trial < FastestWay::kRounds * 2; ++trial) {
        const bool is_disturbed = trial != 5;
        if (ways.begin() == 0) {
            std::this_thread::sleep_for(1ms);
        } else if (is_disturbed) {
            std::this_thread::sleep_for(5ms);
        }
        ways.end();
    }
    EXPECT_EQ(ways.begin(), 1u);
}

TEST(CgFastestWay, OfOneIsThatOne)
{
    FastestWay ways(1);
    for (std::size_t work = 0; work < FastestWay::kRounds + 2; ++work) {
        EXPECT_EQ(ways.begin(), 0u);
        ways.end();
    }
}

}  // namespace
