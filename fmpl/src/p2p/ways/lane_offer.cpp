// The lane tells where the message lies, in remote-DMA memory or as a copy there, and a destination that waits for it
// copies it from there: one line and one copy. It stays where it is until its number stands in the channel's `claim`;
// who has put it there moves the message. The destination copies it, and says so by `reverse_taken` before
// `consumed`. The source waits a microsecond for that, or longer while it sees by `claim` that the destination
// copies; then the message is on offer as a head is, and becomes one when the source has claimed it. The lane's stamp
// still shows the offer until the destination, whose claim fails, has consumed the head
// (docs/decisions/0019-offers-in-the-lane.md).
#include "p2p/thresholds.hpp"
#include "p2p/ways/lane.hpp"
#include "p2p/ways/ways.hpp"

#include <algorithm>

namespace fmpl::lane_offer {
namespace {

// Where the destination finds the message, if it can reach it.
LaneOffer make(const SendEnd& end, const Message& message, offered::CopiedAway& copied)
{
    const Crossbar& crossbar = end.crossbar();
    Offset at = kNoOffset;
    if (message.in_arena(crossbar)) {
        at = crossbar.offset_of(message.data());
        if (!message.in_one_piece()) {
            const std::uint64_t block = message.block_word();
            const std::size_t count = message.columns().shape().count;
            if (block != kNoOffset && LaneOffer::fits(at, count)) return LaneOffer::block(at, count, block);
            return {};  // it is copied once if this rank does it
        }
    } else if (message.bytes() <= kCopiedBytes && !copied.is_in_use) {
        at = copied.copy(*end.node, message);
    }
    return at != kNoOffset && LaneOffer::fits(at, 0) ? LaneOffer::piece(at, message.bytes()) : LaneOffer{};
}

// Whether the destination takes the message in the lane, which it has claimed before it is more likely to be busy
// elsewhere. taken_before: reverse_taken before the message was put there, which says nothing until it changes
// (SendEnd::lane_is_free).
bool is_taken_soon(
    const Communicator& comm, int destination, std::uint32_t taken_before, std::uint64_t number, std::size_t bytes)
{
    const Peer& peer = comm.peer(destination);
    const PairState& pair = comm.pair(destination);
    const auto& flag = *reinterpret_cast<const CompletionFlag*>(peer.mapped + peer.flag_at(pair.lane_index));
    constexpr std::uint32_t kLooksBetweenClocks = 8;
    std::uint64_t deadline_ns = 0;
    bool is_claimed = false;
    for (std::uint32_t looks = 1;; ++looks) {
        // acquire: pairs with ReceiveEnd::leave_lane, after which the message may be overwritten
        const std::uint32_t now = peer.lane_from->reverse_taken.load(std::memory_order_acquire);
        if (now == pair.lane_sent && now != taken_before) return true;
        if (looks % kLooksBetweenClocks == 0) {
            const std::uint64_t ns = monotonic_ns();
            if (deadline_ns == 0) {
                deadline_ns = ns + kClaimedSoonNs;
            } else if (ns >= deadline_ns) {
                // Is it being copied?
                if (is_claimed || flag.claim.load(std::memory_order_relaxed) != number) return false;
                is_claimed = true;
                deadline_ns = ns + bytes / kCopiedBytesPerNs;
            }
        }
        cpu_relax();
    }
}

// Copies the message, which this rank has claimed, from the source's memory, unless it is too long.
void read(const Crossbar& crossbar, int node, const LaneOffer& offer, const Room& room)
{
    const std::size_t bytes = offer.bytes();
    if (bytes > room.bytes()) return;
    if (!offer.is_block()) return room.read(crossbar, node, offer.at(), 0, bytes);
    const Columns source = block_columns(offer.shape, bytes);
    const Columns whole = Columns::contiguous(bytes);
    const Columns& target = room.in_one_piece() ? whole : room.columns();
    copy_columns(room.data(), target, crossbar.mapped(node, offer.at()), source, bytes);
}

}  // namespace

Outcome send(const SendEnd& end, Communicator& comm, int destination, int index, const Message& message,
    offered::CopiedAway& copied)
{
    SendChannel& channel = comm.send_channel(destination, index);
    const LaneOffer offer = make(end, message, copied);
    if (offer.is_none()) return Outcome::none;
    const Peer& peer = comm.peer(destination);
    PairState& pair = comm.pair(destination);
    const std::uint32_t taken_before = peer.lane_from->reverse_taken.load(std::memory_order_relaxed);
    // Word by word: to read both at once the processor would first wait for all that this rank has written before them.
    const auto put = [&](std::uint8_t* payload) {
        std::memcpy(payload, &offer.place, sizeof offer.place);
        std::memcpy(payload + sizeof offer.place, &offer.shape, sizeof offer.shape);
    };
    lane::write(comm, destination, index, LaneStamp::kOffer, ++channel.sent, ++pair.order, put);
    end.crossbar().wake(peer.node);
    if (!is_taken_soon(comm, destination, taken_before, channel.sent, message.bytes())) {
        channel.offers.was_in_vain();
        return Outcome::left;
    }
    channel.offers.has_succeeded();
    channel.consumed = channel.sent;
    pair.lane_hint = pair.lane_sent;
    pair.lane_number = 0;
    return Outcome::taken;
}

void take(const ReceiveEnd& end, ReceiveOperation& op)
{
    const Peer& peer = op.peer();
    const LaneOffer offer = ReceiveEnd::offer_in(*peer.lane_from);
    read(end.crossbar(), peer.node, offer, op.room);
    ReceiveChannel& channel = op.channel();
    channel.offered_bytes = std::max(channel.offered_bytes, offer.bytes());
    end.finish(op, offer.bytes());
}

}  // namespace fmpl::lane_offer
