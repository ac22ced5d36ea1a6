// Exchange with the neighbours of a topology (MPI-3.1, section 7.6): all receives are posted, then all messages are
// sent. One round: L times the degree, and the bytes. Where one rank is a neighbour more than once, its messages match
// in order.
#include "coll/algorithms.hpp"

namespace fmpl::mpi {

void begin_neighbour_exchange(Schedule& schedule, const Members& members, const Neighbours& neighbours,
    const Blocks& outgoing, const Blocks& incoming)
{
    for (const int i : neighbours.by_arrival) {
        if (const MessageBuffer block = incoming(i); block.bytes > 0) {
            schedule.receive_up_to(members, block, neighbours.sources[static_cast<std::size_t>(i)]);
        }
    }
    for (std::size_t i = 0; i < neighbours.destinations.size(); ++i) {
        if (const MessageBuffer block = outgoing(static_cast<int>(i)); block.bytes > 0) {
            schedule.send(members, block, neighbours.destinations[i]);
        }
    }
}

void neighbour_exchange(Schedule& schedule, const Members& members, const Neighbours& neighbours,
    const Blocks& outgoing, const Blocks& incoming)
{
    begin_neighbour_exchange(schedule, members, neighbours, outgoing, incoming);
    schedule.end_round();
}

}  // namespace fmpl::mpi
