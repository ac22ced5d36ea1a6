// A rank's box of a grid, with the layers of its neighbours around it.
//
// Points are numbered within the box: 0 <= x < size[0]; a point of the halo has a negative number or one from the size
// on. In a dimension that is cut the halo is memory of its own, which halo_exchange.hpp fills. In one that is not, the
// planes and rows beyond the end are those from the other end of the period: nothing is copied there. That holds for y
// and z; who reads beyond the end of a row that is not cut copies it first (fused_sweep.cpp).
#pragma once

#include "common/communication.hpp"
#include "common/work_array.hpp"
#include "domain.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace fmpl::npb::mg {

// Layers on the low and on the high side.
struct Halo {
    int low = 0;
    int high = 0;
};

class Grid {
public:
    static constexpr int kReach = 4;         // no halo has more layers
    static constexpr std::size_t kLine = 8;  // doubles of a cache line

    // Where the values lie: in memory of the rank's own, but the halo in z in the memory of messages, so that they
    // arrive in place; or all of them in the memory of messages, planes and halo contiguous.
    enum class Place { own, messages };

    Grid(const Box& box, Halo halo, Place place, Communication& communication);
    Grid(Grid&&) = default;

    const Box& box() const { return box_; }
    int size(int dimension) const { return box_.size[static_cast<std::size_t>(dimension)]; }
    bool cut(int dimension) const { return box_.cut[static_cast<std::size_t>(dimension)]; }
    Halo halo() const { return halo_; }

    // Point (0, y, z), aligned to 64 bytes. -kReach <= y < size + kReach and z alike, within the halo where it is cut.
    double* row(int y, int z)
    {
        return plane_[static_cast<std::size_t>(z + kReach)] + row_[static_cast<std::size_t>(y + kReach)];
    }
    const double* row(int y, int z) const
    {
        return plane_[static_cast<std::size_t>(z + kReach)] + row_[static_cast<std::size_t>(y + kReach)];
    }

    // Doubles from a row to the next one, and from a plane to the next one.
    std::size_t row_pitch() const { return row_pitch_; }
    std::size_t plane_pitch() const { return plane_pitch_; }
    // The memory of a plane, all its rows with their halo, plane_pitch() doubles. Planes 0 .. size are contiguous, so
    // are those of each side of the halo.
    double* plane(int z) { return plane_[static_cast<std::size_t>(z + kReach)] - kReach; }
    // Place::messages: all planes with the halo.
    std::span<double> values() { return {first_, plane_pitch_ * planes_}; }

    void fill_with_zero();

    // Bytes of memory that such a grid takes.
    static std::size_t bytes(const Box& box, Halo halo);

private:
    Box box_;
    Halo halo_;
    std::size_t row_pitch_;
    std::size_t plane_pitch_;
    std::size_t planes_;  // with the halo
    WorkArray<double> own_;
    double* first_ = nullptr;   // plane 0, or with Place::messages the first of the halo
    double* beyond_ = nullptr;  // Place::own: the halo in z
    std::vector<double*> plane_;
    std::vector<std::size_t> row_;  // within a plane, point x = 0
};

}  // namespace fmpl::npb::mg
