// RootSuccession: who broadcasts next is who did after the same root last time.
#include "coll/root_succession.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using fmpl::RootSuccession;

constexpr int kMembers = 4;
const std::vector<char> kFirstTwo = {1, 1, 0, 0};
const std::vector<char> kLastTwo = {0, 0, 1, 1};

// Of the two marked, the one that is to be root next; -1: nobody knows.
int next_of(const RootSuccession& succession, const std::vector<char>& is_mate)
{
    for (int rank = 0; rank < kMembers; ++rank) {
        if (is_mate[static_cast<std::size_t>(rank)] != 0 && succession.is_next(rank, is_mate)) return rank;
    }
    return -1;
}

TEST(RootSuccession, RootsInTurnAreKnownFromTheSecondTurnOn)
{
    RootSuccession succession;
    for (int root = 0; root < kMembers; ++root) {
        succession.begins(root, kMembers);
        EXPECT_EQ(next_of(succession, root < 2 ? kLastTwo : kFirstTwo), -1);
    }
    const int next_of_first[] = {0, 1, 0, 0};
    const int next_of_last[] = {2, 2, 2, 3};
    for (int i = 0; i < 3 * kMembers; ++i) {
        const int root = i % kMembers;
        succession.begins(root, kMembers);
        EXPECT_EQ(next_of(succession, kFirstTwo), next_of_first[root]) << "root " << root;
        EXPECT_EQ(next_of(succession, kLastTwo), next_of_last[root]) << "root " << root;
    }
}

TEST(RootSuccession, WhoNeverFollowsIsNotExpected)
{
    RootSuccession succession;
    EXPECT_EQ(next_of(succession, kFirstTwo), -1);
    for (int i = 0; i < 5; ++i) succession.begins(2, kMembers);
    EXPECT_EQ(next_of(succession, kFirstTwo), -1);  // the same root again and again, on the other CPU
    EXPECT_EQ(next_of(succession, kLastTwo), 2);
}

// Then nobody keeps a CPU for a turn that does not come.
TEST(RootSuccession, ARootThatStaysHasNoOtherAfterIt)
{
    RootSuccession succession;
    for (int i = 0; i < 8; ++i) succession.begins(i % kMembers, kMembers);
    for (int i = 0; i < 3; ++i) succession.begins(0, kMembers);  // a few in a row
    EXPECT_EQ(next_of(succession, kLastTwo), 2);
    for (int i = 0; i < 3; ++i) succession.begins(0, kMembers);
    EXPECT_EQ(next_of(succession, kLastTwo), -1);
    EXPECT_EQ(next_of(succession, kFirstTwo), 0);
    for (int i = 1; i < 6; ++i) succession.begins(i % kMembers, kMembers);
    EXPECT_EQ(next_of(succession, kLastTwo), 2);  // the turns are known again
}

TEST(RootSuccession, ANewOrderIsLearnt)
{
    RootSuccession succession;
    for (int i = 0; i < 8; ++i) succession.begins(i % kMembers, kMembers);
    for (const int root : {2, 0, 3, 1, 2, 0, 3, 1}) succession.begins(root, kMembers);
    succession.begins(2, kMembers);
    EXPECT_EQ(next_of(succession, kFirstTwo), 0);
    succession.begins(0, kMembers);
    EXPECT_EQ(next_of(succession, kLastTwo), 3);
}

TEST(RootSuccession, TheTurnIsThatOfTheMatesFromTheFirstOn)
{
    const std::vector<char> mates = {1, 0, 1, 1};
    const int places[] = {0, -1, 2, 1};  // roots: 0 1 3 2
    for (const int rank : {0, 2, 3}) {
        RootSuccession succession;
        const auto place = [&] { return succession.turn(rank, 0, 3, mates).place; };
        for (const int root : {3, 2, 0, 1}) succession.begins(root, kMembers);
        for (const int root : {3, 2, 0, 1}) {
            EXPECT_EQ(place(), -1);  // nobody has been root twice
            succession.begins(root, kMembers);
        }
        succession.begins(3, kMembers);
        EXPECT_EQ(place(), places[rank]);
        EXPECT_EQ(succession.turn(rank, 0, 3, mates).places, 3);
        for (const int root : {0, 2, 1, 3, 0, 2}) succession.begins(root, kMembers);  // another order: 0 2 1 3
        EXPECT_EQ(place(), -1);
        for (const int root : {1, 3, 0, 2}) succession.begins(root, kMembers);
        EXPECT_EQ(place(), rank == 0 ? 0 : rank - 1);
    }
}

TEST(RootSuccession, ARootThatComesTwiceInARowKeepsItsTurn)
{
    RootSuccession succession;
    for (int i = 0; i < 24; ++i) succession.begins(i / 2 % kMembers, kMembers);
    EXPECT_EQ(succession.turn(1, 0, 2, kFirstTwo).place, 1);
    EXPECT_EQ(next_of(succession, kFirstTwo), 0);
}

TEST(RootSuccession, ThereIsNoTurnWhereAMateIsNeverRoot)
{
    RootSuccession succession;
    for (int i = 0; i < 9; ++i) succession.begins(i % 3, kMembers);
    EXPECT_EQ(succession.turn(1, 0, 3, {1, 1, 0, 1}).place, -1);
    RootSuccession of_others;
    for (int i = 0; i < 9; ++i) of_others.begins(i % 3, kMembers);
    EXPECT_EQ(of_others.turn(1, 0, 2, kFirstTwo).place, 1);
}

}  // namespace
