// Exchange with the neighbours of a topology (MPI-3.1, section 7.6): all receives are posted, then all messages are
// sent. One round: L times the degree, and the bytes.
#include "coll/algorithms.hpp"

namespace fmpl::mpi {

void neighbour_exchange(Schedule& schedule, const Channel& channel, std::span<const int> sources,
    std::span<const int> destinations, bool cartesian, const Blocks& outgoing, const Blocks& incoming)
{
    const auto receive = [&](std::size_t i) {
        if (const MessageBuffer block = incoming(static_cast<int>(i)); block.bytes > 0) {
            schedule.receive_up_to(channel, block, sources[i]);
        }
    };
    // Where one rank is a neighbour more than once, its messages match in order. In a periodic dimension of one or
    // two ranks it is both neighbours, and what it sends downwards comes from above.
    for (std::size_t i = 0; i < sources.size(); ++i) receive(cartesian ? i ^ 1 : i);
    for (std::size_t i = 0; i < destinations.size(); ++i) {
        if (const MessageBuffer block = outgoing(static_cast<int>(i)); block.bytes > 0) {
            schedule.send(channel, block, destinations[i]);
        }
    }
    schedule.end_round();
}

}  // namespace fmpl::mpi
