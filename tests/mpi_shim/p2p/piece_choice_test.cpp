// Which messages are asked for in pieces, by whether their source has answered.
#include "p2p/piece_choice.hpp"

#include <gtest/gtest.h>

namespace {

using fmpl::mpi::PieceChoice;

constexpr int kSource = 1;

// How many messages are not asked for before the next one that is.
int unasked(PieceChoice& choice)
{
    int number = 0;
    while (!choice.prefers_pieces(kSource)) ++number;
    return number;
}

TEST(PieceChoice, ASourceThatDoesNotAnswerIsAskedSeldom)
{
    PieceChoice choice(3);
    EXPECT_EQ(unasked(choice), 0);
    for (const int expected : {1, 3, 7, 15, 31, 63, 63}) {
        choice.was_not_answered(kSource);
        EXPECT_TRUE(choice.prefers_pieces(0));
        EXPECT_TRUE(choice.prefers_pieces(2));
        EXPECT_EQ(unasked(choice), expected);
    }
    choice.was_answered(kSource);
    EXPECT_EQ(unasked(choice), 0);
    choice.was_not_answered(kSource);
    EXPECT_EQ(unasked(choice), 1);
}

TEST(PieceChoice, OfMessagesThatWaitedTogetherOneCounts)
{
    PieceChoice choice(2);
    for (int i = 0; i < 6; ++i) choice.was_not_answered(kSource);
    EXPECT_EQ(unasked(choice), 1);
}

}  // namespace
