#include "distribution.hpp"

#include "../common/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace fmpl::npb::ft {

namespace {

constexpr std::size_t kBlock = 8;  // lines that no two ranks share, where lanes run across them

}  // namespace

Distribution::Distribution(const Grid& grid, int ranks, Layout layout, int rank) : grid_(grid)
{
    const auto count = static_cast<std::size_t>(ranks);
    const std::size_t slabs = std::min(grid.ny, grid.nz);
    const std::size_t xy_limit = std::min(grid.nx, grid.ny) / kBlock;
    const std::size_t limit = layout == Layout::slab ? slabs : xy_limit * slabs;
    if (!std::has_single_bit(count) || count > limit) {
        throw Refusal(fmt::format("a grid of {} x {} x {} in {} takes a power of two of ranks, up to {}, not {}",
            grid.nx, grid.ny, grid.nz, layout == Layout::slab ? "slabs" : "pencils", limit, ranks));
    }
    if (layout != Layout::pencil && count <= slabs) {
        xy_ranks_ = 1;
    } else {
        // As square as the limits allow, for the exchanges of fewest partners.
        const auto bits = static_cast<unsigned>(std::countr_zero(count));
        xy_ranks_ = std::clamp(std::size_t{1} << ((bits + 1) / 2), (count + slabs - 1) / slabs, xy_limit);
    }
    yz_ranks_ = count / xy_ranks_;
    xy_place_ = static_cast<std::size_t>(rank) / yz_ranks_;
    yz_place_ = static_cast<std::size_t>(rank) % yz_ranks_;
}

std::vector<int> Distribution::xy_group() const
{
    std::vector<int> members;
    for (std::size_t place = 0; place < xy_ranks_; ++place)
        members.push_back(static_cast<int>(place * yz_ranks_ + yz_place_));
    return members;
}

std::vector<int> Distribution::yz_group() const
{
    std::vector<int> members;
    for (std::size_t place = 0; place < yz_ranks_; ++place)
        members.push_back(static_cast<int>(xy_place_ * yz_ranks_ + place));
    return members;
}

Grid grid_of(ProblemClass problem_class)
{
    return by_class<Grid>(problem_class, {64, 64, 64}, {128, 128, 32}, {256, 256, 128}, {512, 256, 256},
        {512, 512, 512}, {2048, 1024, 1024});
}

int iterations_of(ProblemClass problem_class)
{
    return by_class(problem_class, 6, 6, 6, 20, 20, 25);
}

}  // namespace fmpl::npb::ft
