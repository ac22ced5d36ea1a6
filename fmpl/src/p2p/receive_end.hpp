// The destination's end of the channels: what a receive is doing, where the next message is to be found, whose it is to
// move, and what tells the source that it has been read. How its bytes get here is told by what stands on this.
#pragma once

#include "p2p/communicator.hpp"
#include "p2p/message.hpp"
#include "p2p/node.hpp"
#include "p2p/records.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fmpl {

// One message on its way in.
struct ReceiveOperation : Progressing {
    const Peer& peer() const { return comm->peer(source); }
    ReceiveChannel& channel() const { return comm->receive_channel(source, index); }
    CompletionFlag& flag() const { return comm->flag(source, index); }

    Communicator* comm = nullptr;
    Room room;
    std::size_t bytes = 0;     // of the message, once known
    std::uint64_t number = 0;  // of the message; 0: none belongs to it yet
    std::uint64_t pieces = 0;  // of a piped message, taken so far
    int source = 0;
    int index = 0;                                           // FMPL_ANY_TAG until a channel is chosen
    enum class List { none, busy, idle } list = List::none;  // of the node's transfers
    bool claim_lost = false;
    bool sharing = false;   // the message is being copied as a SharedCopy
    bool discards = false;  // a longer message is no error
    bool ahead = false;     // the source need not be woken when the receive is posted
    bool done = false;
};

class ReceiveEnd {
public:
    explicit ReceiveEnd(Node& node) : node(&node) {}

    const Crossbar& crossbar() const { return node->crossbar; }

    // Tells the source that its messages up to `received` + 1 have been read.
    void consume(Communicator& comm, ReceiveChannel& channel, int source, int index) const
    {
        ++channel.received;
        ++comm.pair(source).received;
        const Peer& peer = comm.peer(source);
        const Offset at = peer.slot_at(index) + offsetof(MatchingSlot, consumed);
        node->crossbar.write_flag(peer.node, at, channel.received);  // pairs with SendEnd::known_consumed
        node->crossbar.wake(peer.node);
    }

    // Where the next message of a channel is to be found.
    struct Arrival {
        enum class Place { none, lane, head, chain } place = Place::none;
        std::uint64_t stamp = 0;  // of the lane or the head
    };
    static Arrival arrival(Communicator& comm, int source, int index, std::uint64_t number);
    // What the ChainLink tells of the message after the last one consumed. Called once `available` counts that message.
    struct Chained {
        Offset link;  // the node itself
        std::uint64_t bytes;
        Offset at;
        std::uint64_t order;
    };
    Chained next_in_chain(Communicator& comm, int source, int index) const;
    static LaneOffer offer_in(const LaneHalf& lane)
    {
        LaneOffer offer{};
        std::memcpy(&offer, lane.payload, sizeof offer);
        return offer;
    }

    // Whether an offered message is this rank's to move; else the source has claimed it.
    static bool claim(CompletionFlag& flag, std::uint64_t number)
    {
        return flag.claim.exchange(number, std::memory_order_acq_rel) != number;  // pairs with SendEnd::claim
    }
    static bool claim(ReceiveOperation& op)
    {
        op.claim_lost = op.claim_lost || !claim(op.flag(), op.number);
        return !op.claim_lost;
    }
    // The message in the lane is consumed, and the source, which may be waiting for that, is told there too.
    static void leave_lane(const Peer& peer, PairState& pair)
    {
        // release: pairs with SendEnd::lane_is_free, lane_offer::send
        peer.lane_to->reverse_taken.store(++pair.lane_taken, std::memory_order_release);
    }
    // All of the message is read, or passed over since it is too long. cursor: its ChainLink; kNoOffset: it was a head.
    void finish(ReceiveOperation& op, std::size_t bytes, Offset cursor = kNoOffset) const;
    // It is none of the node's transfers any more.
    void unlist(ReceiveOperation& op) const;

    Node* const node;
    Offset columns_record = kNoOffset;  // fmpl_columns of the posted receive into columns: there is at most one
};

}  // namespace fmpl
