// Long messages that the receiver reads where they lie.
//
//   sender                              receiver
//   readable{send_id, place}      ->    matches a receive, copies the message into its buffer
//                                 <-    read{send_id}
//
// For messages in one piece of remote-DMA memory that the receiver addresses: one copy, whatever the form of the buffer, and nothing
// but the envelope to wait for. From kSharedFrom on a channel is faster, since there both ranks copy.
#pragma once

#include "p2p/operations.hpp"
#include "p2p/outbox.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl::mpi {

class DirectReading {
public:
    // From here on FMPL lets both ranks copy a message (kSharedBytes, see fmpl_info).
    static constexpr std::size_t kSharedFrom = 64 * 1024;

    explicit DirectReading(Outbox& outbox) : outbox_(&outbox) {}

    // Announces the operation's message; false when it is not one for this way.
    bool try_send(const Ref<SendOperation>& operation);
    // A receive has matched the message that `envelope` from `source` (world rank) announces: reads it, and the receive is complete.
    void receive(ReceiveOperation& operation, int source, const Envelope& envelope);
    // An envelope of kind read has come.
    void read(const Envelope& envelope);

private:
    Outbox* outbox_;
    std::vector<Ref<SendOperation>> announced_;  // by send_id; null: free
    std::vector<std::uint64_t> free_;            // send_ids
};

}  // namespace fmpl::mpi
