// Long messages that the receiver reads where they lie.
//
//   sender                              receiver
//   readable{send_id, place, time it?}   ->    matches a receive, copies the message into its buffer
//                                        <-    read{send_id, bytes in ns}
//
// For messages in one piece of remote-DMA memory that the receiver addresses: one copy, whatever the form of the
// buffer, and nothing but the envelope to wait for. From kSharedFrom on, in collective calls beyond
// kLongestInCollective, a channel is faster, since there both ranks copy if each has a processor. Where each has one
// and the receiver reads the messages slowly, since they have just been written, they had better travel with their
// envelopes: it times some of them, and tells in `read` (CopyRates).
//
// The answer is an envelope like any other: it waits in the receiver's outbox while the sender, which has yet to take
// as many as its ring holds, has no room for more.
#pragma once

#include "p2p/copy_rates.hpp"
#include "p2p/operations.hpp"
#include "p2p/outbox.hpp"

#include <fmpl/remote.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl::mpi {

class DirectReading {
public:
    // From here on FMPL lets both ranks copy a message.
    static constexpr std::size_t kSharedFrom = FMPL_SHARED_BYTES;
    static constexpr std::size_t kLongestInCollective = 64 * 1024;

    // by_rate: messages may travel with their envelopes where they are read slowly.
    DirectReading(int ranks, Outbox& outbox, bool by_rate)
        : outbox_(&outbox),
          by_rate_(by_rate),
          copy_rates_(ranks, kSlowRate, kOneTimedOf)
    {
    }

    // Once a message that is too long to travel with its envelope: whether it had better do so all the same. Else it is
    // marked if it is to be timed.
    bool is_better_eager(SendOperation& operation)
    {
        if (!by_rate_ || !is_for(operation)) return false;
        const bool is_better = copy_rates_.prefer_ring(operation.destination);
        operation.envelope.receive_id = !is_better && copy_rates_.is_timed(operation.destination) ? 1 : 0;
        return is_better;
    }
    // Whether the next such message to the rank may be lent instead. Not where they are read slowly, nor if it is to be
    // timed.
    bool may_lend(int destination) const
    {
        return !by_rate_ || (!copy_rates_.are_slow(destination) && !copy_rates_.will_be_timed(destination));
    }
    // It has been.
    void was_lent(int destination) { copy_rates_.prefer_ring(destination); }

    // Announces the operation's message; false when it is not one for this way.
    bool try_send(const Ref<SendOperation>& operation);
    // A receive has matched the message that `envelope` from `source` (world rank) announces: reads it, and the
    // receive is complete.
    void receive(ReceiveOperation& operation, int source, const Envelope& envelope);
    // An envelope of kind read has come.
    void read(int source, const Envelope& envelope);
    bool is_idle() const { return announced_.size() == free_.size(); }

private:
    static bool is_for(const SendOperation& operation);

    // Bytes per nanosecond: what has just been written is read at 6 to 20, what lies in the own cache at 50 and more;
    // windows that just do not fit the cache at 22 to 25, and they gain nothing by the ring.
    static constexpr double kSlowRate = 22;
    // The clock takes 40 ns of a read that may take 150.
    static constexpr int kOneTimedOf = 61;

    Outbox* outbox_;
    bool by_rate_;
    CopyRates copy_rates_;
    std::vector<Ref<SendOperation>> announced_;  // by send_id; null: free
    std::vector<std::uint64_t> free_;            // send_ids
};

}  // namespace fmpl::mpi
