// A message that its sender packs into the receiver's buffer, one piece of remote-DMA memory.
//
//   sender                              receiver
//                                  <-   room{send_id, place, receive_id}
//   packs into the place
//   packed{receive_id}             ->   the receive is complete
//
// A send is complete when `packed` has gone: its receive shall need no further call of the sender's.
#pragma once

#include "p2p/announcements.hpp"
#include "p2p/operations.hpp"
#include "p2p/outbox.hpp"

#include <cstdint>
#include <vector>

namespace fmpl::mpi {

class Packing {
public:
    Packing(Announcements& announcements, Outbox& outbox) : announcements_(&announcements), outbox_(&outbox) {}

    // Packs the message to the place that it has at its destination, which is told now or by progress().
    void send(const Ref<SendOperation>& operation, void* to, std::uint64_t receive_id);
    // Whether a destination has been told.
    bool progress();
    bool any() const { return !untold_.empty(); }

private:
    struct Untold {
        Ref<SendOperation> operation;
        Envelope packed;
    };

    Announcements* announcements_;
    Outbox* outbox_;
    std::vector<Untold> untold_;
};

}  // namespace fmpl::mpi
