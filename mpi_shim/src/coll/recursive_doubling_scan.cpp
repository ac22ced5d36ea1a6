// Scan by recursive doubling: in round k, ranks 2^k apart exchange the reduction of the aligned range of 2^k ranks
// that they are in; what comes from lower ranks also goes into the rank's own result. ceil(log2 n) rounds: (L + 2 B)
// log2 n.
#include "coll/algorithms.hpp"

#include <utility>

namespace fmpl::mpi {

void recursive_doubling_scan(Schedule& schedule, const Members& members, const void* contribution, void* result,
    std::int64_t count, bool inclusive)
{
    const int n = members.size();
    const int rank = members.rank();
    const auto elements = [&](const void* data) { return schedule.elements(data, count); };

    void* range = schedule.element_memory(count);  // over the range of ranks so far
    void* theirs = schedule.element_memory(count);
    schedule.copy(elements(contribution), elements(range));
    bool has_result = inclusive;
    if (inclusive && contribution != result) schedule.copy(elements(contribution), elements(result));
    schedule.end_round();

    for (int bit = 1; bit < n; bit *= 2) {
        const int partner = rank ^ bit;
        if (partner >= n) continue;
        schedule.receive(members, elements(theirs), partner);
        schedule.send(members, elements(range), partner);
        schedule.end_round();
        if (partner > rank) {
            schedule.reduce(range, theirs, count);
            std::swap(range, theirs);
            continue;
        }
        if (has_result) {
            schedule.reduce(theirs, result, count);
        } else {
            schedule.copy(elements(theirs), elements(result));
            has_result = true;
        }
        schedule.reduce(theirs, range, count);
    }
    schedule.end_round();
}

}  // namespace fmpl::mpi
