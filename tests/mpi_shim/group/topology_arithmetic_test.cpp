// The arithmetic of topologies, without communication.
#include "group/topology.hpp"
#include "mpi_shim/group/thrown_class.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

namespace {

using namespace fmpl::mpi;
using mpi_test::class_thrown_by;

std::vector<int> balanced(int nodes, std::vector<int> dims)
{
    balance_dimensions(nodes, dims);
    return dims;
}

int product(const std::vector<int>& factors)
{
    return std::accumulate(factors.begin(), factors.end(), 1, std::multiplies<>());
}

// The least difference between the largest and the smallest of `count` factors of `number`, by trying all.
int least_difference(int number, int count, int largest, int smallest)
{
    if (count == 0) return number == 1 ? largest - smallest : std::numeric_limits<int>::max();
    int best = std::numeric_limits<int>::max();
    for (int d = 1; d <= number; ++d) {
        if (number % d != 0) continue;
        best = std::min(best, least_difference(number / d, count - 1, std::max(largest, d), std::min(smallest, d)));
    }
    return best;
}

TEST(BalancedDimensions, AreThoseOfTheStandardsExamples)
{
    EXPECT_EQ(balanced(6, {0, 0}), (std::vector<int>{3, 2}));
    EXPECT_EQ(balanced(7, {0, 0}), (std::vector<int>{7, 1}));
    EXPECT_EQ(balanced(6, {0, 3, 0}), (std::vector<int>{2, 3, 1}));
    EXPECT_EQ(class_thrown_by([] { balanced(7, {0, 3, 0}); }), ErrorClass::dims);
}

TEST(BalancedDimensions, DifferAsLittleAsAnyFactorsDo)
{
    for (int nodes = 1; nodes <= 130; ++nodes) {
        for (int count = 1; count <= 4; ++count) {
            const std::vector<int> dims = balanced(nodes, std::vector<int>(static_cast<std::size_t>(count), 0));
            EXPECT_EQ(product(dims), nodes);
            EXPECT_TRUE(std::is_sorted(dims.rbegin(), dims.rend()));
            EXPECT_EQ(dims.front() - dims.back(), least_difference(nodes, count, 0, std::numeric_limits<int>::max()))
                << nodes << " in " << count << " dimensions";
        }
    }
}

TEST(BalancedDimensions, AreFoundForNumbersWithManyDivisors)
{
    for (const int nodes : {720720, 735134400, 2095133040, 2147483647, 1 << 30}) {
        for (const std::size_t count : {1u, 2u, 3u, 5u, 8u, 31u}) {
            const std::vector<int> dims = balanced(nodes, std::vector<int>(count, 0));
            EXPECT_EQ(product(dims), nodes);
            EXPECT_TRUE(std::is_sorted(dims.rbegin(), dims.rend()));
        }
    }
    EXPECT_EQ(balanced(1 << 30, {0, 0, 0}), (std::vector<int>{1 << 10, 1 << 10, 1 << 10}));
}

TEST(BalancedDimensions, RefuseWhatDoesNotDivide)
{
    EXPECT_EQ(class_thrown_by([] { balanced(6, {-1, 0}); }), ErrorClass::dims);
    EXPECT_EQ(class_thrown_by([] { balanced(6, {2, 2}); }), ErrorClass::dims);
    EXPECT_EQ(class_thrown_by([] { balanced(6, {2147483647, 2147483647, 2147483647, 0}); }), ErrorClass::dims);
    EXPECT_NE(class_thrown_by([] { balanced(0, {0}); }), ErrorClass::success);
}

TEST(CartesianTopology, RanksAndCoordinatesAreInverse)
{
    const CartesianTopology grid({3, 1, 4}, {true, false, false});
    ASSERT_EQ(grid.size(), 12);
    for (int rank = 0; rank < grid.size(); ++rank) EXPECT_EQ(grid.rank_at(grid.coordinates(rank)), rank);
    EXPECT_EQ(grid.coordinates(7), (std::vector<int>{1, 0, 3}));
    EXPECT_EQ(grid.rank_at(std::vector<int>{-4, 0, 3}), grid.rank_at(std::vector<int>{2, 0, 3}));
    EXPECT_EQ(class_thrown_by([&] { grid.rank_at(std::vector<int>{0, 1, 0}); }), ErrorClass::argument);
}

TEST(CartesianTopology, ShiftsWrapOnlyWherePeriodic)
{
    const CartesianTopology grid({3, 4}, {true, false});
    EXPECT_EQ(grid.shifted(0, 0, -1), 8);
    EXPECT_EQ(grid.shifted(0, 0, -std::int64_t{std::numeric_limits<int>::min()}), grid.shifted(0, 0, 2));
    EXPECT_EQ(grid.shifted(0, 1, -1), kProcNull);
    EXPECT_EQ(grid.shifted(0, 1, 3), 3);
    EXPECT_EQ(grid.shifted(0, 1, 4), kProcNull);
}

TEST(GraphTopology, RefusesIndicesThatDecreaseAndUnknownNodes)
{
    EXPECT_EQ(class_thrown_by([] { GraphTopology({1, 0}, {1}); }), ErrorClass::argument);
    EXPECT_EQ(class_thrown_by([] { GraphTopology({1, 1}, {2}); }), ErrorClass::rank);
    const GraphTopology graph({2, 2, 3}, {1, 2, 0});
    EXPECT_EQ(graph.neighbours(0).size(), 2u);
    EXPECT_TRUE(graph.neighbours(1).empty());
    EXPECT_EQ(graph.neighbours(2).front(), 0);
}

}  // namespace
