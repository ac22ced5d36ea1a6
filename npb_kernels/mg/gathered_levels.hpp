// The coarse levels that rank 0 computes alone: it gathers the right-hand side of the finest of them, takes the rest of
// the V-cycle down and up, and gives every rank its box of the solution, with the halo that the interpolation reads.
// Two messages a rank take the place of some for each level.
#pragma once

#include "common/communication.hpp"
#include "domain.hpp"
#include "fused_sweep.hpp"
#include "grid.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace fmpl::npb::mg {

class GatheredLevels {
public:
    // Messages take the matching indices `index` and `index` + 1 between rank 0 and the others.
    static constexpr int kIndices = 2;
    GatheredLevels(Communication& communication, const Domain& domain, const Coefficients& smoother, int index);

    // The rank's box of the right-hand side at domain.gathered_level(), to be written before solve().
    Grid& right_hand_side() { return right_hand_side_; }
    // The rank's box of the solution, with kCoarseSolutionHalo; valid after solve().
    const Grid& solution() const { return solution_; }

    // Posts the receives, ahead of solve(); the solution of the last one is no longer needed.
    void post();
    // Collective.
    void solve();

    static std::size_t bytes(const Domain& domain);

private:
    void solve_alone();
    void copy_to_whole(const double* piece, int rank);
    void copy_from_whole(double* piece, int rank) const;

    Group& group_;
    Domain domain_;
    int index_;
    Grid right_hand_side_;
    Grid solution_;
    // Of rank 0:
    std::vector<Grid> residuals_;  // [level - 1], levels 1 .. gathered
    std::vector<Grid> solutions_;
    std::vector<std::span<double>> pieces_;  // [rank], as they arrive
    std::span<double> leaving_;
    FusedSweep sweep_;
};

}  // namespace fmpl::npb::mg
