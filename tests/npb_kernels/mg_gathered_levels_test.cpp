// GatheredLevels, in every process grid, against a V-cycle of plain loops on the whole grid.
#include "mg_plain_grid.hpp"

#include "mg/gathered_levels.hpp"

#include "support/ranks_test.hpp"

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::mg;
using namespace fmpl_test;

// The solution of a level and all below it.
PlainGrid plain_cycle(const PlainGrid& r)
{
    if (r.size() == 2) return plain_smooth(PlainGrid(2), r, kSmootherB);
    const PlainGrid u = plain_interpolate(PlainGrid(r.size()), plain_cycle(plain_restrict(r)));
    return plain_smooth(u, plain_residual(u, r), kSmootherB);
}

FMPL_RANKS_TEST_AT(MgGatheredLevels, GiveEveryRankItsBoxWithTheHalo, ({1, 2, 4, 8, 16}))
{
    const auto communication = Communication::join();
    for (const Triple& processes : process_grids(communication->ranks(), 5)) {
        const Domain domain(communication->rank(), processes, 5);
        GatheredLevels levels(*communication, domain, kSmootherB, 0);
        for (std::uint64_t round = 0; round < 3; ++round) {
            const PlainGrid whole = PlainGrid::random(1 << domain.gathered_level(), seed() + round);
            levels.post();
            copy_part(whole, levels.right_hand_side());
            levels.solve();
            EXPECT_LE(largest_difference(plain_cycle(whole), levels.solution(), true), 1e-13);
        }
    }
}

}  // namespace
