#include "p2p/receiver.hpp"

#include "error.hpp"

#include <algorithm>

namespace fmpl {

void ReceiveOperation::progress() { receiver->advance(*this); }

void Receiver::prepare(ReceiveOperation& op, Communicator& comm, int source, int index, void* buffer,
                       std::size_t capacity)
{
    op.receiver = this;
    op.comm = &comm;
    op.source = source;
    op.buffer = static_cast<std::byte*>(buffer);
    op.capacity = capacity;
    op.index = FMPL_ANY_TAG;
    if (index != FMPL_ANY_TAG) choose_channel(op, index);
}

void Receiver::choose_channel(ReceiveOperation& op, int index)
{
    op.index = index;
    op.channel = &op.comm->receive_channel(op.source, index);
    op.number = op.channel->received + 1;
}

void Receiver::recv_slowly(Communicator& comm, int source, int index, void* buffer, std::size_t capacity)
{
    if (index != FMPL_ANY_TAG && comm.receive_channel(source, index).request != nullptr) {
        fail(FMPL_ERR_BUSY, "an fmpl_irecv from rank {} over index {} is outstanding; call fmpl_irecv_wait first",
             source, index);
    }
    if (index == FMPL_ANY_TAG && comm.pair(source).any_index_request != nullptr) {
        fail(FMPL_ERR_BUSY, "an fmpl_irecv from rank {} with FMPL_ANY_TAG is outstanding; call fmpl_irecv_wait first",
             source);
    }
    ReceiveOperation op;
    prepare(op, comm, source, index, buffer, capacity);
    wait(op);
    report(op);
}

void Receiver::irecv(Communicator& comm, int source, int index, void* buffer, std::size_t capacity)
{
    ReceiveOperation*& request =
        index == FMPL_ANY_TAG ? comm.pair(source).any_index_request : comm.receive_channel(source, index).request;
    if (request != nullptr) {
        fail(FMPL_ERR_BUSY, "an fmpl_irecv from rank {} over index {} is outstanding already; call fmpl_irecv_wait first",
             source, index);
    }
    ReceiveOperation& op = *operations_.take();
    prepare(op, comm, source, index, buffer, capacity);
    request = &op;
    if (advance(op)) return;
    if (index == FMPL_ANY_TAG) {
        announce_any_index(op, true);
    } else if (capacity > kInlineBytes) {
        post(op);
        if (node_->crossbar.contains(buffer, capacity)) return;  // the source completes it
    } else {
        return;  // a short message waits in its completion flag
    }
    op.under_way = true;
    node_->add(op);
}

void Receiver::irecv_wait(Communicator& comm, int source, int index)
{
    ReceiveOperation*& request =
        index == FMPL_ANY_TAG ? comm.pair(source).any_index_request : comm.receive_channel(source, index).request;
    if (request == nullptr) {
        fail(FMPL_ERR_NO_REQUEST, "no fmpl_irecv from rank {} over index {} is outstanding", source, index);
    }
    wait(*request);
    const ReceiveOperation op = *request;
    operations_.give_back(request);
    request = nullptr;
    report(op);
}

void Receiver::wait(ReceiveOperation& op)
{
    if (op.done) return;
    const WaitFor what{node_->call, op.comm->peer(op.source).node, op.index, op.comm->size(), op.capacity};
    if (advance(op)) return;
    if (op.index == FMPL_ANY_TAG) {
        if (!op.announced) announce_any_index(op, true);
    } else if (op.channel->posted != op.number) {
        // A short receive is posted only now that it has to wait: a short message needs no posted receive.
        if (op.capacity <= kInlineBytes && node_->waiter.spin([&] { return step(op); })) return;
        post(op);
    }
    node_->wait([&] { return advance(op); }, what);
}

bool Receiver::advance(ReceiveOperation& op)
{
    if (op.index == FMPL_ANY_TAG && !find_any_index(op)) return false;
    if (op.announced) announce_any_index(op, false);
    return step(op);
}

// Sends the message header to the source (paper, figure 5).
void Receiver::post(ReceiveOperation& op)
{
    ReceiveChannel& channel = *op.channel;
    const Peer& peer = op.comm->peer(op.source);
    if (!channel.post_prepared) {
        const Offset slot = peer.slots + static_cast<Offset>(op.index) * sizeof(MatchingSlot);
        channel.post = {node_->crossbar, peer.node, slot + offsetof(MatchingSlot, buffer),
                        slot + offsetof(MatchingSlot, posted)};
        channel.post_prepared = true;
    }
    const bool addressable = node_->crossbar.contains(op.buffer, op.capacity);
    const PostedBuffer header{addressable ? node_->crossbar.offset_of(op.buffer) : kNoOffset, op.capacity};
    channel.posted = op.number;
    channel.post.kick(node_->crossbar, header, op.number);  // pairs with Sender::push_if_posted
}

// Takes the message if it has arrived, or the pieces of it that have; whether the receive is done.
bool Receiver::step(ReceiveOperation& op)
{
    if (op.done) return true;
    CompletionFlag& flag = op.comm->flag(op.source, op.index);
    const std::uint64_t stamp = flag.stamp.load(std::memory_order_acquire);  // pairs with Sender::publish_head
    if (Stamp::number(stamp) == op.number) {
        switch (Stamp::kind(stamp)) {
        case MessageKind::inlined:
            take_inline(op, flag, stamp);
            return true;
        case MessageKind::moved:  // or refused: longer than the buffer
            finish(op, flag.body.bytes, kNoOffset);
            return true;
        case MessageKind::offered:
            // acq_rel: pairs with the source's fetch_add; the loser waits for the stamp to change.
            if (op.claim_lost || flag.claim.fetch_add(1, std::memory_order_acq_rel) != 0) {
                op.claim_lost = true;
                return false;
            }
            [[fallthrough]];
        case MessageKind::spooled:
            take_from(op, flag.body.at, flag.body.bytes);
            finish(op, flag.body.bytes, kNoOffset);
            return true;
        case MessageKind::piped:
            return drain_pipe(op, flag);
        }
        fail(FMPL_ERR_INTERNAL, "the completion flag of rank {}, index {} holds {:#x}", op.source, op.index, stamp);
    }
    if (flag.available.load(std::memory_order_acquire) < op.number) return false;  // pairs with Sender::append
    const Offset at = next_in_chain(*op.comm, *op.channel, op.source, op.index);
    const ChainNode* mapped = nullptr;
    ChainNode copy{};
    if (std::byte* base = op.comm->peer(op.source).mapped) {
        mapped = reinterpret_cast<const ChainNode*>(base + at);
    } else {
        node_->crossbar.read(op.comm->peer(op.source).node, at + offsetof(ChainNode, bytes), &copy.bytes,
                             sizeof(ChainNode) - offsetof(ChainNode, bytes));
        mapped = &copy;
    }
    const std::size_t bytes = mapped->bytes;
    take_from(op, mapped->at, bytes);
    finish(op, bytes, at);
    return true;
}

void Receiver::take_inline(ReceiveOperation& op, const CompletionFlag& flag, std::uint64_t stamp)
{
    const std::size_t bytes = Stamp::inline_bytes(stamp);
    if (bytes <= op.capacity) small_copy(op.buffer, flag.payload, bytes);
    finish(op, bytes, kNoOffset);
}

void Receiver::take_from(ReceiveOperation& op, Offset at, std::uint64_t bytes)
{
    if (bytes <= op.capacity && bytes > 0) {
        node_->crossbar.read(op.comm->peer(op.source).node, at, op.buffer, bytes);
    }
}

bool Receiver::drain_pipe(ReceiveOperation& op, const CompletionFlag& flag)
{
    const std::size_t bytes = flag.body.bytes;
    if (bytes > op.capacity) {
        finish(op, bytes, kNoOffset);
        return true;
    }
    const Peer& peer = op.comm->peer(op.source);
    const Offset drained =
        peer.slots + static_cast<Offset>(op.index) * sizeof(MatchingSlot) + offsetof(MatchingSlot, drained);
    const std::uint64_t all = (bytes + kPieceBytes - 1) / kPieceBytes;
    // acquire: pairs with Sender::fill_pipe
    const std::uint64_t filled = PipeCount::pieces(flag.filled.load(std::memory_order_acquire), op.number);
    while (op.pieces < filled) {
        const std::size_t begin = op.pieces * kPieceBytes;
        node_->crossbar.read(peer.node, flag.body.at + op.pieces % kRingPieces * kPieceBytes, op.buffer + begin,
                             std::min(kPieceBytes, bytes - begin));
        ++op.pieces;
        node_->crossbar.write_flag(peer.node, drained, PipeCount::make(op.number, op.pieces));  // pairs with fill_pipe
        node_->crossbar.wake(peer.node);
    }
    if (op.pieces < all) return false;
    finish(op, bytes, kNoOffset);
    return true;
}

// The ChainNode of the message after the last one consumed. Called once `available` counts that message.
Offset Receiver::next_in_chain(Communicator& comm, const ReceiveChannel& channel, int source, int index)
{
    if (channel.cursor == kNoOffset) {
        return comm.flag(source, index).chain.load(std::memory_order_acquire);  // pairs with Sender::append
    }
    const Peer& peer = comm.peer(source);
    if (peer.mapped != nullptr) {
        // acquire: pairs with Sender::append
        return reinterpret_cast<const ChainNode*>(peer.mapped + channel.cursor)->next.load(std::memory_order_acquire);
    }
    return node_->crossbar.read_flag(peer.node, channel.cursor + offsetof(ChainNode, next));
}

void Receiver::finish(ReceiveOperation& op, std::size_t bytes, Offset cursor)
{
    op.bytes = bytes;
    op.done = true;
    if (op.under_way) {
        op.under_way = false;
        node_->remove(op);
    }
    op.channel->cursor = cursor;
    consume(*op.comm, *op.channel, op.source, op.index);
}

void Receiver::report(const ReceiveOperation& op)
{
    matched = {op.source, op.index, op.bytes};
    if (op.bytes > op.capacity) {
        fail(FMPL_ERR_TRUNCATED,
             "the message from rank {} over index {} has {} bytes, the receive buffer {}; the message is discarded, the "
             "buffer unchanged; give a larger buffer",
             op.source, op.index, op.bytes, op.capacity);
    }
}

// Whether the next message of a channel has arrived; its length and its place among all messages of the pair.
bool Receiver::peek(Communicator& comm, int source, int index, std::size_t& bytes, std::uint64_t* order)
{
    const ReceiveChannel& channel = comm.receive_channel(source, index);
    const CompletionFlag& flag = comm.flag(source, index);
    const std::uint64_t number = channel.received + 1;
    const std::uint64_t stamp = flag.stamp.load(std::memory_order_acquire);  // pairs with Sender::publish_head
    if (Stamp::number(stamp) == number) {
        // The length of an offered message may change hands with its claim; it is only known for sure when taken.
        const bool inlined = Stamp::kind(stamp) == MessageKind::inlined;
        if (order == nullptr) bytes = inlined ? Stamp::inline_bytes(stamp) : flag.body.bytes;
        if (order != nullptr) *order = flag.order;
        return true;
    }
    if (flag.available.load(std::memory_order_acquire) < number) return false;  // pairs with Sender::append
    const Offset at = next_in_chain(comm, channel, source, index);
    struct {
        std::uint64_t bytes;
        Offset at;
        std::uint64_t order;
    } node;
    node_->crossbar.read(comm.peer(source).node, at + offsetof(ChainNode, bytes), &node, sizeof node);
    bytes = node.bytes;
    if (order != nullptr) *order = node.order;
    return true;
}

// FMPL_ANY_TAG: chooses the earliest message from the source that no receive with an index waits for.
bool Receiver::find_any_index(ReceiveOperation& op)
{
    std::uint64_t earliest = ~std::uint64_t{0};
    int found = FMPL_ANY_TAG;
    for (int index = 0; index < op.comm->indices(); ++index) {
        if (op.comm->receive_channel(op.source, index).request != nullptr) continue;
        std::size_t bytes = 0;
        std::uint64_t order = 0;
        if (peek(*op.comm, op.source, index, bytes, &order) && order < earliest) {
            earliest = order;
            found = index;
        }
    }
    if (found == FMPL_ANY_TAG) return false;
    choose_channel(op, found);
    return true;
}

// A source that holds back a message from a private buffer until it sees a receive publishes it when this is set.
void Receiver::announce_any_index(ReceiveOperation& op, bool waiting)
{
    op.announced = waiting;
    const Peer& peer = op.comm->peer(op.source);
    node_->crossbar.write_flag(peer.node, peer.pair + offsetof(PairRecord, any_index_waiting), waiting ? 1 : 0);
    node_->crossbar.wake(peer.node);
}

}  // namespace fmpl
