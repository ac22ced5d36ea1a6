// Tables that are zero until they are written.
#include "p2p/zeroed_table.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace {

using namespace fmpl;

TEST(ZeroedTable, RecordsAreZeroAndTheOtherOnesAfterAMove)
{
    ZeroedTable<int> table(1000);
    EXPECT_EQ(table.size(), 1000u);
    EXPECT_EQ(table[999], 0);
    table[999] = 7;
    ZeroedTable<int> moved(std::move(table));
    EXPECT_EQ(moved[999], 7);
    EXPECT_TRUE(table.empty());
    table = ZeroedTable<int>(1);
    EXPECT_EQ(table[0], 0);
}

}  // namespace
