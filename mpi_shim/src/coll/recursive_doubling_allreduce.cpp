// Allreduce by recursive doubling: in round k, ranks 2^k apart exchange what they have. floor(log2 n) rounds, and two
// more where n is no power of two: (L + B) log2 n.
#include "coll/algorithms.hpp"

#include <bit>
#include <utility>

namespace fmpl::mpi {

void recursive_doubling_allreduce(Schedule& schedule, const Members& members, void* values, std::int64_t count)
{
    const int n = members.size();
    const int rank = members.rank();
    if (n == 1) return;
    const int places = static_cast<int>(std::bit_floor(static_cast<unsigned>(n)));
    // The first 2 * folded ranks work as pairs: the odd one for both.
    const int folded = n - places;
    const auto rank_at = [&](int place) { return place < folded ? 2 * place + 1 : place + folded; };

    if (rank < 2 * folded && rank % 2 == 0) {
        schedule.send(members, schedule.elements(values, count), rank + 1);
        schedule.end_round();
        schedule.receive(members, schedule.elements(values, count), rank + 1);
        schedule.end_round();
        return;
    }

    void* mine = values;
    void* theirs = schedule.element_memory(count);
    if (rank < 2 * folded) {
        schedule.receive(members, schedule.elements(theirs, count), rank - 1);
        schedule.end_round();
        schedule.reduce(theirs, mine, count);
    }
    const int place = rank < 2 * folded ? rank / 2 : rank - folded;
    for (int bit = 1; bit < places; bit *= 2) {
        const int partner = rank_at(place ^ bit);
        schedule.receive(members, schedule.elements(theirs, count), partner);
        schedule.send(members, schedule.elements(mine, count), partner);
        schedule.end_round();
        // Both compute the same: what comes from the lower ranks, with what comes from the higher ones.
        if (partner < rank) {
            schedule.reduce(theirs, mine, count);
        } else {
            schedule.reduce(mine, theirs, count);
            std::swap(mine, theirs);
        }
    }
    if (mine != values) schedule.copy(schedule.elements(mine, count), schedule.elements(values, count));
    if (rank < 2 * folded) schedule.send(members, schedule.elements(mine, count), rank - 1);
    schedule.end_round();
}

}  // namespace fmpl::mpi
