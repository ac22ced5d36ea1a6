// In which order a member takes the parts of a piece of work, and which it leaves to others.
#include "coll/nearest_first.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace fmpl;

std::vector<std::size_t> order(
    int member, const std::vector<int>& cpus, std::size_t parts, std::uint64_t taken_by_others, int members)
{
    std::vector<std::size_t> taken;
    std::uint64_t bits = taken_by_others;
    nearest_cpu_first(
        member, members, cpus, parts, [&] { return bits; },
        [&](std::size_t part) {
            if ((bits >> part & 1) != 0) return;
            bits |= std::uint64_t{1} << part;
            taken.push_back(part);
        });
    return taken;
}

using Parts = std::vector<std::size_t>;

TEST(NearestFirst, EachWithACpuGoesFromItsOwnPartToTheNearest)
{
    EXPECT_EQ(order(1, {}, 4, 0, 4), (Parts{1, 0, 2, 3}));
    EXPECT_EQ(order(3, {}, 4, 0, 4), (Parts{3, 2, 1, 0}));
    EXPECT_EQ(order(0, {}, 2, 0b10, 4), (Parts{0}));
}

TEST(NearestFirst, ThePartsOfACpuComeBeforeThoseOfOthers)
{
    const std::vector<int> cpus = {0, 0, 1, 1};
    EXPECT_EQ(order(2, cpus, 4, 0, 4), (Parts{2, 3, 1, 0}));
    EXPECT_EQ(order(1, cpus, 4, 0, 4), (Parts{1, 0, 2, 3}));
    EXPECT_EQ(order(2, {0, 1, 0, 1}, 4, 0, 4), (Parts{2, 0, 1, 3}));
}

TEST(NearestFirst, WhereSomebodyHasBegunThePartsOfThatCpuAreLeftToIt)
{
    const std::vector<int> cpus = {0, 0, 1, 1, 2, 2};
    EXPECT_EQ(order(2, cpus, 6, 0b000001, 6), (Parts{2, 3, 4, 5}));
    EXPECT_EQ(order(2, cpus, 6, 0b100001, 6), (Parts{2, 3}));
    EXPECT_EQ(order(3, cpus, 6, 0b000100, 6), (Parts{3, 4, 1, 5, 0}));  // its own CPU's it goes on with
}

// Fewer parts than members, and more: each part belongs to one of the members.
TEST(NearestFirst, PartsNeedNotBeAsManyAsMembers)
{
    const std::vector<int> cpus = {0, 0, 0, 1, 1, 1};
    EXPECT_EQ(order(5, cpus, 2, 0, 6), (Parts{1, 0}));
    EXPECT_EQ(order(1, cpus, 2, 0b10, 6), (Parts{0}));
    EXPECT_EQ(order(2, {0, 0, 1}, 1, 0, 3), (Parts{0}));
    EXPECT_EQ(order(1, {0, 1}, 4, 0b01, 2), (Parts{2, 3}));
}

// Members come in any order, and each looks at what has been taken by then: nothing is left over.
TEST(NearestFirst, AllPartsAreTaken)
{
    std::mt19937 random(20261126);
    for (int round = 0; round < 2000; ++round) {
        const int members = 2 + static_cast<int>(random() % 20);
        const std::size_t parts = 1 + random() % 64;
        std::vector<int> cpus;
        for (int i = 0; i < members; ++i) cpus.push_back(static_cast<int>(random() % 70));
        std::uint64_t taken = 0;
        for (int member = 0; member < members; ++member) {
            for (const std::size_t part : order(member, cpus, parts, taken, members)) taken |= std::uint64_t{1} << part;
        }
        EXPECT_EQ(taken, parts == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << parts) - 1) << "round " << round;
    }
}

}  // namespace
