#include "gathered_levels.hpp"

#include <algorithm>

namespace fmpl::npb::mg {

namespace {

Box whole(int level)
{
    Box box;
    box.size.fill(1 << level);
    return box;
}

}  // namespace

GatheredLevels::GatheredLevels(
    Communication& communication, const Domain& domain, const Coefficients& smoother, int index)
    : group_(communication.world()),
      domain_(domain),
      index_(index),
      right_hand_side_(domain.box(domain.gathered_level()), {}, Grid::Place::messages, communication),
      solution_(domain.box(domain.gathered_level()), kCoarseSolutionHalo, Grid::Place::messages, communication),
      sweep_(whole(domain.gathered_level()), smoother)
{
    if (domain.rank() != 0) return;
    for (int level = 1; level <= domain.gathered_level(); ++level) {
        residuals_.emplace_back(whole(level), Halo{}, Grid::Place::own, communication);
        solutions_.emplace_back(whole(level), Halo{}, Grid::Place::own, communication);
    }
    pieces_.resize(static_cast<std::size_t>(domain.ranks()));
    for (int rank = 1; rank < domain.ranks(); ++rank) {
        pieces_[static_cast<std::size_t>(rank)] =
            communication.allocate_array<double>(right_hand_side_.values().size());
    }
    if (domain.ranks() > 1) leaving_ = communication.allocate_array<double>(solution_.values().size());
}

void GatheredLevels::post()
{
    if (domain_.rank() != 0) {
        group_.post_receive(solution_.values().data(), solution_.values().size_bytes(), 0, index_ + 1);
        return;
    }
    for (int rank = 1; rank < domain_.ranks(); ++rank) {
        const std::span<double> piece = pieces_[static_cast<std::size_t>(rank)];
        group_.post_receive(piece.data(), piece.size_bytes(), rank, index_);
    }
}

void GatheredLevels::solve()
{
    const std::span<double> own = right_hand_side_.values();
    if (domain_.rank() != 0) {
        group_.send(own.data(), own.size_bytes(), 0, index_);
        group_.wait_receive(0, index_ + 1);
        return;
    }
    copy_to_whole(own.data(), 0);
    for (int rank = 1; rank < domain_.ranks(); ++rank) {
        group_.wait_receive(rank, index_);
        copy_to_whole(pieces_[static_cast<std::size_t>(rank)].data(), rank);
    }
    solve_alone();
    for (int rank = 1; rank < domain_.ranks(); ++rank) {
        copy_from_whole(leaving_.data(), rank);
        group_.send(leaving_.data(), leaving_.size_bytes(), rank, index_ + 1);
    }
    copy_from_whole(solution_.values().data(), 0);
}

void GatheredLevels::solve_alone()
{
    for (std::size_t level = residuals_.size() - 1; level > 0; --level) {
        sweep_.restrict_stored(residuals_[level], residuals_[level - 1]);
    }
    sweep_.coarse(residuals_[0], nullptr, solutions_[0]);
    for (std::size_t level = 1; level < residuals_.size(); ++level) {
        sweep_.coarse(residuals_[level], &solutions_[level - 1], solutions_[level]);
    }
}

// The pieces have the rows and planes of right_hand_side_ and solution_, which are the same on all ranks.
void GatheredLevels::copy_to_whole(const double* piece, int rank)
{
    Grid& to = residuals_.back();
    const Box box = domain_.box(domain_.gathered_level(), rank);
    for (int z = 0; z < box.size[2]; ++z) {
        for (int y = 0; y < box.size[1]; ++y) {
            const double* const row = piece + static_cast<std::size_t>(z) * right_hand_side_.plane_pitch() +
                                      static_cast<std::size_t>(y) * right_hand_side_.row_pitch() + Grid::kReach;
            std::copy_n(row, box.size[0], to.row(box.offset[1] + y, box.offset[2] + z) + box.offset[0]);
        }
    }
}

void GatheredLevels::copy_from_whole(double* piece, int rank) const
{
    const Grid& from = solutions_.back();
    const Box box = domain_.box(domain_.gathered_level(), rank);
    const int size = 1 << domain_.gathered_level();
    const auto low = [&box](std::size_t d) { return box.cut[d] ? -kCoarseSolutionHalo.low : 0; };
    const auto high = [&box](std::size_t d) { return box.size[d] + (box.cut[d] ? kCoarseSolutionHalo.high : 0); };
    for (int z = low(2); z < high(2); ++z) {
        double* row = piece + static_cast<std::size_t>(z - low(2)) * solution_.plane_pitch() + Grid::kReach;
        for (int y = low(1); y < high(1); ++y, row += solution_.row_pitch()) {
            const double* const whole_row =
                from.row((box.offset[1] + y) & (size - 1), (box.offset[2] + z) & (size - 1));
            std::copy_n(whole_row + box.offset[0], box.size[0], row);
            for (int x = low(0); x < 0; ++x) row[x] = whole_row[(box.offset[0] + x) & (size - 1)];
            for (int x = box.size[0]; x < high(0); ++x) row[x] = whole_row[(box.offset[0] + x) & (size - 1)];
        }
    }
}

std::size_t GatheredLevels::bytes(const Domain& domain)
{
    const Box box = domain.box(domain.gathered_level());
    const std::size_t pieces = Grid::bytes(box, {}) + 2 * Grid::bytes(box, kCoarseSolutionHalo);
    if (domain.rank() != 0) return pieces;
    // All levels together take 8 / 7 of the finest, and the pieces of all ranks lie there twice.
    return pieces * static_cast<std::size_t>(domain.ranks()) + 3 * Grid::bytes(whole(domain.gathered_level()), {});
}

}  // namespace fmpl::npb::mg
