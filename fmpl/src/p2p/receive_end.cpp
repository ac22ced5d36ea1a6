#include "p2p/receive_end.hpp"

namespace fmpl {

// Lane and stamp are looked at again once the chain is seen to reach that far: the message may have come there, and a
// later one have been chained, between the two looks.
ReceiveEnd::Arrival ReceiveEnd::arrival(Communicator& comm, int source, int index, std::uint64_t number)
{
    const CompletionFlag& flag = comm.flag(source, index);
    const LaneHalf* const lane = comm.peer(source).lane_from;
    const std::uint32_t next_in_lane = comm.pair(source).lane_taken + 1;
    const auto look = [&]() -> Arrival {
        if (lane != nullptr) {
            const std::uint64_t stamp = lane->stamp.load(std::memory_order_acquire);  // pairs with lane::write
            if (LaneStamp::is(stamp, next_in_lane, index)) return {Arrival::Place::lane, stamp};
        }
        const std::uint64_t stamp = flag.stamp.load(std::memory_order_acquire);  // pairs with SendEnd::publish_head
        if (Stamp::number(stamp) == number) return {Arrival::Place::head, stamp};
        return {};
    };
    const Arrival first = look();
    if (first.place != Arrival::Place::none) return first;
    if (flag.available.load(std::memory_order_acquire) < number) return {};  // pairs with spooled::append
    const Arrival second = look();
    return second.place != Arrival::Place::none ? second : Arrival{Arrival::Place::chain, 0};
}

ReceiveEnd::Chained ReceiveEnd::next_in_chain(Communicator& comm, int source, int index) const
{
    const int peer = comm.peer(source).node;
    const Offset cursor = comm.receive_channel(source, index).cursor;
    // Both pair with spooled::append.
    const Offset link = cursor == kNoOffset ? comm.flag(source, index).chain.load(std::memory_order_acquire)
                                            : crossbar().read_flag(peer, cursor + offsetof(ChainLink, next));
    struct {
        std::uint64_t bytes;
        Offset at;
        std::uint64_t order;
    } read;
    crossbar().read(peer, link + offsetof(ChainLink, bytes), &read, sizeof read);
    return {link, read.bytes, read.at, read.order};
}

void ReceiveEnd::unlist(ReceiveOperation& op) const
{
    if (op.list == ReceiveOperation::List::busy) node->remove_busy(op);
    if (op.list == ReceiveOperation::List::idle) node->remove_idle(op);
    op.list = ReceiveOperation::List::none;
}

void ReceiveEnd::finish(ReceiveOperation& op, std::size_t bytes, Offset cursor) const
{
    op.bytes = bytes;
    op.done = true;
    unlist(op);
    ReceiveChannel& channel = op.channel();
    channel.receiving = nullptr;
    channel.cursor = cursor;
    // Was it in the lane, if only as an offer before it became a head? Then that was published before what has been
    // read of it.
    const Peer& peer = op.peer();
    PairState& pair = op.comm->pair(op.source);
    if (peer.lane_from != nullptr) {
        const std::uint64_t stamp = peer.lane_from->stamp.load(std::memory_order_relaxed);
        if (LaneStamp::is(stamp, pair.lane_taken + 1, op.index)) leave_lane(peer, pair);
    }
    consume(*op.comm, channel, op.source, op.index);
}

}  // namespace fmpl
