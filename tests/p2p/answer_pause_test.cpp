// AnswerPause: it finds the pause after which answers come soonest, whatever that depends on, and looks again later.
#include "p2p/answer_pause.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace {

using fmpl::AnswerPause;

constexpr std::uint64_t kLongest = 300;
constexpr std::uint32_t kLearning = AnswerPause::kTrial * AnswerPause::kCandidates;

// Answers that take so many cycles after a pause of nothing, half of the longest, the longest.
using Times = std::array<std::uint64_t, AnswerPause::kCandidates>;

void answer(AnswerPause& pause, const Times& times, std::uint32_t answers)
{
    for (std::uint32_t i = 0; i < answers; ++i) pause.learn(times[pause.cycles() * 2 / kLongest]);
}

TEST(AnswerPause, TheBestOfAllIsUsed)
{
    const Times of_machines[] = {{393, 353, 428}, {450, 440, 380}, {260, 300, 310}};
    for (std::size_t best : {1u, 2u, 0u}) {
        AnswerPause pause(kLongest, false);
        EXPECT_TRUE(pause.is_used());
        const Times& times = of_machines[best == 1 ? 0 : best == 2 ? 1 : 2];
        answer(pause, times, kLearning);
        EXPECT_EQ(pause.cycles(), kLongest * best / 2);
        answer(pause, times, AnswerPause::kUse - 1);
        EXPECT_EQ(pause.cycles(), kLongest * best / 2);
    }
}

TEST(AnswerPause, AllAreTriedAgainAndAnotherMayBeTheBestThen)
{
    AnswerPause pause(kLongest, false);
    answer(pause, {393, 353, 428}, kLearning + AnswerPause::kUse);
    std::set<std::uint64_t> tried;
    for (std::uint32_t i = 0; i < kLearning; ++i) {
        tried.insert(pause.cycles());
        answer(pause, {450, 440, 380}, 1);
    }
    EXPECT_EQ(tried, (std::set<std::uint64_t>{0, kLongest / 2, kLongest}));
    EXPECT_EQ(pause.cycles(), kLongest);
}

// A rank that was doing something else, once in a while, is no reason for another pause.
TEST(AnswerPause, AFewLateAnswersChangeNothing)
{
    AnswerPause pause(kLongest, false);
    for (std::uint32_t i = 0; i < kLearning; ++i) {
        answer(pause, {393, 300, 428}, 1);
        if (i == AnswerPause::kTrial + 5) {
            pause.learn(1'000'000'000);
            ++i;
        }
    }
    EXPECT_EQ(pause.cycles(), kLongest / 2);
}

TEST(AnswerPause, AFixedOneStays)
{
    AnswerPause pause(kLongest, true);
    answer(pause, {100, 200, 428}, kLearning + 1);
    EXPECT_EQ(pause.cycles(), kLongest);
    AnswerPause none(0, false);
    EXPECT_FALSE(none.is_used());
    EXPECT_EQ(none.cycles(), 0u);
}

}  // namespace
