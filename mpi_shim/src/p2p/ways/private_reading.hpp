// A message in one piece of private memory, read by its destination where it lies, through the kernel.
//
//   sender                              receiver
//   negotiated{send_id, place}     ->   matches a receive, copies the message into its buffer
//                                  <-   taken{send_id, bytes, place}: how much of it this rank has copied, and in how
//                                       many nanoseconds beside the calls, or 0
//
// Into a buffer that is not in one piece the receiver copies by parts and unpacks each.
//
// What the source has just written is read slowly. If the receiver's reports say so, such messages had better travel
// with their envelopes (CopyRates).
#pragma once

#include "p2p/copy_rates.hpp"
#include "p2p/operations.hpp"
#include "p2p/outbox.hpp"
#include "p2p/own_copy.hpp"

#include <fmpl/remote.h>

#include <cstddef>

namespace fmpl::mpi {

class PrivateReading {
public:
    PrivateReading(int ranks, Outbox& outbox)
        : outbox_(&outbox),
          is_preferred_(fmpl_is_private_read_preferred() != 0),
          copy_rates_(ranks, kSlowRate, 1)
    {
    }

    // The sender's side.

    // Whether the destination (world rank) may read a message in the buffer.
    static bool is_for(const MessageBuffer& buffer, int destination);
    // Whether such a message had better travel with its envelope.
    bool is_better_eager(const MessageBuffer& buffer, int destination)
    {
        if (buffer.bytes <= kTimedFrom || (is_preferred_ && !copy_rates_.are_slow(destination))) return false;
        return is_for(buffer, destination) && (!is_preferred_ || copy_rates_.prefer_ring(destination));
    }
    // An envelope of kind taken has come.
    void was_taken(int destination, const Envelope& taken)
    {
        if (taken.bytes > 0) copy_rates_.was_read(destination, taken.bytes, taken.place);
    }

    // The receiver's side, of a message announced in operation.envelope by operation.source.

    // False where the private memory is not reached, or there is no memory to copy by parts.
    static bool read(const ReceiveOperation& operation, OwnCopy& copy);
    // The message is in the buffer, and this rank has copied so much of it: the receive is complete.
    void finish(ReceiveOperation& operation, const OwnCopy& copy);

private:
    static constexpr std::size_t kTimedFrom = 16 * 1024;
    // Bytes per nanosecond beside the kernel's calls: what has just been written is read at 5 to 10, what lies in both
    // caches at 11 to 22 (docs/decisions/0050-fresh-messages-through-the-ring.md).
    static constexpr double kSlowRate = 11;
    // What a call of the kernel takes beside the bytes.
    static constexpr double kCallNs = 600;

    Outbox* outbox_;
    bool is_preferred_;
    CopyRates copy_rates_;
};

}  // namespace fmpl::mpi
