// The message lies in the source's memory for the destination to take, which alone moves it, so that the source can go
// on. It is a copy in the send buffer, after the time-out, or in the library's own memory, of a short nonblocking send
// from a private buffer; or a nonblocking send's own buffer in remote-DMA memory. While messages before it are
// unconsumed it hangs behind them in a chain.
#include "p2p/ways/ways.hpp"

namespace fmpl::spooled {
namespace {

// Publishes a message as the head if its turn has come, else at the end of the chain. The operation is done with; the
// entry keeps the block until it can be freed.
void append(SendEnd& end, SendOperation& op, Offset block, Offset payload, bool in_send_buffer)
{
    const bool head = end.consumed(op) + 1 == op.number;
    end.reclaim(*op.channel, op.channel->consumed);
    if (head) {
        end.keep(op, block, false, in_send_buffer);
        end.publish_head(op, MessageKind::spooled, payload);
    } else {
        const Crossbar& crossbar = end.crossbar();
        auto& link = *reinterpret_cast<ChainLink*>(crossbar.local(block));
        link.next.store(kNoOffset, std::memory_order_relaxed);
        link.bytes = op.message.bytes();
        link.at = payload;
        link.order = op.order;
        const ChainEntry* last = op.channel->last_entry;
        if (last != nullptr && last->number + 1 == op.number && last->chained) {
            // release: pairs with ReceiveEnd::next_in_chain
            reinterpret_cast<ChainLink*>(crossbar.local(last->block))->next.store(block, std::memory_order_release);
        } else {
            // Pairs with ReceiveEnd::next_in_chain.
            crossbar.write_flag(op.node(), op.flag_at() + offsetof(CompletionFlag, chain), block);
        }
        end.keep(op, block, true, in_send_buffer);
        // Pairs with ReceiveEnd::arrival.
        crossbar.write_flag(op.node(), op.flag_at() + offsetof(CompletionFlag, available), op.number);
        crossbar.wake(op.node());
    }
    op.state = SendOperation::State::done;
}

// Copies the message to the block and publishes it: in place of this rank's own offer or hold, or behind the others.
void publish_copy(SendEnd& end, SendOperation& op, Offset block, bool in_send_buffer)
{
    const Offset payload = block + kLinkBytes;
    op.message.gather(0, op.message.bytes(), end.crossbar().local(payload));
    if (op.state == SendOperation::State::queued) return append(end, op, block, payload, in_send_buffer);
    end.keep(op, block, false, in_send_buffer);
    end.publish_head(op, MessageKind::spooled, payload);
    op.state = SendOperation::State::done;
}

}  // namespace

bool spool(SendEnd& end, SendOperation& op)
{
    using enum SendOperation::State;
    if (op.state == piping || op.state == sharing || op.state == chained) return false;
    const std::size_t bytes = kLinkBytes + op.message.bytes();
    Offset block = end.send_buffer->take(bytes);
    if (block == kNoOffset) {
        end.node->progress();  // the any domain shares the buffer
        end.reclaim();
        block = end.send_buffer->take(bytes);
        if (block == kNoOffset) return false;
    }
    if (op.state == offered && !end.claim(op)) {
        end.send_buffer->undo_take(block);
        return false;
    }
    publish_copy(end, op, block, true);
    return true;
}

bool stage(SendEnd& end, SendOperation& op)
{
    const Offset block = end.node->arena.try_allocate(kLinkBytes + op.message.bytes());
    if (block == kNoOffset) return false;
    publish_copy(end, op, block, false);
    return true;
}

bool chain(SendEnd& end, SendOperation& op)
{
    const Offset block = end.node->arena.try_allocate(kLinkBytes);
    if (block == kNoOffset) return false;
    append(end, op, block, end.crossbar().offset_of(op.message.data()), false);
    op.state = SendOperation::State::chained;
    return true;
}

void take(const ReceiveEnd& end, ReceiveOperation& op, Offset at, std::size_t bytes, Offset link)
{
    if (bytes > 0 && bytes <= op.room.bytes()) op.room.read(end.crossbar(), op.peer().node, at, 0, bytes);
    end.finish(op, bytes, link);
}

void take_chained(const ReceiveEnd& end, ReceiveOperation& op)
{
    const ReceiveEnd::Chained message = end.next_in_chain(*op.comm, op.source, op.index);
    take(end, op, message.at, message.bytes, message.link);
}

}  // namespace fmpl::spooled
