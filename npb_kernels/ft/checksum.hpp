// The sum by which the benchmark verifies the field: of the points (j mod nx, 3 j mod ny, 5 j mod nz), j = 1 ... 1024,
// divided by the number of points of the grid, since the inverse transform is not scaled (RNR-94-007, section 2.2.4).
#pragma once

#include "distribution.hpp"

#include "../common/communication.hpp"

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace fmpl::npb::ft {

class Checksum {
public:
    explicit Checksum(const Distribution& distribution);

    // Of the field in physical form, the rank's part of it. Collective over world; the same on all ranks.
    std::complex<double> operator()(const double* field, Group& world) const;

private:
    std::vector<std::size_t> places_;  // real parts of the points that this rank has
    double scale_;
};

// Published values (NPB 3.4), one for each iteration.
std::span<const std::complex<double>> reference_checksums(ProblemClass problem_class);

// Real and imaginary part within a relative 1e-12.
bool agrees(std::complex<double> value, std::complex<double> reference);

}  // namespace fmpl::npb::ft
