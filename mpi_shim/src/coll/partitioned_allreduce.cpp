// Allreduce of many elements: every rank reduces its part, then sends it to all. Two rounds: 2 n L + 2 B.
#include "coll/algorithms.hpp"
#include "p2p/crowded.hpp"

#include <algorithm>
#include <vector>

namespace fmpl::mpi {

bool is_partitioned(const Members& members, std::uint64_t bytes)
{
    constexpr std::uint64_t kPartitioned = 64 * 1024;
    constexpr std::uint64_t kPartitionedCrowded = 24 * 1024 + 1;  // docs/decisions/0064-scans-in-short-pieces.md
    return bytes >= (is_crowded() ? kPartitionedCrowded : kPartitioned) && members.size() > 2;
}

int messages_of_allreduce(const Members& members, int rank, std::uint64_t bytes, bool is_predefined)
{
    if (is_predefined && is_partitioned(members, bytes)) return 2;
    return meets_in_recursive_doubling(members, rank) ? 1 : 0;
}

void partitioned_allreduce(Schedule& schedule, const Members& members, void* values, std::int64_t count)
{
    const int n = members.size();
    std::vector<std::int64_t> counts(static_cast<std::size_t>(n));
    const auto first_of = [&](int rank) { return count / n * rank + std::min<std::int64_t>(rank, count % n); };
    for (int r = 0; r < n; ++r) counts[static_cast<std::size_t>(r)] = first_of(r + 1) - first_of(r);
    const auto part = [&](int rank) {
        return schedule.elements(schedule.element(values, first_of(rank)), counts[static_cast<std::size_t>(rank)]);
    };

    direct_reduce_scatter(
        schedule, members, values, schedule.element(values, first_of(members.rank())), counts, Lengths::varying);
    const auto mine = [&](int) { return part(members.rank()); };
    posted_exchange(schedule, members, mine, part);
}

}  // namespace fmpl::mpi
