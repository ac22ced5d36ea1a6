// HaloExchange and Grid, in every process grid, against a whole grid.
#include "mg_plain_grid.hpp"

#include "mg/fused_sweep.hpp"
#include "mg/halo_exchange.hpp"

#include "support/ranks_test.hpp"

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::mg;
using namespace fmpl_test;

FMPL_RANKS_TEST_AT(MgHaloExchange, FillsFacesEdgesAndCornersOfEveryHalo, ({1, 2, 4, 8}))
{
    const auto communication = Communication::join();
    constexpr int kFinest = 5;
    for (const Triple& processes : process_grids(communication->ranks(), kFinest)) {
        const Domain domain(communication->rank(), processes, kFinest);
        for (const Halo halo : {kSolutionHalo, kCoarseSolutionHalo, kCoarseResidualHalo}) {
            Grid grid(domain.box(kFinest), halo, Grid::Place::own, *communication);
            HaloExchange exchange(*communication, domain, grid, 4);
            for (std::uint64_t round = 0; round < 3; ++round) {
                const PlainGrid whole = PlainGrid::random(1 << kFinest, seed() + round);
                exchange.post();
                for (int z = 0; z < grid.size(2); ++z) {
                    for (int y = 0; y < grid.size(1); ++y) {
                        for (int x = 0; x < grid.size(0); ++x) {
                            const Triple& at = grid.box().offset;
                            grid.row(y, z)[x] = whole.at(at[0] + x, at[1] + y, at[2] + z);
                        }
                    }
                }
                exchange.exchange();
                EXPECT_EQ(largest_difference(whole, grid, true), 0)
                    << processes[0] << " x " << processes[1] << " x " << processes[2] << ", halo " << halo.low;
            }
        }
    }
}

FMPL_RANKS_TEST_AT(MgGrid, GoesOnAtTheOtherEndWhereItIsNotCut, ({1, 2}))
{
    const auto communication = Communication::join();
    const Domain domain(communication->rank(), Domain::choose_processes(communication->ranks(), 5), 5);
    Grid grid(domain.box(5), kSolutionHalo, Grid::Place::own, *communication);
    EXPECT_EQ(grid.row(-3, 1), grid.row(29, 1));
    EXPECT_EQ(grid.row(34, 1), grid.row(2, 1));
    EXPECT_TRUE(grid.cut(2) || grid.row(5, -2) == grid.row(5, 30));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(grid.row(7, 3)) % 64, 0U);
}

}  // namespace
