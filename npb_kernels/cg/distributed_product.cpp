#include "distributed_product.hpp"

#include "vector_operations.hpp"

#include <numeric>
#include <utility>

namespace fmpl::npb::cg {

namespace {

std::span<const double> doubles(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const double*>(bytes.data()), bytes.size() / sizeof(double)};
}

}  // namespace

DistributedProduct::DistributedProduct(const ProcessGrid& grid, SparseProduct product, Communication& communication)
    : grid_(grid),
      product_(std::move(product)),
      world_(communication.world()),
      with_rows_(communication.publishes_in_place() && !communication.ranks_take_turns())
{
    const Range rows = grid.row_block(), columns = grid.column_block(), own = grid.own_piece();
    // Behind the column block, unless it has them: the rows, or of them the own piece.
    const bool within = columns.begin <= rows.begin && rows.end <= columns.end;
    const Range more = with_rows_ ? rows : own;
    const std::uint32_t more_begin = within ? more.begin - columns.begin : columns.size();
    row_block_begin_ = more_begin;
    own_piece_begin_ = more_begin + (own.begin - more.begin);
    operand_size_ = columns.size() + (within ? 0 : more.size());
    // Not all ranks of a column read the same rank's piece first.
    for (int i = 0; i < grid.rows(); ++i) {
        const int k = grid.first_column_piece() + (grid.row() + i) % grid.rows();
        operand_pieces_.push_back({grid.piece(k).begin - columns.begin, k});
    }
    for (int k = grid.first_row_piece(); !within && k < grid.first_row_piece() + grid.columns(); ++k) {
        const Range piece = grid.piece(k);
        if (more.begin <= piece.begin && piece.end <= more.end)
            operand_pieces_.push_back({more_begin + (piece.begin - more.begin), k});
    }

    std::vector<int> owners;
    for (const OperandPiece& piece : operand_pieces_) owners.push_back(piece.owner);
    pieces_ = communication.publication(world_, own.size() * sizeof(double), owners);

    if (grid.columns() == 1 || !with_rows_) sums_ = WorkArray<double>(own.size());
    if (grid.columns() == 1) return;
    // For the owners of the row block's pieces; in a sum over all ranks, if they also sum up x . A x.
    std::vector<std::size_t> bytes_for;
    for (int k = grid.first_row_piece(); k < grid.first_row_piece() + grid.columns(); ++k) {
        bytes_for.push_back(grid.piece(k).size() * sizeof(double));
    }
    if (!with_rows_) {
        std::vector<int> ranks(bytes_for.size());
        std::iota(ranks.begin(), ranks.end(), grid.first_row_piece());
        row_ = communication.group(ranks);
        partial_sums_ = communication.publication(*row_, bytes_for);
    } else {
        bytes_for.insert(bytes_for.begin(), static_cast<std::size_t>(grid.first_row_piece()), 0);
        bytes_for.resize(static_cast<std::size_t>(grid.ranks()));
        partial_sums_ = communication.publication(world_, bytes_for);
    }
}

// Where the results of the row block go.
std::span<double> DistributedProduct::begin_product()
{
    if (partial_sums_ == nullptr) return sums_;
    return {reinterpret_cast<double*>(partial_sums_->begin()), grid_.row_block().size()};
}

void DistributedProduct::multiply(std::span<const double> operand)
{
    product_.multiply(column_block(operand), begin_product());
    if (partial_sums_ == nullptr) return;
    partial_sums_->end();
    if (!with_rows_) add_partial_sums(0, sums_);
}

double DistributedProduct::multiply_and_dot(std::span<const double> operand)
{
    if (!with_rows_) {
        multiply(operand);
        return world_.sum(dot(own_piece(operand), sums_));
    }
    const std::span<const double> rows = row_block(operand);
    double product = 0;
    product_.multiply(column_block(operand), begin_product(), [&](std::size_t row, std::span<const double> results) {
        product += dot(rows.subspan(row, results.size()), results);
    });
    if (partial_sums_ == nullptr) return world_.sum(product);
    partial_sums_->end(std::span(&product, 1));
    return product;
}

std::span<const double> DistributedProduct::partial_sum(int column)
{
    return doubles(partial_sums_->of(row_ != nullptr ? column : grid_.first_row_piece() + column));
}

// Those of a row of the grid, two at a time.
void DistributedProduct::add_partial_sums(std::size_t begin, std::span<double> sums)
{
    double* const sum = sums.data();
    for (int column = 0; column < grid_.columns(); column += 2) {
        const double* const one = &partial_sum(column)[begin];
        const double* const other = &partial_sum(column + 1)[begin];
        if (column == 0) {
            for (std::size_t i = 0; i < sums.size(); ++i) sum[i] = one[i] + other[i];
        } else {
            for (std::size_t i = 0; i < sums.size(); ++i) sum[i] += one[i] + other[i];
        }
    }
}

std::span<double> DistributedProduct::piece_to_publish()
{
    return {reinterpret_cast<double*>(pieces_->begin()), grid_.own_piece().size()};
}

void DistributedProduct::publish(std::span<double> sums)
{
    sums.empty() ? pieces_->end() : pieces_->end(sums);
}

std::span<const double> DistributedProduct::published_by(int rank)
{
    return doubles(pieces_->of(rank));
}

}  // namespace fmpl::npb::cg
