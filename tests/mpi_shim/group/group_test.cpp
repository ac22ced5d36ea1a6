// The arithmetic of groups, without communication.
#include "group/group.hpp"
#include "mpi_shim/group/thrown_class.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace fmpl::mpi;
using mpi_test::class_thrown_by;

TEST(Group, KeepsTheOrderOfTheFirst)
{
    const Group a({5, 1, 3});
    const Group b({3, 4, 5});
    EXPECT_EQ(union_of(a, b)->world_ranks(), (std::vector<int>{5, 1, 3, 4}));
    EXPECT_EQ(intersection_of(a, b)->world_ranks(), (std::vector<int>{5, 3}));
    EXPECT_EQ(difference_of(a, b)->world_ranks(), (std::vector<int>{1}));
    EXPECT_EQ(compare(a, Group({1, 3, 5})), kSimilar);
    EXPECT_EQ(compare(a, b), kUnequal);
}

TEST(Group, RangesCountUpAndDownToTheLastThatFits)
{
    const Group ten({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    EXPECT_EQ(
        ranks_in_ranges(ten, std::vector<int>{1, 8, 3, 6, 4, -1, 9, 9, 5}), (std::vector<int>{1, 4, 7, 6, 5, 4, 9}));
    EXPECT_EQ(class_thrown_by([&] { ranks_in_ranges(ten, std::vector<int>{1, 2, 0}); }), ErrorClass::argument);
    EXPECT_EQ(class_thrown_by([&] { ranks_in_ranges(ten, std::vector<int>{8, 2147483647, 1}); }), ErrorClass::rank);
    EXPECT_EQ(class_thrown_by([&] { included(ten, std::vector<int>{2, 2}); }), ErrorClass::rank);
}

}  // namespace
