// Allreduce by recursive doubling: in round k, ranks 2^k apart exchange what they have. floor(log2 n) rounds, and two
// more where n is no power of two: (L + B) log2 n.
#include "coll/algorithms.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace fmpl::mpi {

namespace {

// A power of two of places. The first 2 * folded ranks work as pairs: the odd one for both.
struct Places {
    explicit Places(int members)
        : places(static_cast<int>(std::bit_floor(static_cast<unsigned>(members)))),
          folded(members - places)
    {
    }
    bool is_left_out(int rank) const { return rank < 2 * folded && rank % 2 == 0; }
    bool works_for_two(int rank) const { return rank < 2 * folded && rank % 2 != 0; }
    int rank_at(int place) const { return place < folded ? 2 * place + 1 : place + folded; }
    int place_of(int rank) const { return rank < 2 * folded ? rank / 2 : rank - folded; }

    int places;
    int folded;
};

}  // namespace

bool meets_in_recursive_doubling(const Members& members, int rank)
{
    const Places of(members.size());
    const int lower = std::min(rank, members.rank());
    const int higher = std::max(rank, members.rank());
    if (of.is_left_out(lower)) return higher == lower + 1;
    return !of.is_left_out(higher) &&
           std::has_single_bit(static_cast<unsigned>(of.place_of(lower) ^ of.place_of(higher)));
}

void recursive_doubling_allreduce(Schedule& schedule, const Members& members, void* values, std::int64_t count)
{
    const int rank = members.rank();
    if (members.size() == 1) return;
    const Places of(members.size());

    if (of.is_left_out(rank)) {
        schedule.send(members, schedule.elements(values, count), rank + 1);
        schedule.end_round();
        schedule.receive(members, schedule.elements(values, count), rank + 1);
        schedule.end_round();
        return;
    }

    void* mine = values;
    void* theirs = schedule.element_memory(count);
    if (of.works_for_two(rank)) {
        schedule.receive(members, schedule.elements(theirs, count), rank - 1);
        schedule.end_round();
        schedule.reduce(theirs, mine, count);
    }
    for (int bit = 1; bit < of.places; bit *= 2) {
        const int partner = of.rank_at(of.place_of(rank) ^ bit);
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
    if (of.works_for_two(rank)) schedule.send(members, schedule.elements(mine, count), rank - 1);
    schedule.end_round();
}

}  // namespace fmpl::mpi
