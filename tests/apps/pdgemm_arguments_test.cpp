// The numbers that PDGEMM gives to bad arguments: a table of one change each to a correct call.
#include "argument_check.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

namespace {

using fmpl::pdgemm::check_arguments;
using fmpl::pdgemm::Descriptor;
using fmpl::pdgemm::GemmArguments;
using fmpl::pdgemm::ProcessGrid;

constexpr int context = 4;
// Process (1, 2) of a 2x3 grid.
constexpr ProcessGrid grid{context, 2, 3, 1, 2};

// M = 10, N = 12, K = 14 in the corners (2, 3) of matrices in blocks of 3x2, with 6 local rows at process (1, 2).
GemmArguments correct_call()
{
    const Descriptor a{1, context, 12, 17, 3, 2, 3, 2, 0, 0, 6};
    const Descriptor b{1, context, 15, 15, 3, 2, 3, 2, 0, 0, 6};
    const Descriptor c{1, context, 12, 15, 3, 2, 3, 2, 0, 0, 6};
    return {'N', 'N', 10, 12, 14, {2, 3, a}, {2, 3, b}, {2, 3, c}};
}

struct Case {
    const char* name;
    std::function<void(GemmArguments&)> change;
    int number;
};

void PrintTo(const Case& c, std::ostream* out)
{
    *out << c.name;
}

class PdgemmArguments : public ::testing::TestWithParam<Case> {};

TEST_P(PdgemmArguments, HaveTheNumberOfScaLAPACK)
{
    GemmArguments arguments = correct_call();
    GetParam().change(arguments);
    const auto error = check_arguments(arguments, grid);
    EXPECT_EQ(error.number, GetParam().number) << error.words;
    EXPECT_EQ(error.words.empty(), GetParam().number == 0);
}

using A = GemmArguments;

INSTANTIATE_TEST_SUITE_P(
    Table, PdgemmArguments,
    ::testing::Values(
        Case{"Correct", [](A&) {}, 0}, Case{"TransA", [](A& x) { x.transa = 'X'; }, 1},
        Case{"TransB", [](A& x) { x.transb = '\0'; }, 2}, Case{"M", [](A& x) { x.m = -1; }, 3},
        Case{"N", [](A& x) { x.n = -1; }, 4}, Case{"K", [](A& x) { x.k = -1; }, 5},
        Case{"IA", [](A& x) { x.a.row = 0; }, 8},
        Case{"JA", [](A& x) { x.a.column = 0; }, 9}, Case{"IB", [](A& x) { x.b.row = 0; }, 12},
        Case{"JB", [](A& x) { x.b.column = -5; }, 13}, Case{"IC", [](A& x) { x.c.row = 0; }, 17},
        Case{"JC", [](A& x) { x.c.column = 0; }, 18}, Case{"BeyondTheRowsOfA", [](A& x) { x.a.row = 4; }, 8},
        Case{"BeyondTheColumnsOfA", [](A& x) { x.a.column = 5; }, 9},
        Case{"BeyondTheRowsOfB", [](A& x) { x.b.row = 3; }, 12},
        Case{"BeyondTheColumnsOfB", [](A& x) { x.b.column = 5; }, 13},
        Case{"BeyondTheRowsOfC", [](A& x) { x.c.row = 4; }, 17},
        Case{"BeyondTheColumnsOfC", [](A& x) { x.c.column = 2147483647; }, 18},
        Case{"TypeOfA", [](A& x) { x.a.whole.type = 3; }, 1001},
        Case{"TypeOfB", [](A& x) { x.b.whole.type = 0; }, 1401},
        Case{"TypeOfC", [](A& x) { x.c.whole.type = -1; }, 1901},
        Case{"ContextOfB", [](A& x) { x.b.whole.context = 5; }, 1402},
        Case{"ContextOfC", [](A& x) { x.c.whole.context = 5; }, 1902},
        Case{"RowsOfA", [](A& x) { x.a.whole.rows = 0; }, 1003},
        Case{"ColumnsOfB", [](A& x) { x.b.whole.columns = 0; }, 1404},
        Case{"RowBlockOfA", [](A& x) { x.a.whole.first_row_block = x.a.whole.row_block = 0; }, 1005},
        Case{"ColumnBlockOfC", [](A& x) { x.c.whole.first_column_block = x.c.whole.column_block = -2; }, 1906},
        Case{"RowSourceOfA", [](A& x) { x.a.whole.row_source = 2; }, 1009},
        Case{"NegativeRowSourceOfB", [](A& x) { x.b.whole.row_source = -2; }, 1409},
        Case{"ColumnSourceOfC", [](A& x) { x.c.whole.column_source = 3; }, 1910},
        Case{"LeadingDimensionOfA", [](A& x) { x.a.whole.leading_dimension = 5; }, 1011},
        Case{"LeadingDimensionOfC", [](A& x) { x.c.whole.leading_dimension = 0; }, 1911},
        Case{"LastEntryOfALongDescriptor",
             [](A& x) {
                 x.b.whole.type = 2;
                 x.b.whole.leading_dimension = 1;
             },
             1411},
        Case{"FirstBlockOfALongDescriptor",
             [](A& x) {
                 x.b.whole.type = 2;
                 x.b.whole.first_column_block = 0;
             },
             1406},
        Case{"TheLowestPositionCounts",
             [](A& x) {
                 x.c.whole.type = 9;
                 x.b.row = 0;
                 x.n = -1;
             },
             4},
        Case{"ADescriptorBeforeALaterScalar",
             [](A& x) {
                 x.a.whole.row_source = 7;
                 x.b.row = 0;
             },
             1009},
        Case{"ReplicatedRowsAndColumns",
             [](A& x) {
                 x.a.whole.row_source = x.b.whole.column_source = -1;
                 x.a.whole.leading_dimension = x.a.whole.rows;
             },
             0},
        Case{"ReplicatedRowsNeedRoomForAll",
             [](A& x) {
                 x.a.whole.row_source = -1;
                 x.a.whole.leading_dimension = x.a.whole.rows - 1;
             },
             1011},
        Case{"TransposedAHasKRows", [](A& x) { x.transa = 'T'; }, 8},
        Case{"TransposedBFits",
             [](A& x) {
                 x.transb = 'C';
                 x.k = 12;
                 x.n = 12;
             },
             0},
        // An empty operand may lie anywhere, and its matrix may be empty.
        Case{"EmptyOperands",
             [](A& x) {
                 x.k = 0;
                 x.a.whole.columns = 0;
                 x.a.column = 99;
             },
             0},
        Case{"EmptyOperandsOfNegativeMatrices",
             [](A& x) {
                 x.k = 0;
                 x.a.whole.columns = -1;
             },
             1004}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PdgemmArgumentsLocal, AProcessWithoutColumnsNeedsNoRoom)
{
    GemmArguments arguments = correct_call();
    arguments.m = 10;
    arguments.n = 1;
    arguments.k = 1;
    for (auto* matrix : {&arguments.a, &arguments.b, &arguments.c}) {
        matrix->column = 1;
        matrix->whole.columns = 4;
        matrix->whole.leading_dimension = 1;
    }
    EXPECT_EQ(check_arguments(arguments, grid).number, 0);
}

TEST(PdgemmDescriptor, BothFormsAreRead)
{
    const int short_form[] = {1, 4, 10, 20, 3, 5, 1, 2, 30};
    const Descriptor from_short = Descriptor::read(short_form);
    EXPECT_EQ(from_short.first_row_block, 3);
    EXPECT_EQ(from_short.first_column_block, 5);
    EXPECT_EQ(from_short.row_block, 3);
    EXPECT_EQ(from_short.column_block, 5);
    EXPECT_EQ(from_short.row_source, 1);
    EXPECT_EQ(from_short.column_source, 2);
    EXPECT_EQ(from_short.leading_dimension, 30);

    const int long_form[] = {2, 4, 10, 20, 1, 2, 3, 5, 1, 2, 30};
    const Descriptor from_long = Descriptor::read(long_form);
    EXPECT_EQ(from_long.first_row_block, 1);
    EXPECT_EQ(from_long.first_column_block, 2);
    EXPECT_EQ(from_long.row_block, 3);
    EXPECT_EQ(from_long.column_block, 5);
    EXPECT_EQ(from_long.leading_dimension, 30);
}

}  // namespace
