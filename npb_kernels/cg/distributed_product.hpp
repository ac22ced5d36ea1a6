// y = A x with the matrix and the vectors distributed as process_grid.hpp says.
//
// The operand is there for the whole column block; the result comes as the piece that the rank owns. The partial sums
// of a row block are written straight to the owners of its pieces, who add them up when all have come: one meeting of
// the ranks a product. The other way, spread() writes the own piece of a vector to the ranks of the column, which then
// can form the whole column block; the sum of some numbers over all ranks, which conjugate gradients want at that
// point anyhow, is the meeting that this takes.
#pragma once

#include "process_grid.hpp"
#include "sparse_product.hpp"

#include "../common/communication.hpp"

#include <memory>
#include <span>

namespace fmpl::npb::cg {

class DistributedProduct {
public:
    // Collective over all ranks. product: that of this rank's block of the matrix, in segments for the pieces of the
    // row block.
    DistributedProduct(const ProcessGrid& grid, SparseProduct product, Communication& communication);

    const ProcessGrid& grid() const { return grid_; }
    const SparseProduct& local() const { return product_; }

    // The own piece of A x to y. Collective. REQUIRES: block: x in the column block; y: as long as the own piece.
    void multiply(std::span<const double> block, std::span<double> y);

    // Makes the own piece of a vector known in the column, and sums up `sums` over all ranks. Collective.
    // piece: to stay unchanged until visit_block() has read it. REQUIRES: sums is not empty.
    void spread(std::span<const double> piece, std::span<double> sums);

    // Calls visit(begin of the piece in the column block, elements) for each piece of the column block as it was
    // spread last. Not to be called after the next spread() has begun.
    template <class Visit>
    void visit_block(const Visit& visit)
    {
        for (int row = 0; row < grid_.rows(); ++row) {
            const std::uint32_t begin =
                grid_.piece(grid_.first_column_piece() + row).begin - grid_.column_block().begin;
            visit(begin, row == grid_.row() ? spread_piece_ : spread_by(row));
        }
    }

private:
    std::span<const double> spread_by(int row);

    ProcessGrid grid_;
    SparseProduct product_;
    Group& world_;
    std::unique_ptr<Exchange> partial_sums_;
    std::unique_ptr<Exchange> pieces_;  // null where a column is one rank
    std::span<const double> spread_piece_;
};

}  // namespace fmpl::npb::cg
