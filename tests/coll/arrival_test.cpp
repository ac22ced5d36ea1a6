// Who shares a CPU with whom, from the CPUs that the ranks of a job are bound to.
#include "coll/collectives.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace fmpl;

void expect_mates(const CpuMates& mates, int cpus, int first, int count, bool are_all)
{
    EXPECT_EQ(mates.cpus, cpus);
    EXPECT_EQ(mates.first, first);
    EXPECT_EQ(mates.count, count);
    EXPECT_EQ(mates.are_all, are_all);
}

TEST(CpuMatesOf, AJobWithSharesOfAllCpus)
{
    const std::vector<int> cpus = {4, 4, 9, 9, 9};
    const std::vector<int> all = {0, 1, 2, 3, 4};
    for (const int rank : {0, 1}) expect_mates(cpu_mates(cpus, all, rank), 2, 0, 2, true);
    for (const int rank : {2, 3, 4}) expect_mates(cpu_mates(cpus, all, rank), 2, 2, 3, true);
}

TEST(CpuMatesOf, PartOfAJobInAnOrderOfItsOwn)
{
    const std::vector<int> cpus = {4, 4, 9, 9, 9};
    const std::vector<int> members = {3, 1, 4, 0};
    expect_mates(cpu_mates(cpus, members, 0), 2, 0, 2, false);  // rank 2 of the job is on CPU 9, too
    expect_mates(cpu_mates(cpus, members, 2), 2, 0, 2, false);
    expect_mates(cpu_mates(cpus, members, 1), 2, 1, 2, true);
    expect_mates(cpu_mates(cpus, members, 3), 2, 1, 2, true);
}

TEST(CpuMatesOf, AllOnOneCpu)
{
    expect_mates(cpu_mates(std::vector<int>{7, 7, 7}, std::vector<int>{2, 0, 1}, 1), 1, 0, 3, true);
}

TEST(CpuMatesOf, CpusOfTheMembersAreNumbered)
{
    const std::vector<int> cpus = {9, 4, 9, 4, 7};
    const std::vector<int> expected = {0, 2, 1, 2, 0};
    for (const int rank : {0, 2, 4}) {
        EXPECT_EQ(cpu_mates(cpus, std::vector<int>{3, 0, 4, 2, 1}, rank).cpu_of_members, expected);
    }
}

// Nothing is to be gained, or not known.
TEST(CpuMatesOf, MembersThatArriveOneByOne)
{
    EXPECT_EQ(cpu_mates(std::vector<int>{0, 1, 2, 3}, std::vector<int>{0, 1, 2, 3}, 1).cpus, 0);
    EXPECT_EQ(cpu_mates(std::vector<int>{0, 0, 1, 1}, std::vector<int>{0, 2}, 1).cpus, 0);
    for (const int rank : {0, 1, 2}) {
        const CpuMates mates = cpu_mates(std::vector<int>{0, -1, 0}, std::vector<int>{0, 1, 2}, rank);
        expect_mates(mates, 0, 0, 1, false);
    }
    expect_mates(cpu_mates(std::vector<int>{0, -1, 0}, std::vector<int>{0, 2}, 1), 1, 0, 2, false);
}

}  // namespace
