// The spectrum at time t is the one at time 0 times exp(-4 alpha pi^2 t (i^2 + j^2 + k^2)), where i, j, k are the
// frequencies of a point, -n/2 <= i < n/2 (RNR-94-007, section 2.2.4).
//
// The exponential is a product of three that depend on one index each; these are tabulated for each time, and
// multiplied where the points are read for the transform. That leaves the spectrum at time 0 as it is, and saves a
// table of the grid's size.
#pragma once

#include "distribution.hpp"
#include "fft.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace fmpl::npb::ft {

class Evolution {
public:
    static constexpr double kAlpha = 1e-6;

    explicit Evolution(const Distribution& distribution);

    // Factors of time t from here on.
    void set_time(int t);

    // Of the eight columns of a block and a line, both counted within the rank's part, over all z; valid until the next
    // call.
    Factors factors(std::size_t x_block, std::size_t line);

private:
    // exp(-4 alpha pi^2 t i^2) for `count` indices of a dimension of n points, from `first` on.
    static void tabulate(std::vector<double>& table, int t, std::size_t first, std::size_t n);

    Distribution distribution_;
    std::vector<double> by_x_;
    std::vector<double> by_y_;
    std::vector<double> by_z_;
    alignas(64) std::array<double, 8> by_column_{};
};

}  // namespace fmpl::npb::ft
