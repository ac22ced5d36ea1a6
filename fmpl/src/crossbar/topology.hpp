// The shape of the crossbar: nodes in one to three dimensions, and whether a set of them forms a rectangle.
#pragma once

#include <array>
#include <span>

namespace fmpl {

class Topology {
public:
    // Extents of the dimensions; unused ones are 1. Node r has coordinates (r % e0, r / e0 % e1, r / (e0 e1)).
    explicit Topology(std::array<int, 3> extents) : extents_(extents) {}

    std::array<int, 3> coordinates(int node) const
    {
        return {node % extents_[0], node / extents_[0] % extents_[1], node / (extents_[0] * extents_[1])};
    }
    const std::array<int, 3>& extents() const { return extents_; }

    // Whether the nodes (distinct) are exactly those of a box of the crossbar, which is what the hardware barrier and
    // broadcast of the SR8000 need (paper, section 3.2, condition 4).
    bool is_rectangle(std::span<const int> nodes) const;

private:
    std::array<int, 3> extents_;
};

}  // namespace fmpl
