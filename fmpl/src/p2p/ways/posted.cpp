// The source writes the message straight into the buffer that the destination has posted: one copy, no question asked.
// The destination posts by a remote write (a TCW that is prepared once for each channel), whichever way the message
// will come. A message that is longer than the buffer is not written: its length tells the receive so.
#include "p2p/ways/ways.hpp"

#include "error.hpp"
#include "p2p/thresholds.hpp"

#include <array>

namespace fmpl::posted {
namespace {

// The posted columns, by MatchingSlot::columns; the receive's capacity is all their bytes.
Columns columns_of(const SendEnd& end, const SendOperation& op, const Receive& receive)
{
    if (BlockWord::is(receive.columns)) return block_columns(receive.columns, receive.capacity);
    // A rank that the end of the job has made leave its call may be using the record for another one.
    end.node->waiter.check_abort();
    fmpl_columns shape;
    end.crossbar().read(op.node(), receive.columns, &shape, sizeof shape);
    return Columns(shape);
}

// The buffer can be addressed and is long enough.
void write(const SendEnd& end, const SendOperation& op, const Receive& receive)
{
    if (receive.columns == kNoOffset) return op.message.write(end.crossbar(), op.node(), receive.at);
    const Columns target = columns_of(end, op, receive);
    if (target.bytes() < op.message.bytes()) {
        fail(FMPL_ERR_INTERNAL, "the posted columns of rank {}, index {} have {} bytes, the message {}", op.destination,
            op.index, target.bytes(), op.message.bytes());
    }
    op.message.write(end.crossbar(), op.node(), receive.at, &target);
}

// The columns, where the source reads them; kNoOffset when there is no memory for that. The source does so while the
// message is its to move, and then the receive waits for it: so the record is free when the receive is over.
Offset columns_record(ReceiveEnd& end, const Columns& columns)
{
    if (end.columns_record == kNoOffset) end.columns_record = end.node->arena.try_allocate(sizeof(fmpl_columns));
    if (end.columns_record != kNoOffset) {
        std::memcpy(end.crossbar().local(end.columns_record), &columns.shape(), sizeof(fmpl_columns));
    }
    return end.columns_record;
}

// Where the source finds the receive's buffer, and what it is made of.
Receive receive_of(ReceiveEnd& end, const ReceiveOperation& op)
{
    const Room& room = op.room;
    Receive receive{kNoOffset, room.bytes(), room.block_word()};
    if (!room.in_one_piece() && receive.columns == kNoOffset) {
        receive.columns = columns_record(end, room.columns());
        if (receive.columns == kNoOffset) return receive;
    }
    if (room.in_arena(end.crossbar())) {
        receive.at = end.crossbar().offset_of(room.data());
    } else if (room.in_one_piece() && room.bytes() >= kSharedPrivateBytes &&
               end.node->private_memory.reaches(op.peer().node)) {
        receive.at = PrivateMemory::address(room.data());
    }
    return receive;
}

}  // namespace

void move(const SendEnd& end, SendOperation& op, const Receive& receive)
{
    if (op.message.bytes() <= receive.capacity) write(end, op, receive);
    end.publish_head(op, MessageKind::moved, receive.at);
}

void post(ReceiveEnd& end, ReceiveOperation& op)
{
    ReceiveChannel& channel = op.channel();
    if (channel.posted == op.number || op.done) return;
    if (!channel.post.prepared()) {
        const Offset slot = op.peer().slot_at(op.index);
        channel.post = {
            op.peer().node, slot + offsetof(MatchingSlot, buffer_at), slot + offsetof(MatchingSlot, posted)};
    }
    const Receive receive = receive_of(end, op);
    channel.posted = op.number;
    // Pairs with SendOperation::is_posted.
    const std::array<std::uint64_t, 3> header = {
        receive.at, receive.capacity, op.sharing ? kHelpWanted : receive.columns};
    if (op.ahead) {
        channel.post.kick_quietly(end.crossbar(), header, op.number);
    } else {
        channel.post.kick(end.crossbar(), header, op.number);
    }
}

void withdraw(const ReceiveEnd& end, ReceiveOperation& op)
{
    ReceiveChannel& channel = op.channel();
    if (channel.posted != op.number) return;
    channel.posted = op.number - 1;
    channel.post.kick_quietly(end.crossbar(), {kNoOffset, 0, kNoOffset}, channel.posted);  // as in post()
}

}  // namespace fmpl::posted
