// The right-hand side v of the benchmark (NPB report RNR-94-007, section 2.4.2): the random numbers of
// common/random.hpp are laid over the grid, x fastest, then y, then z; v is +1 at the ten largest, -1 at the ten
// smallest of them, 0 elsewhere.
#pragma once

#include "common/communication.hpp"
#include "domain.hpp"
#include "grid.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace fmpl::npb::mg {

inline constexpr int kCharges = 10;  // of each sign

// Points of the whole grid, counted x fastest.
struct Charges {
    std::array<std::int64_t, kCharges> positive;
    std::array<std::int64_t, kCharges> negative;
};

// Collective: each rank searches its box of the finest level.
Charges find_charges(Group& group, const Domain& domain);

// Writes v, with its halo.
void set_right_hand_side(Grid& v, const Domain& domain, const Charges& charges);

}  // namespace fmpl::npb::mg
