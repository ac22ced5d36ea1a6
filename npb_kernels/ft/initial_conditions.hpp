// The field at time 0: random numbers in the order of storage of the benchmark, x fastest, then y, then z; of each
// point first the real part, then the imaginary one (RNR-94-007, section 2.2.4).
#pragma once

#include "distribution.hpp"

#include "../common/work_array.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace fmpl::npb::ft {

class InitialConditions {
public:
    explicit InitialConditions(const Grid& grid);

    // The lines y to y + 7 of plane z, in nx rows: lane i is line y + i.
    void fill(std::size_t y, std::size_t z, double* rows) const;

private:
    Grid grid_;
    std::array<std::uint64_t, 8> lane_jumps_;  // from the first lane's state to that of each
};

}  // namespace fmpl::npb::ft
