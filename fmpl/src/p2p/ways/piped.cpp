// The message goes in pieces through a ring in the source's arena, and both sides copy at once. This is for private
// buffers between which the kernel copies nothing, or not faster: a piece's copy outweighs its two flags, and the ring
// stays in a core's second-level cache.
#include "p2p/ways/ways.hpp"

#include <algorithm>

namespace fmpl::piped {
namespace {

std::uint64_t pieces_of(std::size_t bytes)
{
    return (bytes + kPieceBytes - 1) / kPieceBytes;
}

Offset place_of(Offset ring, std::uint64_t piece)
{
    return ring + piece % kRingPieces * kPieceBytes;
}

std::size_t bytes_of(std::uint64_t piece, std::size_t message_bytes)
{
    return std::min(kPieceBytes, message_bytes - piece * kPieceBytes);
}

}  // namespace

bool start(SendEnd& end, SendOperation& op)
{
    op.ring = end.node->take_ring();
    if (op.ring == kNoOffset) return false;  // tried again at the next step
    end.publish_head(op, MessageKind::piped, op.ring);
    op.state = SendOperation::State::piping;
    return true;
}

void fill(const SendEnd& end, SendOperation& op)
{
    const Crossbar& crossbar = end.crossbar();
    while (op.filled < pieces_of(op.message.bytes())) {
        // acquire: pairs with drain, which has read the piece before
        const std::uint64_t drained = PipeCount::pieces(op.slot().drained.load(std::memory_order_acquire), op.number);
        if (op.filled - drained >= kRingPieces) return;
        op.message.gather(op.filled * kPieceBytes, bytes_of(op.filled, op.message.bytes()),
            crossbar.local(place_of(op.ring, op.filled)));
        ++op.filled;
        // Pairs with drain.
        crossbar.write_flag(
            op.node(), op.flag_at() + offsetof(CompletionFlag, filled), PipeCount::make(op.number, op.filled));
        crossbar.wake(op.node());
    }
}

bool drain(const ReceiveEnd& end, ReceiveOperation& op)
{
    const Crossbar& crossbar = end.crossbar();
    const CompletionFlag& flag = op.flag();
    const Peer& peer = op.peer();
    const Offset drained = peer.slot_at(op.index) + offsetof(MatchingSlot, drained);
    const std::size_t bytes = flag.body.bytes;
    // acquire: pairs with fill
    const std::uint64_t filled = PipeCount::pieces(flag.filled.load(std::memory_order_acquire), op.number);
    while (op.pieces < filled) {
        op.room.read(crossbar, peer.node, place_of(flag.body.at, op.pieces), op.pieces * kPieceBytes,
            bytes_of(op.pieces, bytes));
        ++op.pieces;
        crossbar.write_flag(peer.node, drained, PipeCount::make(op.number, op.pieces));  // pairs with fill
        crossbar.wake(peer.node);
    }
    if (op.pieces < pieces_of(bytes)) return false;
    end.finish(op, bytes);
    return true;
}

}  // namespace fmpl::piped
