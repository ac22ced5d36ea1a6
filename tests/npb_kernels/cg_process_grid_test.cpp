// Who has what: the layout of vectors and of the matrix over a grid of ranks.
#include "cg/process_grid.hpp"

#include "support/ranks_test.hpp"

#include <algorithm>
#include <vector>

namespace {

using fmpl::npb::cg::ProcessGrid;
using fmpl::npb::cg::Range;

constexpr int kRanks[] = {1, 2, 4, 8, 16, 32, 64};
constexpr std::uint32_t kOrders[] = {64, 75, 1400, 75000};

TEST(CgProcessGrid, IsPossibleForPowersOfTwoOnly)
{
    for (int ranks = -1; ranks <= 64; ++ranks) {
        const bool power =
            ranks == 1 || ranks == 2 || ranks == 4 || ranks == 8 || ranks == 16 || ranks == 32 || ranks == 64;
        EXPECT_EQ(ProcessGrid::possible(ranks), power) << ranks;
    }
}

TEST(CgProcessGrid, HasAsManyRowsAsColumnsOrTwice)
{
    for (const int ranks : kRanks) {
        const ProcessGrid grid(64, ranks, 0);
        EXPECT_EQ(grid.ranks(), ranks);
        EXPECT_TRUE(grid.rows() == grid.columns() || grid.rows() == 2 * grid.columns()) << ranks;
    }
}

TEST(CgProcessGrid, BlocksOfAllRanksMakeUpTheMatrix)
{
    for (const std::uint32_t order : {64u, 75u}) {
        for (const int ranks : kRanks) {
            std::vector<int> count(order * order);
            for (int rank = 0; rank < ranks; ++rank) {
                const ProcessGrid grid(order, ranks, rank);
                for (std::uint32_t row = grid.row_block().begin; row < grid.row_block().end; ++row) {
                    for (std::uint32_t column = grid.column_block().begin; column < grid.column_block().end; ++column) {
                        ++count[row * order + column];
                    }
                }
            }
            EXPECT_EQ(count, std::vector<int>(order * order, 1)) << ranks << " ranks, order " << order;
        }
    }
}

TEST(CgProcessGrid, PiecesDifferInLengthByOneAtMost)
{
    for (const std::uint32_t order : kOrders) {
        for (const int ranks : kRanks) {
            const ProcessGrid grid(order, ranks, 0);
            std::uint32_t end = 0, longest = 0;
            for (int k = 0; k < ranks; ++k) {
                EXPECT_EQ(grid.piece(k).begin, end);
                end = grid.piece(k).end;
                const std::uint32_t least = order / static_cast<std::uint32_t>(ranks);
                EXPECT_TRUE(grid.piece(k).size() == least || grid.piece(k).size() == least + 1);
                longest = std::max(longest, grid.piece(k).size());
            }
            EXPECT_EQ(end, order);
            EXPECT_EQ(grid.longest_piece(), longest);
        }
    }
}

TEST(CgProcessGrid, OwnersOfARowBlocksPiecesAreTheRanksOfItsRow)
{
    for (const int ranks : kRanks) {
        for (int rank = 0; rank < ranks; ++rank) {
            const ProcessGrid grid(1400, ranks, rank);
            EXPECT_EQ(grid.rank_at(grid.row(), grid.column()), rank);
            const Range own = grid.own_piece();
            EXPECT_EQ(own.begin, grid.piece(rank).begin);
            EXPECT_EQ(own.end, grid.piece(rank).end);
            for (int column = 0; column < grid.columns(); ++column) {
                EXPECT_EQ(grid.first_row_piece() + column, grid.rank_at(grid.row(), column));
            }
        }
    }
}

TEST(CgProcessGrid, ARowBlockIsAPartOfAColumnBlockOrApartFromIt)
{
    for (const int ranks : kRanks) {
        for (int rank = 0; rank < ranks; ++rank) {
            const ProcessGrid grid(1401, ranks, rank);
            const Range rows = grid.row_block(), columns = grid.column_block();
            const bool within = columns.begin <= rows.begin && rows.end <= columns.end;
            const bool apart = rows.end <= columns.begin || columns.end <= rows.begin;
            EXPECT_TRUE(within != apart) << ranks << " ranks, rank " << rank;
        }
    }
}

TEST(CgProcessGrid, BlocksAreWholePieces)
{
    for (const int ranks : kRanks) {
        for (int rank = 0; rank < ranks; ++rank) {
            const ProcessGrid grid(1400, ranks, rank);
            int in_rows = 0, in_columns = 0;
            for (int k = 0; k < ranks; ++k) {
                const auto is_in = [&](Range block) {
                    const Range piece = grid.piece(k);
                    const bool within = block.begin <= piece.begin && piece.end <= block.end;
                    EXPECT_TRUE(within || piece.end <= block.begin || block.end <= piece.begin);
                    return within;
                };
                in_rows += is_in(grid.row_block());
                in_columns += is_in(grid.column_block());
            }
            EXPECT_EQ(in_rows, grid.columns());
            EXPECT_EQ(in_columns, grid.rows());
        }
    }
}

}  // namespace
