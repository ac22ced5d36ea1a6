// The passes over a level, in every process grid, against the operators one after the other on the whole grid.
#include "mg_plain_grid.hpp"

#include "mg/fused_sweep.hpp"

#include "support/ranks_test.hpp"

#include <cmath>

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::mg;
using namespace fmpl_test;

constexpr int kFinest = 5;
constexpr int kSize = 1 << kFinest;
constexpr double kTolerance = 1e-13;

FMPL_RANKS_TEST_AT(MgFusedSweep, FinestPassCorrectsSmoothsAndRestricts, ({1, 2, 4, 8}))
{
    const auto communication = Communication::join();
    const PlainGrid whole_u = PlainGrid::random(kSize, seed()), whole_v = PlainGrid::random(kSize, seed() + 1);
    const PlainGrid whole_z = PlainGrid::random(kSize / 2, seed() + 2);
    const PlainGrid interpolated = plain_interpolate(whole_u, whole_z);
    const PlainGrid next = plain_smooth(interpolated, plain_residual(interpolated, whole_v), kSmootherA);
    const PlainGrid residual = plain_residual(next, whole_v), restricted = plain_restrict(residual);
    double squares = 0;
    residual.each([&](int x, int y, int z) { squares += residual.at(x, y, z) * residual.at(x, y, z); });

    for (const Triple& processes : process_grids(communication->ranks(), kFinest)) {
        const Domain domain(communication->rank(), processes, kFinest);
        const Box box = domain.box(kFinest), coarse_box = domain.box(kFinest - 1);
        Grid u(box, kSolutionHalo, Grid::Place::own, *communication),
            corrected(u.box(), u.halo(), Grid::Place::own, *communication);
        Grid v(box, kRightHandSideHalo, Grid::Place::own, *communication);
        Grid z(coarse_box, kCoarseSolutionHalo, Grid::Place::own, *communication);
        Grid coarse_r(coarse_box, kCoarseResidualHalo, Grid::Place::own, *communication);
        copy_part(whole_u, u);
        copy_part(whole_v, v);
        copy_part(whole_z, z);
        FusedSweep sweep(box, kSmootherA);

        EXPECT_EQ(sweep.finest({.u = u, .v = v, .coarse = &z, .corrected = &corrected, .restricted = &coarse_r}), 0);
        EXPECT_LE(largest_difference(next, corrected), kTolerance);
        EXPECT_LE(largest_difference(restricted, coarse_r), kTolerance);

        corrected.fill_with_zero();
        const double part = sweep.finest({.u = u, .v = v, .coarse = &z, .corrected = &corrected, .norm = true});
        EXPECT_LE(largest_difference(next, corrected), kTolerance);
        EXPECT_NEAR(communication->world().sum(part), squares, 1e-11 * squares);
    }
}

FMPL_RANKS_TEST_AT(MgFusedSweep, FirstPassIsTheResidualAlone, ({1, 2, 4, 8}))
{
    const auto communication = Communication::join();
    const PlainGrid whole_u = PlainGrid::random(kSize, seed()), whole_v = PlainGrid::random(kSize, seed() + 1);
    const PlainGrid residual = plain_residual(whole_u, whole_v), restricted = plain_restrict(residual);
    double squares = 0;
    residual.each([&](int x, int y, int z) { squares += residual.at(x, y, z) * residual.at(x, y, z); });

    for (const Triple& processes : process_grids(communication->ranks(), kFinest)) {
        const Domain domain(communication->rank(), processes, kFinest);
        Grid u(domain.box(kFinest), kSolutionHalo, Grid::Place::own, *communication);
        Grid v(domain.box(kFinest), kRightHandSideHalo, Grid::Place::own, *communication);
        Grid coarse_r(domain.box(kFinest - 1), kCoarseResidualHalo, Grid::Place::own, *communication);
        copy_part(whole_u, u);
        copy_part(whole_v, v);
        FusedSweep sweep(u.box(), kSmootherA);
        const double part = sweep.finest({.u = u, .v = v, .restricted = &coarse_r, .norm = true});
        EXPECT_NEAR(communication->world().sum(part), squares, 1e-11 * squares);
        EXPECT_LE(largest_difference(restricted, coarse_r), kTolerance);
    }
}

FMPL_RANKS_TEST_AT(MgFusedSweep, CoarsePassesAgreeWithTheOperators, ({1, 2, 4, 8}))
{
    const auto communication = Communication::join();
    const PlainGrid whole_r = PlainGrid::random(kSize, seed()), whole_z = PlainGrid::random(kSize / 2, seed() + 1);
    const PlainGrid interpolated = plain_interpolate(PlainGrid(kSize), whole_z);
    const PlainGrid next = plain_smooth(interpolated, plain_residual(interpolated, whole_r), kSmootherB);
    const PlainGrid restricted = plain_restrict(whole_r);

    for (const Triple& processes : process_grids(communication->ranks(), kFinest)) {
        const Domain domain(communication->rank(), processes, kFinest);
        Grid r(domain.box(kFinest), kCoarseResidualHalo, Grid::Place::own, *communication);
        Grid u(domain.box(kFinest), kCoarseSolutionHalo, Grid::Place::own, *communication);
        Grid z(domain.box(kFinest - 1), kCoarseSolutionHalo, Grid::Place::own, *communication);
        Grid coarse_r(domain.box(kFinest - 1), kCoarseResidualHalo, Grid::Place::own, *communication);
        copy_part(whole_r, r);
        copy_part(whole_z, z);
        FusedSweep sweep(r.box(), kSmootherB);
        sweep.coarse(r, &z, u);
        EXPECT_LE(largest_difference(next, u), kTolerance);
        sweep.restrict_stored(r, coarse_r);
        EXPECT_LE(largest_difference(restricted, coarse_r), kTolerance);
    }
}

// Two points a dimension: a point's neighbours on both sides are the same one.
FMPL_RANKS_TEST_AT(MgFusedSweep, SmoothsTheCoarsestLevelAlone, ({1}))
{
    const auto communication = Communication::join();
    for (const int size : {2, 4}) {
        const Box box{{size, size, size}, {}, {}};
        const PlainGrid whole_r = PlainGrid::random(size, seed());
        const PlainGrid next = plain_smooth(PlainGrid(size), whole_r, kSmootherA);
        Grid r(box, {}, Grid::Place::own, *communication), u(box, {}, Grid::Place::own, *communication);
        copy_part(whole_r, r);
        FusedSweep sweep(box, kSmootherA);
        sweep.coarse(r, nullptr, u);
        EXPECT_LE(largest_difference(next, u), kTolerance);
    }
}

}  // namespace
