// Broadcast over a binomial tree. ceil(log2 n) rounds: (L + B) log2 n.
#include "coll/algorithms.hpp"

namespace fmpl::mpi {

void binomial_bcast(Schedule& schedule, const Members& members, const MessageBuffer& buffer, int root)
{
    const int n = members.size();
    const int place = (members.rank() - root + n) % n;  // counted from root

    // The lowest bit of the place leads to the parent; the bits below it to the children.
    int bit = 1;
    while (bit < n && (place & bit) == 0) bit *= 2;
    if (place != 0) {
        schedule.receive(members, buffer, (place - bit + root) % n);
        schedule.end_round();
    }
    // The farthest first: its subtree is the deepest.
    for (bit /= 2; bit > 0; bit /= 2) {
        if (place + bit < n) schedule.send(members, buffer, (place + bit + root) % n);
    }
    schedule.end_round();
}

}  // namespace fmpl::mpi
