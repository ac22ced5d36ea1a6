// y = A x with the matrix and the vectors distributed as process_grid.hpp says.
//
// A rank has the operand x in its column block, which the product takes. The result y comes as the piece that the
// rank owns: a rank publishes the partial sums of its row block, and each rank of the row adds up those of its own
// piece. The other way, a rank publishes its own piece of a vector, which the ranks that have it in their operand
// read; the sum of some numbers over all ranks, which conjugate gradients want at that point, too, is the meeting
// that this takes.
//
// Both lie where those of the product before lay, in memory that is still in a cache: what others have read of a
// product, or of a published vector, is overwritten by the next, before which the ranks therefore have to meet. In
// conjugate gradients they do, since a sum over all ranks comes between.
//
// They also want x . A x of each product. Where what is published is read in place, so that further readers cost
// nothing but the reading, a rank has the operand in its row block, too: there the partial results times x, summed up
// over all ranks, are that number, and the ranks meet once for it and for the product. Where each reader takes a
// message, these would cost more than they save, and so they would where ranks take turns on a thread and a meeting
// costs next to nothing: the number is summed up afterwards, from the pieces, and for the partial sums the ranks of a
// row meet alone.
#pragma once

#include "process_grid.hpp"
#include "sparse_product.hpp"

#include "../common/communication.hpp"
#include "../common/work_array.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace fmpl::npb::cg {

class DistributedProduct {
public:
    // Collective over all ranks. product: that of this rank's block of the matrix.
    DistributedProduct(const ProcessGrid& grid, SparseProduct product, Communication& communication);

    const SparseProduct& local() const { return product_; }

    // An operand: the column block, and behind it, if not a part of it, the own piece, or with_rows() the row block.
    std::size_t operand_size() const { return operand_size_; }
    bool with_rows() const { return with_rows_; }
    template <class T>
    std::span<T> column_block(std::span<T> operand) const
    {
        return operand.first(grid_.column_block().size());
    }
    // REQUIRES: with_rows().
    template <class T>
    std::span<T> row_block(std::span<T> operand) const
    {
        return operand.subspan(row_block_begin_, grid_.row_block().size());
    }
    // The piece that this rank owns.
    template <class T>
    std::span<T> own_piece(std::span<T> operand) const
    {
        return operand.subspan(own_piece_begin_, grid_.own_piece().size());
    }

    // Then visit_product() gives A x. Collective. REQUIRES: operand.size() == operand_size(); since the last product
    // was visited the ranks have met.
    void multiply(std::span<const double> operand);
    // The same, and returns x . A x.
    double multiply_and_dot(std::span<const double> operand);

    // Calls visit(begin, elements) for successive parts of the own piece of the last product; `begin` counts within the
    // piece.
    template <class Visit>
    void visit_product(const Visit& visit)
    {
        if (sums_.size() != 0) {
            visit(std::size_t{0}, std::span<const double>(sums_));
            return;
        }
        // So few that they stay in the first-level cache.
        constexpr std::size_t kPart = 512;
        alignas(64) double memory[kPart];
        const std::size_t size = grid_.own_piece().size();
        for (std::size_t begin = 0; begin < size; begin += kPart) {
            const std::span part(memory, std::min(kPart, size - begin));
            add_partial_sums(begin, part);
            visit(begin, std::span<const double>(part));
        }
    }

    // Where this rank writes its piece of the vector that it publishes next; it has the one published last. REQUIRES:
    // since what was published last was visited the ranks have met.
    std::span<double> piece_to_publish();
    // Publishes it, and sums up `sums` over all ranks if there are some. Collective. REQUIRES: piece_to_publish() was
    // called once since the last time.
    void publish(std::span<double> sums = {});

    // The own piece as it was published last.
    std::span<const double> published_piece() { return published_by(world_.rank()); }
    // Calls visit(begin, elements) once for each piece that an operand has, as it was published last; `begin` counts
    // within the operand.
    template <class Visit>
    void visit_published(const Visit& visit)
    {
        for (const OperandPiece& piece : operand_pieces_) visit(piece.begin, published_by(piece.owner));
    }

private:
    struct OperandPiece {
        std::size_t begin;  // in the operand
        int owner;
    };

    std::span<double> begin_product();
    std::span<const double> partial_sum(int column);
    void add_partial_sums(std::size_t begin, std::span<double> sums);
    std::span<const double> published_by(int rank);

    ProcessGrid grid_;
    SparseProduct product_;
    Group& world_;
    bool with_rows_;
    std::size_t operand_size_;
    std::size_t row_block_begin_;  // in an operand that has it
    std::size_t own_piece_begin_;
    std::vector<OperandPiece> operand_pieces_;
    std::unique_ptr<Group> row_;  // of the grid, if its ranks meet for the partial sums, not all
    std::unique_ptr<Publication>
        partial_sums_;        // for the owners of the row block's pieces; null in a grid of one column
    WorkArray<double> sums_;  // the own piece of the product, if it is kept: without partial sums, or for x . A x
    std::unique_ptr<Publication> pieces_;
};

}  // namespace fmpl::npb::cg
