#include "distributed_product.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace fmpl::npb::cg {

namespace {

// Two areas: what has come may be read while the next comes.
std::unique_ptr<Exchange> planned_exchange(
    Communication& communication, const std::vector<std::size_t>& bytes_to, std::size_t landing_bytes)
{
    constexpr int kAreas = 2;
    std::unique_ptr<Exchange> exchange = communication.exchange(communication.world(), landing_bytes, kAreas);
    exchange->plan(bytes_to);
    return exchange;
}

std::span<const double> doubles(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const double*>(bytes.data()), bytes.size() / sizeof(double)};
}

}  // namespace

DistributedProduct::DistributedProduct(const ProcessGrid& grid, SparseProduct product, Communication& communication)
    : grid_(grid),
      product_(std::move(product)),
      world_(communication.world())
{
    const auto ranks = static_cast<std::size_t>(grid.ranks());
    std::size_t longest = 0;
    for (int k = 0; k < grid.ranks(); ++k) longest = std::max<std::size_t>(longest, grid.piece(k).size());

    std::vector<std::size_t> bytes_to(ranks);
    for (int column = 0; column < grid.columns(); ++column) {
        const int k = grid.first_row_piece() + column;
        bytes_to[static_cast<std::size_t>(grid.owner(k))] = grid.piece(k).size() * sizeof(double);
    }
    partial_sums_ =
        planned_exchange(communication, bytes_to, static_cast<std::size_t>(grid.columns()) * longest * sizeof(double));

    if (grid.rows() == 1) return;
    std::fill(bytes_to.begin(), bytes_to.end(), 0);
    for (int row = 0; row < grid.rows(); ++row) {
        if (row == grid.row()) continue;
        bytes_to[static_cast<std::size_t>(grid.rank_at(row, grid.column()))] =
            grid.piece(grid.own_piece()).size() * sizeof(double);
    }
    pieces_ =
        planned_exchange(communication, bytes_to, static_cast<std::size_t>(grid.rows()) * longest * sizeof(double));
}

void DistributedProduct::multiply(std::span<const double> block, std::span<double> y)
{
    partial_sums_->begin();
    product_.multiply(block, [&](std::size_t segment) {
        const int owner = grid_.owner(grid_.first_row_piece() + static_cast<int>(segment));
        return reinterpret_cast<double*>(partial_sums_->room(owner));
    });
    partial_sums_->end();

    // The sums of a row of the grid, pairwise where there are many.
    const int source_row = grid_.summed_from(grid_.own_piece());
    const auto from = [&](int column) {
        return doubles(partial_sums_->from(grid_.rank_at(source_row, column))).data();
    };
    const std::size_t size = y.size();
    if (grid_.columns() == 1) {
        std::copy_n(from(0), size, y.data());
        return;
    }
    for (int column = 0; column < grid_.columns(); column += 2) {
        const double* const one = from(column);
        const double* const other = from(column + 1);
        double* const sum = y.data();
        if (column == 0) {
            for (std::size_t i = 0; i < size; ++i) sum[i] = one[i] + other[i];
        } else {
            for (std::size_t i = 0; i < size; ++i) sum[i] += one[i] + other[i];
        }
    }
}

void DistributedProduct::spread(std::span<const double> piece, std::span<double> sums)
{
    spread_piece_ = piece;
    if (pieces_ == nullptr) {
        world_.sum(sums);
        return;
    }
    pieces_->begin();
    for (int row = 0; row < grid_.rows(); ++row) {
        if (row == grid_.row()) continue;
        std::byte* const room = pieces_->room(grid_.rank_at(row, grid_.column()));
        std::copy(piece.begin(), piece.end(), reinterpret_cast<double*>(room));
    }
    pieces_->end(sums);
}

std::span<const double> DistributedProduct::spread_by(int row)
{
    return doubles(pieces_->from(grid_.rank_at(row, grid_.column())));
}

}  // namespace fmpl::npb::cg
