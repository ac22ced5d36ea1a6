// The ways of a message from its source to its destination, each in a file of its own with both ends: what the source
// does, then what the destination does. choose_way.hpp tells which one a message takes.
//
// A function of the destination that takes a message finishes its operation; one of the source tells whether the
// operation is done.
#pragma once

#include "crossbar/copies_to_reader.hpp"
#include "p2p/receive_end.hpp"
#include "p2p/send_end.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace fmpl {

namespace offered {
// Memory for a copy of one short message of a blocking send.
class CopiedAway {
public:
    Offset copy(Node& node, const Message& message);  // where it is; kNoOffset: there is no memory for it
    bool is_in_use = false;                           // until that send is over

private:
    struct Block {
        Offset at = kNoOffset;
        std::size_t bytes = 0;
    };

    // Where a longer one of so many bytes goes; kNoOffset: there is no memory for it.
    Offset place_for(Node& node, std::size_t bytes);
    bool add_block(Node& node);

    std::array<Block, 2> blocks_;   // made when needed
    std::size_t in_one_place_ = 0;  // messages of up to so many bytes lie where the first block begins
    std::size_t block_ = 0;         // where the last one is
    std::size_t next_ = 0;          // behind it
    CopiesToReader copies_;
};
// Source. at: of the message, or of its copy. The destination takes it as a spooled message, or a shared one.
void publish(const SendEnd& end, SendOperation& op, Offset at);
}  // namespace offered

namespace lane_offer {
// Of a message to the lane: there was none; the destination has taken it; it has not yet, and it stays on offer.
enum class Outcome { none, taken, left };
// Source: waits for a microsecond, or for the copy that the destination has begun. Requires a lane that is free.
Outcome send(const SendEnd& end, Communicator& comm, int destination, int index, const Message& message,
    offered::CopiedAway& copied);
// Destination: takes the one that is there, which this rank has claimed.
void take(const ReceiveEnd& end, ReceiveOperation& op);
}  // namespace lane_offer

namespace posted {
// A receive, as the source finds it posted.
struct Receive {
    Offset at;  // kNoOffset: not to be reached; or in private memory
    std::size_t capacity;
    std::uint64_t columns;  // as MatchingSlot::columns
};
// Source: what is posted for the message, when one is. Then, when the message is this rank's to move, moves it.
inline Receive look(const SendOperation& op)
{
    const MatchingSlot& slot = op.slot();
    return {slot.buffer_at.load(std::memory_order_relaxed), slot.capacity.load(std::memory_order_relaxed),
        slot.columns.load(std::memory_order_relaxed)};
}
void move(const SendEnd& end, SendOperation& op, const Receive& receive);
// Destination: tells the source where the operation's message may go, once; and takes that back. Both require that the
// operation has a number.
void post(ReceiveEnd& end, ReceiveOperation& op);
void withdraw(const ReceiveEnd& end, ReceiveOperation& op);
}  // namespace posted

namespace shared {
// Source: whether all of the message is there. To a posted buffer; a destination that has claimed the message, if it
// asks for that.
bool begin(const SendEnd& end, SendOperation& op, Offset to);
bool go_on(const SendEnd& end, SendOperation& op);
bool help(const SendEnd& end, const SendOperation& op, Offset to);
// Destination: likewise. Of a message that it has claimed; that either has begun (opened: this rank, just now).
bool ask_for_help(ReceiveEnd& end, ReceiveOperation& op);
bool take(const ReceiveEnd& end, ReceiveOperation& op, bool opened = false);
}  // namespace shared

namespace spooled {
// Source: false where there is no room, or where it is too late because the destination is taking the message.
bool spool(SendEnd& end, SendOperation& op);  // to the send buffer
bool stage(SendEnd& end, SendOperation& op);  // to memory of the library's own
bool chain(SendEnd& end, SendOperation& op);  // where it lies; done when it is consumed
// Destination. at: where the source has it. link: its ChainLink, kNoOffset: it was a head.
void take(const ReceiveEnd& end, ReceiveOperation& op, Offset at, std::size_t bytes, Offset link = kNoOffset);
void take_chained(const ReceiveEnd& end, ReceiveOperation& op);
}  // namespace spooled

namespace piped {
// Source: false where there is no memory for a ring now. Then its pieces, as many as the ring has room for.
bool start(SendEnd& end, SendOperation& op);
void fill(const SendEnd& end, SendOperation& op);
// Destination: whether all pieces have come.
bool drain(const ReceiveEnd& end, ReceiveOperation& op);
}  // namespace piped

}  // namespace fmpl
