#include "halo_exchange.hpp"

#include <algorithm>

namespace fmpl::npb::mg {

namespace {

const std::byte* bytes_at(const double* p)
{
    return reinterpret_cast<const std::byte*>(p);
}

// Rows from the first of plane 0 to the last of the last plane: with the y halo between the planes, so that they have
// one distance from each other.
std::size_t rows_across_x(const Grid& grid)
{
    return (static_cast<std::size_t>(grid.size(2) - 1) * grid.plane_pitch() / grid.row_pitch()) +
           static_cast<std::size_t>(grid.size(1));
}

}  // namespace

HaloExchange::HaloExchange(Communication& communication, const Domain& domain, Grid& grid, int index)
    : group_(communication.world()),
      grid_(grid),
      index_(index)
{
    const Halo halo = grid.halo();
    const auto low = static_cast<std::size_t>(halo.low), high = static_cast<std::size_t>(halo.high);
    const std::size_t row = grid.row_pitch() * sizeof(double), plane = grid.plane_pitch() * sizeof(double);
    for (int d = 0; d < kDimensions; ++d) {
        Crossing& crossing = crossings_[static_cast<std::size_t>(d)];
        crossing.cut = grid.cut(d);
        if (!crossing.cut) continue;
        crossing.below = domain.neighbour(d, -1);
        crossing.above = domain.neighbour(d, +1);
        const int top = grid.size(d) - halo.low;  // the first layer that the neighbour above wants
        if (d == 0) {
            const std::size_t rows = rows_across_x(grid);
            crossing.to_above = {bytes_at(grid.row(0, 0) + top), low * sizeof(double), rows, row};
            crossing.to_below = {bytes_at(grid.row(0, 0)), high * sizeof(double), rows, row};
        } else if (d == 1) {
            const auto planes = static_cast<std::size_t>(grid.size(2));
            crossing.to_above = {bytes_at(grid.row(top, 0) - Grid::kReach), low * row, planes, plane};
            crossing.to_below = {bytes_at(grid.row(0, 0) - Grid::kReach), high * row, planes, plane};
        } else {
            crossing.to_above = {bytes_at(grid.plane(top)), low * plane, 1, low * plane};
            crossing.to_below = {bytes_at(grid.plane(0)), high * plane, 1, high * plane};
            crossing.from_below = grid.plane(-halo.low);
            crossing.from_above = grid.plane(grid.size(2));
            continue;
        }
        crossing.from_below = communication.allocate_array<double>(crossing.to_above.total() / sizeof(double)).data();
        crossing.from_above = communication.allocate_array<double>(crossing.to_below.total() / sizeof(double)).data();
    }
}

void HaloExchange::post()
{
    for (const Crossing& crossing : crossings_) {
        if (!crossing.cut) continue;
        // Every rank has the same box: what comes from below is as long as what goes above.
        group_.post_receive(crossing.from_below, crossing.to_above.total(), crossing.below, index_);
        group_.post_receive(crossing.from_above, crossing.to_below.total(), crossing.above, index_ + 1);
    }
}

void HaloExchange::exchange()
{
    for (int d = 0; d < kDimensions; ++d) {
        const Crossing& crossing = crossings_[static_cast<std::size_t>(d)];
        if (!crossing.cut) continue;
        group_.send(crossing.to_above, crossing.above, index_);
        group_.send(crossing.to_below, crossing.below, index_ + 1);
        group_.wait_receive(crossing.below, index_);
        if (d < 2) copy_to_halo(d, crossing.from_below, true);
        group_.wait_receive(crossing.above, index_ + 1);
        if (d < 2) copy_to_halo(d, crossing.from_above, false);
    }
}

void HaloExchange::copy_to_halo(int dimension, const double* layers, bool low)
{
    const int count = low ? grid_.halo().low : grid_.halo().high;
    const int first = low ? -count : grid_.size(dimension);
    if (dimension == 0) {
        const std::size_t rows = rows_across_x(grid_);
        double* to = grid_.row(0, 0) + first;
        for (std::size_t row = 0; row < rows; ++row, to += grid_.row_pitch()) {
            for (int x = 0; x < count; ++x) to[x] = *layers++;
        }
        return;
    }
    const std::size_t length = static_cast<std::size_t>(count) * grid_.row_pitch();
    for (int z = 0; z < grid_.size(2); ++z, layers += length) {
        std::copy_n(layers, length, grid_.row(first, z) - Grid::kReach);
    }
}

std::size_t HaloExchange::bytes(const Box& box, Halo halo)
{
    const auto layers = static_cast<std::size_t>(halo.low + halo.high);
    const auto rows = static_cast<std::size_t>(box.size[1] + (box.cut[1] ? halo.low + halo.high : 0));
    const auto planes = static_cast<std::size_t>(box.size[2]);
    const auto pitch = static_cast<std::size_t>(box.size[0] + 2 * Grid::kReach);
    return sizeof(double) * layers * ((box.cut[0] ? rows * planes : 0) + (box.cut[1] ? pitch * planes : 0));
}

}  // namespace fmpl::npb::mg
