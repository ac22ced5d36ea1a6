// Barrier: in round k every rank tells the one 2^k further on, and hears from the one 2^k before.
// ceil(log2 n) rounds, n messages each: L log2 n.
#include "coll/algorithms.hpp"

namespace fmpl::mpi {

void dissemination_barrier(Schedule& schedule, const Members& members)
{
    const int n = members.size();
    const int rank = members.rank();
    for (int distance = 1; distance < n; distance *= 2) {
        schedule.receive(members, {}, (rank - distance + n) % n);
        schedule.send(members, {}, (rank + distance) % n);
        schedule.end_round();
    }
}

}  // namespace fmpl::mpi
