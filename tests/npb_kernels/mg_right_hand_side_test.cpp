// The right-hand side, against a search through all random numbers by one rank.
#include "mg_plain_grid.hpp"

#include "mg/fused_sweep.hpp"
#include "mg/right_hand_side.hpp"

#include "common/random.hpp"
#include "support/ranks_test.hpp"

#include <algorithm>
#include <utility>

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::mg;
using namespace fmpl_test;

PlainGrid plain_right_hand_side(int size)
{
    PlainGrid v(size);
    std::vector<std::pair<double, Triple>> numbers;
    Random random;
    v.each([&](int x, int y, int z) { numbers.push_back({random.next(), {x, y, z}}); });
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t i = 0; i < 10; ++i) {
        const auto& [least, negative] = numbers[i];
        const auto& [most, positive] = numbers[numbers.size() - 1 - i];
        v.at(negative[0], negative[1], negative[2]) = -1;
        v.at(positive[0], positive[1], positive[2]) = 1;
    }
    return v;
}

FMPL_RANKS_TEST_AT(MgRightHandSide, HasTheTenLargestAndTheTenSmallestNumbers, ({1, 2, 4, 8}))
{
    const auto communication = Communication::join();
    constexpr int kFinest = 5;
    const PlainGrid expected = plain_right_hand_side(1 << kFinest);
    for (const Triple& processes : process_grids(communication->ranks(), kFinest)) {
        const Domain domain(communication->rank(), processes, kFinest);
        Grid v(domain.box(kFinest), kRightHandSideHalo, Grid::Place::own, *communication);
        set_right_hand_side(v, domain, find_charges(communication->world(), domain));
        EXPECT_EQ(largest_difference(expected, v, true), 0);
    }
}

}  // namespace
