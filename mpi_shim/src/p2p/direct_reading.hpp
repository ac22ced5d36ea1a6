// Long messages that the receiver reads where they lie.
//
//   sender                              receiver
//   readable{send_id, place}      ->    matches a receive, copies the message into its buffer
//                                 <-    read{send_id}
//
// For messages in one piece of remote-DMA memory that the receiver addresses: one copy, whatever the form of the
// buffer, and nothing but the envelope to wait for. From kSharedFrom on a channel is faster, since there both ranks
// copy if each has a processor.
//
// The answer is an envelope like any other: it waits in the receiver's outbox while the sender, which has yet to take
// as many as its ring holds, has no room for more.
#pragma once

#include "p2p/operations.hpp"
#include "p2p/outbox.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl::mpi {

class DirectReading {
public:
    // From here on FMPL lets both ranks copy a message: kSharedBytes of its sources, shared_bytes of fmpl_info.
    static constexpr std::size_t kSharedFrom = 64 * 1024;

    explicit DirectReading(Outbox& outbox) : outbox_(&outbox) {}

    // Announces the operation's message; false when it is not one for this way.
    bool try_send(const Ref<SendOperation>& operation);
    // A receive has matched the message that `envelope` from `source` (world rank) announces: reads it, and the
    // receive is complete.
    void receive(ReceiveOperation& operation, int source, const Envelope& envelope);
    // An envelope of kind read has come.
    void read(int source, const Envelope& envelope);
    bool is_idle() const { return announced_.size() == free_.size(); }

private:
    Outbox* outbox_;
    std::vector<Ref<SendOperation>> announced_;  // by send_id; null: free
    std::vector<std::uint64_t> free_;            // send_ids
};

}  // namespace fmpl::mpi
