// Reduction over a binomial tree. ceil(log2 n) rounds: (L + B) log2 n, and another L + B where root is not rank 0 and
// the operation does not commute.
#include "coll/algorithms.hpp"

#include <bit>

namespace fmpl::mpi {

bool sends_to_root(const Members& members, int rank, int root)
{
    return std::has_single_bit(static_cast<unsigned>((rank - root + members.size()) % members.size()));
}

void binomial_reduce(Schedule& schedule, const Members& members, const void* contribution, void* result,
    std::int64_t count, int root, bool has_declined)
{
    const int n = members.size();
    const int rank = members.rank();
    // Places in the tree are ranks counted from its top. A place's subtree is a range that begins with it, so with
    // rank 0 on top operands meet in the order of the ranks.
    const int top = schedule.reduction().commutes() ? root : 0;
    const int place = (rank - top + n) % n;

    int children = 0;
    int parent_bit = 1;
    for (; parent_bit < n && (place & parent_bit) == 0; parent_bit *= 2) {
        if (place + parent_bit < n) ++children;
    }
    // `values` is what the subtree so far comes to; the operand of higher ranks arrives in `spare`, which then has
    // the result.
    const void* values = contribution;
    void* rooms[2] = {nullptr, nullptr};
    if (children > 0) {
        rooms[0] = place == 0 && rank == root && contribution != result ? result : schedule.element_memory(count);
        rooms[1] = children > 1 ? schedule.element_memory(count) : nullptr;
    }
    // The last result lies in `result` where root is on top.
    int room = children % 2 == 1 ? 0 : 1;
    for (int bit = 1; bit < parent_bit && bit < n; bit *= 2) {
        if (place + bit >= n) break;
        void* const spare = rooms[room];
        const int child = (place + bit + top) % n;
        const MessageBuffer theirs = schedule.elements(spare, count);
        schedule.receive(members, theirs, child);
        if (has_declined && rank == root) {
            schedule.take(child, [&schedule, child, bytes = theirs.bytes](const Schedule::Given& given) {
                if (given.comes_as_messages()) return;
                schedule.withdraw_receive(child);
                if (!given.has_failed) schedule.note_arrival(given.bytes, bytes, bytes);
            });
        }
        schedule.end_round();
        schedule.reduce(values, spare, count);
        schedule.end_round();
        values = spare;
        room = 1 - room;
    }
    if (place != 0) {
        schedule.send(members, schedule.elements(values, count), (place - parent_bit + top) % n);
    } else if (rank == root) {
        if (values != result) schedule.copy(schedule.elements(values, count), schedule.elements(result, count));
    } else {
        schedule.send(members, schedule.elements(values, count), root);
    }
    schedule.end_round();
    if (rank == root && place != 0 && top != root) {
        schedule.receive(members, schedule.elements(result, count), top);
        schedule.end_round();
    }
}

}  // namespace fmpl::mpi
