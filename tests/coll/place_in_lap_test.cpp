// PlaceInLap: ranks that wait for one another come to run in the order in which they are needed, under a model of the
// kernel's scheduler in which each yield puts off a deadline by a slice.
#include "coll/place_in_lap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

// When a slice that a thread sets counts: where it yields next, or the time after, as in Linux 6.18, where a yield
// gives up the rest of the slice that has begun.
enum class SliceCounts { at_once, at_next_yield };

// Ranks of one CPU that do one step each in turn, and yield while it is not theirs. Times are in slices.
class Chain {
public:
    // turns: of each rank.
    Chain(const std::vector<int>& turns, SliceCounts counts, const std::vector<double>& deadlines)
        : counts_(counts),
          ranks_(turns.size()),
          lap_()
    {
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            ranks_[r].turn = turns[r];
            ranks_[r].deadline = deadlines[r];
            ranks_[r].next_deadline = deadlines[r] + 1;
        }
    }

    // The scheduler takes the next rank; whether it had its step to do.
    bool run_one()
    {
        const auto earliest = std::min_element(
            ranks_.begin(), ranks_.end(), [](const Rank& a, const Rank& b) { return a.deadline < b.deadline; });
        const int rank = static_cast<int>(earliest - ranks_.begin());
        const bool was_needed = step_ % size() == earliest->turn;
        step_ += was_needed ? 1 : 0;
        double slice = 1;
        const int halves = earliest->place.leaves(lap_, rank, {.place = earliest->turn, .places = size()});
        moves_ += halves != 0 ? 1 : 0;
        slice += halves / (2.0 * size());
        if (counts_ == SliceCounts::at_once) {
            earliest->deadline += slice;
        } else {
            earliest->deadline = earliest->next_deadline;
            earliest->next_deadline += slice;
        }
        return was_needed;
    }

    // In so many laps, of the times that a rank ran: how many were in vain.
    int in_vain(int laps)
    {
        int vain = 0;
        for (int i = 0; i < laps * size(); ++i) vain += run_one() ? 0 : 1;
        return vain;
    }

    void move(int rank, double slices)
    {
        ranks_[static_cast<std::size_t>(rank)].deadline += slices;
        ranks_[static_cast<std::size_t>(rank)].next_deadline += slices;
    }
    int size() const { return static_cast<int>(ranks_.size()); }
    int moves() const { return moves_; }

private:
    struct Rank {
        int turn = 0;
        double deadline = 0;
        double next_deadline = 0;
        fmpl::PlaceInLap place;
    };

    SliceCounts counts_;
    std::vector<Rank> ranks_;
    fmpl::CpuLap lap_;
    int step_ = 0;
    int moves_ = 0;
};

class PlaceInLap : public testing::TestWithParam<SliceCounts> {};

TEST_P(PlaceInLap, RanksComeToRunInTheOrderOfTheirSteps)
{
    for (const int ranks : {3, 4, 5, 8, 16, 32}) {
        for (unsigned seed = 0; seed < 50; ++seed) {
            SCOPED_TRACE(testing::Message() << ranks << " ranks, seed " << seed);
            std::mt19937 random(seed);
            std::uniform_real_distribution<double> somewhere(0, 1);
            std::vector<double> deadlines;
            // Spread evenly, or most of them close together.
            for (int r = 0; r < ranks; ++r) deadlines.push_back(std::pow(somewhere(random), seed % 2 == 0 ? 1 : 4));
            std::vector<int> turns(static_cast<std::size_t>(ranks));
            std::iota(turns.begin(), turns.end(), 0);
            std::shuffle(turns.begin(), turns.end(), random);
            Chain chain(turns, GetParam(), deadlines);
            chain.in_vain(30 * ranks);
            const int moves = chain.moves();
            EXPECT_EQ(chain.in_vain(20), 0);
            EXPECT_EQ(chain.moves(), moves);
        }
    }
}

TEST_P(PlaceInLap, WhoIsMovedByOthersComesBack)
{
    Chain chain({0, 1, 2, 3, 4, 5, 6, 7}, GetParam(), {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7});
    EXPECT_EQ(chain.in_vain(10), 0);
    int vain = 0;
    for (const double slices : {0.35, -0.25, 0.5}) {
        for (const int rank : {0, 3, 7}) {
            chain.move(rank, slices);
            vain += chain.in_vain(1000);
            EXPECT_EQ(chain.in_vain(20), 0) << "rank " << rank << " was moved by " << slices;
        }
    }
    EXPECT_GT(vain, 0);
}

// Somebody else moves a rank again and again: it does not answer each time.
TEST_P(PlaceInLap, MovesAreFew)
{
    Chain chain({0, 1, 2, 3}, GetParam(), {0, 0.25, 0.5, 0.75});
    constexpr int kTimes = 1000;
    constexpr int kLaps = 8;
    for (int i = 0; i < kTimes; ++i) {
        chain.move(2, 0.3);
        chain.in_vain(kLaps);
    }
    EXPECT_LT(chain.moves(), chain.size() * (8 + kTimes * kLaps / 64));
}

TEST(PlaceInLapCount, WhoIsCalledAgainHasNotLeft)
{
    fmpl::CpuLap lap{};
    fmpl::PlaceInLap first;
    fmpl::PlaceInLap second;
    const fmpl::Turn unknown;
    for (int i = 0; i < 3; ++i) first.leaves(lap, 0, unknown);
    EXPECT_EQ(lap.leaves.load(), 1u);
    second.leaves(lap, 5, unknown);
    first.leaves(lap, 0, unknown);
    EXPECT_EQ(lap.leaves.load(), 3u);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, PlaceInLap, testing::Values(SliceCounts::at_once, SliceCounts::at_next_yield), [](const auto& instance) {
        return std::string(instance.param == SliceCounts::at_once ? "at_once" : "at_next_yield");
    });

}  // namespace
