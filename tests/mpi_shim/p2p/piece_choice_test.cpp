// Which long messages are asked for in pieces, by how fast those before were read and whether their source answered.
#include "p2p/piece_choice.hpp"

#include <gtest/gtest.h>

namespace {

using fmpl::mpi::PieceChoice;

constexpr int kSource = 1;
constexpr std::uint64_t kBytes = 1'000'000;
constexpr std::uint64_t kRate = 4;      // bytes a nanosecond
constexpr double kFast = kBytes / 5e9;  // seconds
constexpr double kSlow = kBytes / 3.9e9;

void read(PieceChoice& choice, int times, double seconds)
{
    for (int i = 0; i < times; ++i) choice.was_read(kSource, kBytes, seconds);
}

TEST(PieceChoice, OnlySeveralSlowReadsInARowTellOfLongOnes)
{
    PieceChoice choice(3, kRate);
    EXPECT_TRUE(choice.prefers_pieces(kSource, true));
    EXPECT_FALSE(choice.prefers_pieces(kSource, false));
    read(choice, PieceChoice::kMany - 1, kSlow);
    EXPECT_FALSE(choice.prefers_pieces(kSource, false));
    read(choice, 1, kFast);
    read(choice, PieceChoice::kWeightOfFast, kSlow);
    EXPECT_FALSE(choice.prefers_pieces(kSource, false));
    read(choice, 1, kSlow);
    EXPECT_TRUE(choice.prefers_pieces(kSource, false));
    EXPECT_FALSE(choice.prefers_pieces(0, false));
    EXPECT_FALSE(choice.prefers_pieces(2, false));
}

TEST(PieceChoice, OneOfManyIsStillReadToSee)
{
    PieceChoice choice(2, kRate);
    read(choice, 100, kSlow);
    std::uint32_t not_in_pieces = 0;
    for (std::uint32_t i = 0; i < 4 * PieceChoice::kOneReadOf; ++i)
        not_in_pieces += choice.prefers_pieces(kSource, false) ? 0 : 1;
    EXPECT_EQ(not_in_pieces, 4u);
    read(choice, 1, kFast);
    EXPECT_TRUE(choice.prefers_pieces(kSource, false)) << "a fast one among slow ones";
    read(choice, PieceChoice::kMany / PieceChoice::kWeightOfFast, kFast);
    EXPECT_FALSE(choice.prefers_pieces(kSource, false));
}

TEST(PieceChoice, ARateOfNothingIsNeverSlow)
{
    PieceChoice choice(2, 0);
    for (int i = 0; i < 100; ++i) choice.was_read(kSource, 1, 1);
    EXPECT_FALSE(choice.prefers_pieces(kSource, false));
}

// How many messages are not asked for before the next one that is.
int unasked(PieceChoice& choice)
{
    int number = 0;
    while (!choice.prefers_pieces(kSource, true)) ++number;
    return number;
}

TEST(PieceChoice, ASourceThatDoesNotAnswerIsAskedSeldom)
{
    PieceChoice choice(2, kRate);
    for (const int expected : {1, 3, 7, 15, 31, 63, 63}) {
        choice.was_not_answered(kSource);
        EXPECT_EQ(unasked(choice), expected);
    }
    choice.was_answered(kSource);
    EXPECT_EQ(unasked(choice), 0);
    choice.was_not_answered(kSource);
    EXPECT_EQ(unasked(choice), 1);
}

}  // namespace
