#include "distributed_product.hpp"

#include "vector_operations.hpp"

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
    const Range rows = grid.row_block(), columns = grid.column_block();
    const bool within = columns.begin <= rows.begin && rows.end <= columns.end;
    const bool rows_behind = with_rows_ && !within;
    row_block_begin_ = within ? rows.begin - columns.begin : columns.size();
    operand_size_ = columns.size() + (rows_behind ? rows.size() : 0);
    // From the own piece on, so that the ranks of a column do not all read the same rank's first.
    for (int i = 0; i < grid.rows(); ++i) {
        const int k = grid.first_column_piece() + (grid.row() + i) % grid.rows();
        operand_pieces_.push_back({grid.piece(k).begin - columns.begin, grid.owner(k)});
    }
    for (int k = grid.first_row_piece(); rows_behind && k < grid.first_row_piece() + grid.columns(); ++k) {
        operand_pieces_.push_back({row_block_begin_ + grid.piece(k).begin - rows.begin, grid.owner(k)});
    }

    std::vector<int> owners;
    for (const OperandPiece& piece : operand_pieces_) owners.push_back(piece.owner);
    pieces_ = communication.publication(world_, grid.piece(grid.own_piece()).size() * sizeof(double), owners);

    if (grid.columns() == 1 || !with_rows_) sums_ = WorkArray<double>(grid.piece(grid.own_piece()).size());
    if (grid.columns() == 1) return;
    std::vector<std::size_t> bytes_to(static_cast<std::size_t>(grid.ranks()));
    for (int k = grid.first_row_piece(); k < grid.first_row_piece() + grid.columns(); ++k) {
        bytes_to[static_cast<std::size_t>(grid.owner(k))] = grid.piece(k).size() * sizeof(double);
    }
    // Two areas: what has come may be read while the next comes.
    constexpr int kAreas = 2;
    const std::size_t landing = static_cast<std::size_t>(grid.columns()) * grid.longest_piece() * sizeof(double);
    partial_sums_ = communication.exchange(world_, landing, kAreas);
    partial_sums_->plan(bytes_to);
}

void DistributedProduct::begin_product()
{
    if (partial_sums_ != nullptr) partial_sums_->begin();
}

// Where the results of a segment of the row block go.
double* DistributedProduct::target(std::size_t segment)
{
    if (partial_sums_ == nullptr) return sums_.data();
    const int owner = grid_.owner(grid_.first_row_piece() + static_cast<int>(segment));
    return reinterpret_cast<double*>(partial_sums_->room(owner));
}

void DistributedProduct::multiply(std::span<const double> operand)
{
    begin_product();
    product_.multiply(column_block(operand), [&](std::size_t segment) { return target(segment); });
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
    begin_product();
    product_.multiply(
        column_block(operand), [&](std::size_t segment) { return target(segment); },
        [&](std::size_t row, std::span<const double> results) {
            product += dot(rows.subspan(row, results.size()), results);
        });
    if (partial_sums_ == nullptr) return world_.sum(product);
    partial_sums_->end(std::span(&product, 1));
    return product;
}

std::span<const double> DistributedProduct::partial_sum(int column)
{
    return doubles(partial_sums_->from(grid_.rank_at(grid_.summed_from(grid_.own_piece()), column)));
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
    return {reinterpret_cast<double*>(pieces_->begin()), grid_.piece(grid_.own_piece()).size()};
}

void DistributedProduct::publish(std::span<double> sums)
{
    pieces_->end(sums);
}

std::span<const double> DistributedProduct::published_by(int rank)
{
    return doubles(pieces_->of(rank));
}

}  // namespace fmpl::npb::cg
