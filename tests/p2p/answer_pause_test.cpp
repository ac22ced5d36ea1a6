// AnswerPause: it finds the pause after which answers come soonest, whatever that depends on, and looks again later.
#include "p2p/envelopes/answer_pause.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace {

using fmpl::AnswerPause;

constexpr std::uint64_t kLongest = 300;
constexpr std::uint32_t kLearning = AnswerPause::kTrial * AnswerPause::kCandidates;

// Answers that take so many cycles after a pause of nothing, a quarter of the longest, a half, three quarters, the
// longest.
using Times = std::array<std::uint64_t, AnswerPause::kCandidates>;
constexpr std::uint64_t kSteps = AnswerPause::kCandidates - 1;

void answer(AnswerPause& pause, const Times& times, std::uint32_t answers)
{
    for (std::uint32_t i = 0; i < answers; ++i) pause.learn(times[pause.cycles() * kSteps / kLongest]);
}

TEST(AnswerPause, TheBestOfAllIsUsed)
{
    const Times of_machines[] = {{393, 353, 428, 460, 500}, {450, 440, 380, 400, 430}, {260, 300, 310, 330, 360},
        {600, 590, 560, 540, 550}, {700, 690, 690, 680, 600}};
    for (const Times& times : of_machines) {
        const auto best = static_cast<std::uint64_t>(std::min_element(times.begin(), times.end()) - times.begin());
        AnswerPause pause(kLongest, false);
        EXPECT_TRUE(pause.is_used());
        answer(pause, times, kLearning);
        EXPECT_EQ(pause.cycles(), kLongest * best / kSteps);
        answer(pause, times, AnswerPause::kUse - 1);
        EXPECT_EQ(pause.cycles(), kLongest * best / kSteps);
    }
}

TEST(AnswerPause, AllAreTriedAgainAndAnotherMayBeTheBestThen)
{
    AnswerPause pause(kLongest, false);
    answer(pause, {393, 353, 428, 460, 500}, kLearning + AnswerPause::kUse);
    std::set<std::uint64_t> tried;
    for (std::uint32_t i = 0; i < kLearning; ++i) {
        tried.insert(pause.cycles());
        answer(pause, {450, 440, 430, 420, 380}, 1);
    }
    EXPECT_EQ(tried, (std::set<std::uint64_t>{0, kLongest / 4, kLongest / 2, kLongest * 3 / 4, kLongest}));
    EXPECT_EQ(pause.cycles(), kLongest);
}

// A rank that was doing something else, once in a while, is no reason for another pause.
TEST(AnswerPause, AFewLateAnswersChangeNothing)
{
    AnswerPause pause(kLongest, false);
    for (std::uint32_t i = 0; i < kLearning; ++i) {
        answer(pause, {393, 350, 300, 400, 428}, 1);
        if (i == 2 * AnswerPause::kTrial + 5) {
            pause.learn(1'000'000'000);
            ++i;
        }
    }
    EXPECT_EQ(pause.cycles(), kLongest / 2);
}

TEST(AnswerPause, AFixedOneStays)
{
    AnswerPause pause(kLongest, true);
    answer(pause, {100, 200, 300, 400, 428}, kLearning + 1);
    EXPECT_EQ(pause.cycles(), kLongest);
    AnswerPause none(0, false);
    EXPECT_FALSE(none.is_used());
    EXPECT_EQ(none.cycles(), 0u);
}

}  // namespace
