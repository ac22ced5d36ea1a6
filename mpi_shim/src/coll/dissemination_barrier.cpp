// Barrier: in round k every rank tells the one 2^k further on, and hears from the one 2^k before.
// ceil(log2 n) rounds, n messages each: L log2 n.
#include "coll/algorithms.hpp"

namespace fmpl::mpi {

void dissemination_barrier(Schedule& schedule, const Channel& channel)
{
    const int n = channel.size();
    const int rank = channel.rank();
    for (int distance = 1; distance < n; distance *= 2) {
        schedule.receive(channel, {}, (rank - distance + n) % n);
        schedule.send(channel, {}, (rank + distance) % n);
        schedule.end_round();
    }
}

}  // namespace fmpl::mpi
