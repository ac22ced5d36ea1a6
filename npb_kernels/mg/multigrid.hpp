// The V-cycle multigrid solver of the benchmark: an approximate solution u of A u = v, improved by a cycle at a time.
//
// A cycle restricts the residual r = v - A u of the finest level down to the coarsest, smooths there, and goes up
// again: at each level z = Q z', r = r - A z, z = z + S r, the finest with u in the place of z. What the levels do in
// one pass each is in fused_sweep.hpp; the residual that a cycle starts with is restricted in the last pass of the one
// before.
#pragma once

#include "common/communication.hpp"
#include "domain.hpp"
#include "fused_sweep.hpp"
#include "gathered_levels.hpp"
#include "grid.hpp"
#include "halo_exchange.hpp"
#include "right_hand_side.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace fmpl::npb::mg {

class Multigrid {
public:
    // Collective; searches the right-hand side.
    Multigrid(Communication& communication, const Domain& domain, const Coefficients& smoother);

    // u = 0.
    void reset();
    // Computes the residual of u; the next call is cycle(). Returns its L2 norm: the square root of the mean of
    // squares.
    double start();
    // One V-cycle, and the residual of the new u. `last`: returns its L2 norm, and the next call is reset(); otherwise
    // returns 0.
    double cycle(bool last);

    const Charges& charges() const { return charges_; }

    // Bytes that a rank takes.
    static std::size_t bytes(const Domain& domain);

private:
    // A level between the finest and those gathered.
    struct Level {
        Level(Communication& communication, const Domain& domain, int level, int index);
        Grid r;
        Grid u;
        HaloExchange exchange_r;
        HaloExchange exchange_u;
    };
    // The finest but one may be gathered already.
    Grid& coarse_right_hand_side() { return levels_.empty() ? gathered_.right_hand_side() : levels_.back()->r; }
    const Grid& coarse_solution() const { return levels_.empty() ? gathered_.solution() : levels_.back()->u; }
    double norm(double squares);

    Communication& communication_;
    Domain domain_;
    std::array<Grid, 2> u_;  // the present one and the next one, in turn
    Grid v_;
    std::array<HaloExchange, 2> exchanges_;
    GatheredLevels gathered_;
    std::vector<std::unique_ptr<Level>> levels_;  // from the coarsest on
    FusedSweep sweep_;
    Charges charges_;
    std::size_t present_ = 0;
};

}  // namespace fmpl::npb::mg
