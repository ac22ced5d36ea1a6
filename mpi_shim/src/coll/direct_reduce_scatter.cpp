// Reduce-scatter: every rank sends each other rank's part to it, and reduces what comes for itself in the order of
// the ranks. One round: n L + B, with temporary memory of B.
#include "coll/algorithms.hpp"

#include <vector>

namespace fmpl::mpi {

void direct_reduce_scatter(Schedule& schedule, const Members& members, const void* contribution, void* result,
    std::span<const std::int64_t> counts, Lengths lengths)
{
    const int n = members.size();
    const int rank = members.rank();
    const std::int64_t count = counts[static_cast<std::size_t>(rank)];

    std::vector<const void*> parts(static_cast<std::size_t>(n));
    std::vector<void*> operands(static_cast<std::size_t>(n));  // of this rank's part, by rank
    std::int64_t first = 0;
    for (int r = 0; r < n; ++r) {
        parts[static_cast<std::size_t>(r)] = schedule.element(contribution, first);
        first += counts[static_cast<std::size_t>(r)];
        if (count > 0 && r != rank) operands[static_cast<std::size_t>(r)] = schedule.element_memory(count);
    }
    const auto outgoing = [&](int r) {
        return schedule.elements(parts[static_cast<std::size_t>(r)], counts[static_cast<std::size_t>(r)]);
    };
    const auto incoming = [&](int r) { return schedule.elements(operands[static_cast<std::size_t>(r)], count); };
    posted_exchange(schedule, members, outgoing, incoming, lengths, true);
    if (count == 0) return;

    // Operands are overwritten, but for the own one, which may be the user's; in place, the result may overlap it.
    const auto operand = [&](int r) -> const void* {
        return r == rank ? parts[static_cast<std::size_t>(r)] : operands[static_cast<std::size_t>(r)];
    };
    const void* sum = operand(0);
    for (int r = 1; r < n; ++r) {
        void* inout = operands[static_cast<std::size_t>(r)];
        if (r == rank) {
            inout = r == n - 1 && contribution != result ? result : schedule.element_memory(count);
            schedule.copy(schedule.elements(operand(r), count), schedule.elements(inout, count));
        }
        schedule.reduce(sum, inout, count);
        sum = inout;
    }
    if (sum != result) schedule.copy(schedule.elements(sum, count), schedule.elements(result, count));
    schedule.end_round();
}

}  // namespace fmpl::mpi
