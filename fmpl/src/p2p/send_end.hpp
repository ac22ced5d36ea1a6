// The source's end of the channels: what a send is doing, the numbers of messages, the head, and the memory that is
// kept until the destination has read it. How a message gets to its destination is told by what stands on this.
#pragma once

#include "p2p/communicator.hpp"
#include "p2p/message.hpp"
#include "p2p/node.hpp"
#include "p2p/object_pool.hpp"
#include "p2p/records.hpp"
#include "p2p/send_buffer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl {

inline constexpr std::size_t kLinkBytes = sizeof(ChainLink);

// Memory of a message that the destination may still read.
struct ChainEntry {
    std::uint64_t number = 0;
    Offset block = kNoOffset;  // the ChainLink, then perhaps the payload
    bool chained = false;      // published as a ChainLink, not as the head
    bool in_send_buffer = false;
    ChainEntry* next = nullptr;
};

// One message on its way out.
struct SendOperation : Progressing {
    enum class State { queued, held, offered, sharing, piping, chained, done };

    int node() const { return comm->peer(destination).node; }
    Offset flag_at() const { return comm->peer(destination).flag_at(index); }
    const MatchingSlot& slot() const { return comm->slot(destination, index); }
    // Whether its receive is posted.
    bool is_posted() const
    {
        // acquire: pairs with the kick of posted::post; the buffer's address was written before it
        return slot().posted.load(std::memory_order_acquire) == number;
    }

    Communicator* comm = nullptr;
    SendChannel* channel = nullptr;
    Message message;
    std::uint64_t number = 0;
    std::uint64_t order = 0;
    int destination = 0;
    int index = 0;
    bool addressable = false;
    bool in_lane = false;     // on offer there, and no head yet
    bool claim_lost = false;  // the destination has claimed this rank's offer
    State state = State::queued;
    bool prefers_copy = false;           // to the kernel's way to a private buffer: see CopiedAway
    std::uint64_t patient_until_ns = 0;  // with the destination, which has a copy to take; 0: not asked yet
    bool may_pipe = true;          // false: the caller would rather copy the message away than wait for the destination
    bool under_way = false;        // in the node's list of busy transfers
    Offset shared_to = kNoOffset;  // the posted buffer of a message that both ranks copy
    Offset ring = kNoOffset;       // of a piped message
    std::uint64_t filled = 0;      // pieces put into it
};

class SendEnd {
public:
    SendEnd(Node& node, SendBuffer& send_buffer) : node(&node), send_buffer(&send_buffer) {}

    const Crossbar& crossbar() const { return node->crossbar; }

    // Whether all messages of the channel are known to have been consumed.
    bool idle(Communicator& comm, int destination, int index, SendChannel& channel) const
    {
        return channel.consumed == channel.sent || known_consumed(comm, destination, index, channel) == channel.sent;
    }
    // The newest number known to be consumed: by the hints in the opposite half of the lane and the opposite channel's
    // flag, else by the matching slot.
    std::uint64_t known_consumed(Communicator& comm, int destination, int index, SendChannel& channel) const
    {
        const PairState& pair = comm.pair(destination);
        if (pair.lane_number != 0 && pair.lane_index == index) {
            lane_is_free(comm, destination);
            if (channel.consumed == channel.sent) return channel.consumed;
        }
        // acquire: pairs with inlined::write of the destination after it has read the message, so that its record can
        // be reused
        const std::uint64_t hint = comm.flag(destination, index).reverse_consumed.load(std::memory_order_acquire);
        if (hint > channel.consumed) channel.consumed = hint;
        if (channel.consumed != channel.sent) {
            // Likewise, with ReceiveEnd::consume. What the lane has told may be newer.
            const std::uint64_t told = comm.slot(destination, index).consumed.load(std::memory_order_acquire);
            channel.consumed = std::max(channel.consumed, told);
        }
        return channel.consumed;
    }
    std::uint64_t consumed(SendOperation& op) const
    {
        return known_consumed(*op.comm, op.destination, op.index, *op.channel);
    }
    // Whether what this rank has put into the lane is known to have been consumed. Requires that there is a lane.
    bool lane_is_free(Communicator& comm, int destination) const
    {
        PairState& pair = comm.pair(destination);
        if (pair.lane_number == 0) return true;
        SendChannel& channel = comm.send_channel(destination, pair.lane_index);
        // A hint that has not changed says nothing: it could be of 2^32 messages ago.
        // acquire: pairs with lane::write and ReceiveEnd::leave_lane of the destination, which has read the message
        const std::uint32_t hint = comm.peer(destination).lane_from->reverse_taken.load(std::memory_order_acquire);
        const bool taken = hint != pair.lane_hint && hint == pair.lane_sent;
        pair.lane_hint = hint;
        if (!taken && channel.consumed < pair.lane_number) {
            // acquire: pairs with ReceiveEnd::consume
            if (comm.slot(destination, pair.lane_index).consumed.load(std::memory_order_acquire) < pair.lane_number) {
                return false;
            }
        }
        channel.consumed = std::max(channel.consumed, pair.lane_number);
        pair.lane_number = 0;
        return true;
    }

    // Whether this rank's offer is its own to move; else the destination has claimed it.
    bool claim(const SendOperation& op) const;
    // Writes the head part of the completion flag. An operation that is not queued any more replaces its own offer or
    // hold of the same message.
    void publish_head(SendOperation& op, MessageKind kind, Offset at) const;
    // The operation is done with, its message out of this rank's hands.
    void finish(SendOperation& op) const;

    // The block belongs to the message until the destination has consumed it.
    void keep(const SendOperation& op, Offset block, bool chained, bool in_send_buffer);
    // Frees the memory of messages that have been consumed: of a channel, of all.
    void reclaim(SendChannel& channel, std::uint64_t consumed);
    void reclaim();
    // Forgets all memory of the communicator's messages, consumed or not: it is being freed.
    void abandon(Communicator& comm);

    Node* const node;
    SendBuffer* const send_buffer;

private:
    struct Touched {  // a channel that has entries
        Communicator* comm;
        int destination;
        int index;
    };

    void free_entry(ChainEntry& entry);

    ObjectPool<ChainEntry> entries_;
    std::vector<Touched> touched_;
};

}  // namespace fmpl
