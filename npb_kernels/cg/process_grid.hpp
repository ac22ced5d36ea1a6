// Which part of the matrix and of the vectors a rank has, and who needs what from whom.
//
// The ranks, a power of two, form a grid of R x C with R = C or R = 2 C, row by row. The indices 0 .. order-1 are cut
// into one *piece* a rank, of equal length but for one. C consecutive pieces are a block of rows of the matrix, R
// consecutive ones a block of columns; the rank at (a, b) of the grid has the elements in row block a and column block
// b.
//
// Piece k of a vector belongs to rank k. So the owners of a row block's pieces are the ranks of that row of the grid,
// with whom its partial results lie: those stay within the row, whose ranks, being neighbours in the order of the
// ranks, mostly share a CPU or a host. Only pieces of the operand come from elsewhere: a rank reads those of its
// column block, R of them, of n / (R C) elements each, and where it has its rows too another C - 1. With one column
// there are no partial results: of two ranks, each reads half of a vector in a product.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace fmpl::npb::cg {

struct Range {
    std::uint32_t begin;
    std::uint32_t end;
    constexpr std::uint32_t size() const { return end - begin; }
};

class ProcessGrid {
public:
    // REQUIRES: possible(ranks), 0 <= rank < ranks <= order.
    constexpr ProcessGrid(std::uint32_t order, int ranks, int rank)
        : order_(order),
          rows_(1 << ((std::countr_zero(static_cast<unsigned>(ranks)) + 1) / 2)),
          columns_(ranks / rows_),
          row_(rank / columns_),
          column_(rank % columns_)
    {
    }
    static constexpr bool possible(int ranks) { return ranks > 0 && std::has_single_bit(static_cast<unsigned>(ranks)); }

    constexpr int rows() const { return rows_; }
    constexpr int columns() const { return columns_; }
    constexpr int ranks() const { return rows_ * columns_; }
    constexpr int row() const { return row_; }
    constexpr int column() const { return column_; }
    constexpr int rank_at(int row, int column) const { return row * columns_ + column; }

    constexpr Range piece(int k) const { return {begin_of(k), begin_of(k + 1)}; }
    // Elements that no piece has more of.
    constexpr std::uint32_t longest_piece() const
    {
        const auto ranks = static_cast<std::uint32_t>(this->ranks());
        return (order_ + ranks - 1) / ranks;
    }
    // The piece that this rank owns.
    constexpr Range own_piece() const { return piece(rank_at(row_, column_)); }
    // The first of the C pieces of this rank's row block, of the R pieces of its column block.
    constexpr int first_row_piece() const { return row_ * columns_; }
    constexpr int first_column_piece() const { return column_ * rows_; }

    constexpr Range row_block() const { return {begin_of(first_row_piece()), begin_of(first_row_piece() + columns_)}; }
    constexpr Range column_block() const
    {
        return {begin_of(first_column_piece()), begin_of(first_column_piece() + rows_)};
    }

private:
    constexpr std::uint32_t begin_of(int k) const
    {
        return static_cast<std::uint32_t>(
            static_cast<std::uint64_t>(order_) * static_cast<unsigned>(k) / static_cast<unsigned>(ranks()));
    }

    std::uint32_t order_;
    int rows_;
    int columns_;
    int row_;
    int column_;
};

}  // namespace fmpl::npb::cg
