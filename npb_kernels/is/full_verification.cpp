#include "full_verification.hpp"

#include <cstddef>
#include <vector>

namespace fmpl::npb::is {

FullVerification verify_fully(std::span<const Key> sorted, Group& world)
{
    // First and last key of each rank, plus 1; ranks without keys leave zeros.
    std::vector<std::int64_t> ends(2 * static_cast<std::size_t>(world.size()));
    if (!sorted.empty()) {
        const std::size_t own = 2 * static_cast<std::size_t>(world.rank());
        ends[own] = std::int64_t{sorted.front()} + 1;
        ends[own + 1] = std::int64_t{sorted.back()} + 1;
    }
    world.sum(std::span(ends));

    std::int64_t out_of_order = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i) out_of_order += sorted[i] < sorted[i - 1] ? 1 : 0;
    std::int64_t sums[] = {static_cast<std::int64_t>(sorted.size()), out_of_order, digest(sorted)};
    world.sum(std::span(sums));

    FullVerification result{sums[0], sums[1], sums[2]};
    std::int64_t last = 0;
    for (std::size_t rank = 0; rank < ends.size(); rank += 2) {
        if (ends[rank] == 0) continue;
        if (ends[rank] < last) ++result.out_of_order;
        last = ends[rank + 1];
    }
    return result;
}

std::int64_t digest(std::span<const Key> keys)
{
    std::int64_t sum = 0;
    for (const Key key : keys) sum += (key * Key{2654435761}) >> 8;
    return sum;
}

}  // namespace fmpl::npb::is
