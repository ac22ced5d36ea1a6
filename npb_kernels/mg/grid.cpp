#include "grid.hpp"

#include <algorithm>

namespace fmpl::npb::mg {

namespace {

// A row has kReach points of halo on both sides of its points, whose number is rounded up to whole lines.
std::size_t pitch_of_rows(const Box& box)
{
    return (static_cast<std::size_t>(box.size[0]) + Grid::kLine - 1) / Grid::kLine * Grid::kLine + 2 * Grid::kReach;
}

std::size_t with_halo(const Box& box, Halo halo, std::size_t d)
{
    return static_cast<std::size_t>(box.size[d] + (box.cut[d] ? halo.low + halo.high : 0));
}

// The first row begins so that its point 0 lies at the beginning of a line.
constexpr std::size_t kMargin = Grid::kLine - Grid::kReach;

// The number n within [0, size), periodically.
int periodic(int n, int size)
{
    return ((n % size) + size) % size;
}

}  // namespace

Grid::Grid(const Box& box, Halo halo, Place place, Communication& communication)
    : box_(box),
      halo_(halo),
      row_pitch_(pitch_of_rows(box)),
      plane_pitch_(with_halo(box, halo, 1) * row_pitch_),
      planes_(with_halo(box, halo, 2)),
      plane_(static_cast<std::size_t>(box.size[2] + 2 * kReach)),
      row_(static_cast<std::size_t>(box.size[1] + 2 * kReach))
{
    const auto low = static_cast<std::size_t>(box.cut[2] ? halo.low : 0);
    const auto message_memory = [&](std::size_t planes) {
        const std::span<double> memory = communication.allocate_array<double>(planes * plane_pitch_ + kMargin);
        std::fill(memory.begin(), memory.end(), 0.0);
        return memory.data() + kMargin;
    };
    if (place == Place::messages) {
        first_ = message_memory(planes_);
    } else {
        own_ = WorkArray<double>(static_cast<std::size_t>(box.size[2]) * plane_pitch_ + kMargin);
        first_ = own_.data() + kMargin;
        if (box.cut[2] && halo.low + halo.high > 0) {
            beyond_ = message_memory(static_cast<std::size_t>(halo.low + halo.high));
        }
    }
    for (int z = -kReach; z < box.size[2] + kReach; ++z) {
        double* at = nullptr;
        if (!box.cut[2]) {
            at = first_ + static_cast<std::size_t>(periodic(z, box.size[2])) * plane_pitch_;
        } else if (z < -halo.low || z >= box.size[2] + halo.high) {
            at = nullptr;
        } else if (place == Place::messages) {
            at = first_ + static_cast<std::size_t>(z + halo.low) * plane_pitch_;
        } else if (z < 0) {
            at = beyond_ + static_cast<std::size_t>(z + halo.low) * plane_pitch_;
        } else if (z >= box.size[2]) {
            at = beyond_ + (low + static_cast<std::size_t>(z - box.size[2])) * plane_pitch_;
        } else {
            at = first_ + static_cast<std::size_t>(z) * plane_pitch_;
        }
        plane_[static_cast<std::size_t>(z + kReach)] = at == nullptr ? nullptr : at + kReach;
    }
    for (int y = -kReach; y < box.size[1] + kReach; ++y) {
        const int at = box.cut[1] ? std::max(0, y + halo.low) : periodic(y, box.size[1]);
        row_[static_cast<std::size_t>(y + kReach)] = static_cast<std::size_t>(at) * row_pitch_;
    }
}

void Grid::fill_with_zero()
{
    const int low = box_.cut[2] ? halo_.low : 0;
    const int high = box_.cut[2] ? halo_.high : 0;
    for (int z = -low; z < box_.size[2] + high; ++z) std::fill_n(plane(z), plane_pitch_, 0.0);
}

std::size_t Grid::bytes(const Box& box, Halo halo)
{
    return with_halo(box, halo, 2) * with_halo(box, halo, 1) * pitch_of_rows(box) * sizeof(double);
}

}  // namespace fmpl::npb::mg
