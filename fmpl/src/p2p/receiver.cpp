#include "p2p/receiver.hpp"

#include "error.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace fmpl {
namespace {

std::string index_words(int index)
{
    return index == FMPL_ANY_TAG ? "with FMPL_ANY_TAG" : fmt::format("over index {}", index);
}

}  // namespace

void Receiver::prepare(Request& op, Communicator& comm, int source, int index, const Room& room)
{
    op.owner = this;
    op.comm = &comm;
    op.source = source;
    op.room = room;
    op.index = index;
}

// Makes the next message of the channel the operation's own; false while it belongs to another one.
bool Receiver::take_number(ReceiveOperation& op, int index)
{
    ReceiveChannel& channel = op.comm->receive_channel(op.source, index);
    if (channel.receiving != nullptr) return false;
    channel.receiving = &op;
    op.index = index;
    op.number = channel.received + 1;
    return true;
}

void Receiver::recv_longer(Communicator& comm, int source, int index, void* buffer, std::size_t capacity)
{
    recv_longer(comm, source, index, Room(buffer, capacity));
}

void Receiver::recv_longer(Communicator& comm, int source, int index, const Room& room)
{
    if (request_of(comm, source, index) != nullptr) {
        fail(FMPL_ERR_BUSY, "an fmpl_irecv from rank {} {} is outstanding; call fmpl_irecv_wait first", source,
            index_words(index));
    }
    Request op;
    prepare(op, comm, source, index, room);
    try {
        wait(op);
    } catch (...) {
        // The job is ending: nobody may find the operation of a call that has returned.
        if (op.number != 0) comm.receive_channel(source, op.index).receiving = nullptr;
        throw;
    }
    report(op);
}

void Receiver::irecv(Communicator& comm, int source, int index, void* buffer, std::size_t capacity, Manner manner)
{
    ReceiveOperation*& request = request_of(comm, source, index);
    if (request != nullptr) {
        fail(FMPL_ERR_BUSY, "an fmpl_irecv from rank {} {} is outstanding already; call fmpl_irecv_wait first", source,
            index_words(index));
    }
    Request& op = *requests_.take();
    prepare(op, comm, source, index, {buffer, capacity});
    op.discards = manner == Manner::discards;
    op.ahead = manner == Manner::ahead;
    request = &op;
    // The claim has a line of its own, and comes while the stamp's is waited for; it was this rank's last.
    if (capacity > kInlineBytes && index != FMPL_ANY_TAG) __builtin_prefetch(&comm.flag(source, index).claim, 1);
    if (advance(op)) return;
    if (op.number != 0 && capacity > kInlineBytes) posted::post(end_, op);
    // With an index and an addressable buffer the source completes it alone, except in corner cases.
    const bool alone = op.number != 0 && (capacity <= kInlineBytes || node_->crossbar.contains(buffer, capacity));
    op.list = alone ? ReceiveOperation::List::idle : ReceiveOperation::List::busy;
    if (alone) {
        node_->add_idle(op);
    } else {
        node_->add_busy(op);
    }
}

void Receiver::irecv_wait(Communicator& comm, int source, int index)
{
    ReceiveOperation*& request = outstanding(comm, source, index);
    ReceiveOperation* const op = request;
    // A short receive that has its message's number, and nothing else to be done meanwhile: as Receiver::recv.
    if (op->list == ReceiveOperation::List::idle && op->room.bytes() <= kInlineBytes && !node_->has_busy()) {
        ReceiveChannel& channel = comm.receive_channel(source, op->index);
        if (take_short(comm, channel, source, op->index, op->room.data(), op->room.bytes())) {
            node_->remove_idle(*op);
            channel.receiving = nullptr;
            request = nullptr;
            requests_.give_back(static_cast<Request*>(op));
            return;
        }
    }
    wait(*op);
    end_request(request);
}

void Receiver::irecv_test(Communicator& comm, int source, int index, int& done)
{
    ReceiveOperation*& request = outstanding(comm, source, index);
    if (!advance(*request)) {
        // A short one is posted when its message turns out to be long.
        if (request->number != 0 && request->room.bytes() > kInlineBytes) posted::post(end_, *request);
        node_->progress_in_passing();
        return;
    }
    done = 1;
    end_request(request);
}

void Receiver::irecv_withdraw(Communicator& comm, int source, int index)
{
    ReceiveOperation*& request = outstanding(comm, source, index);
    ReceiveOperation& op = *request;
    if (!op.ahead) {
        fail(FMPL_ERR_ARGUMENT,
            "the receive from rank {} over index {} was posted by fmpl_irecv; take back what fmpl_irecv_ahead has "
            "posted",
            source, index);
    }
    const bool has_come = advance(op) || (op.number != 0 && ReceiveEnd::arrival(comm, source, index, op.number).place !=
                                                                Arrival::Place::none);
    if (has_come) {
        fail(FMPL_ERR_BUSY,
            "the message of the fmpl_irecv from rank {} over index {} has come; call fmpl_irecv_wait for it", source,
            index);
    }
    ReceiveChannel& channel = comm.receive_channel(source, index);
    // The source, which is not sending, finds nothing posted from now on.
    if (op.number != 0) {
        posted::withdraw(end_, op);
        channel.receiving = nullptr;
    }
    end_.unlist(op);
    requests_.give_back(static_cast<Request*>(std::exchange(request, nullptr)));
}

// The nonblocking receive of a channel, or with FMPL_ANY_TAG of a source.
ReceiveOperation*& Receiver::request_of(Communicator& comm, int source, int index)
{
    return index == FMPL_ANY_TAG ? comm.pair(source).any_index_request : comm.receive_channel(source, index).request;
}

ReceiveOperation*& Receiver::outstanding(Communicator& comm, int source, int index)
{
    ReceiveOperation*& request = request_of(comm, source, index);
    if (request == nullptr) {
        fail(FMPL_ERR_NO_REQUEST, "no fmpl_irecv from rank {} {} is outstanding", source, index_words(index));
    }
    return request;
}

// The operation is done: its record is free, and its result is reported.
void Receiver::end_request(ReceiveOperation*& request)
{
    ReceiveOperation* const op = std::exchange(request, nullptr);
    requests_.give_back(static_cast<Request*>(op));
    report(*op);
}

// A short receive, and one into whose channel all came as offers in the lane, is posted only when it has to wait for
// long: such messages need no posted receive.
bool Receiver::comes_without_post(ReceiveOperation& op)
{
    if (op.room.bytes() <= kInlineBytes) return node_->waiter.spin([&] { return step(op); });
    std::size_t& offered = op.channel().offered_bytes;
    if (op.room.bytes() > offered || op.list != ReceiveOperation::List::none || node_->has_busy()) return false;
    const std::size_t offered_before = std::exchange(offered, 0);
    if (!node_->waiter.spin([&] { return step(op); })) return false;
    if (offered != 0) offered = std::max(offered, offered_before);
    return true;
}

void Receiver::wait(ReceiveOperation& op)
{
    if (advance(op)) return;
    const WaitFor what{node_->call, op.peer().node, op.index, op.comm->size(), op.room.bytes()};
    if (op.number != 0) {
        if (comes_without_post(op)) return;
        if (op.room.bytes() > kInlineBytes) posted::post(end_, op);
    }
    node_->wait([&] { return progress(op); }, what);
}

bool Receiver::advance(ReceiveOperation& op)
{
    if (op.done) return true;
    if (op.number == 0 && !(op.index == FMPL_ANY_TAG ? choose_any_index(op) : take_number(op, op.index))) return false;
    return step(op);
}

// Takes the operation's message if it has arrived, or the pieces of it that have; whether the receive is done.
bool Receiver::step(ReceiveOperation& op)
{
    if (op.done) return true;
    const Arrival found = ReceiveEnd::arrival(*op.comm, op.source, op.index, op.number);
    switch (found.place) {
        case Arrival::Place::none:
            return false;
        case Arrival::Place::lane:
            if (!LaneStamp::is_offer(found.stamp)) {
                inlined::take(end_, op, op.peer().lane_from->payload, LaneStamp::bytes(found.stamp));
                return true;
            }
            return take_lane_offer(op);
        case Arrival::Place::head:
            return take_head(op, found.stamp);
        case Arrival::Place::chain:
            spooled::take_chained(end_, op);
            return true;
    }
    return false;
}

// The message is on offer in the lane. The source that has claimed it itself makes it a head.
bool Receiver::take_lane_offer(ReceiveOperation& op)
{
    if (ReceiveEnd::claim(op)) {
        lane_offer::take(end_, op);
        return true;
    }
    const std::uint64_t stamp = op.flag().stamp.load(std::memory_order_acquire);  // pairs with SendEnd::publish_head
    return Stamp::number(stamp) == op.number && take_head(op, stamp);
}

bool Receiver::take_head(ReceiveOperation& op, std::uint64_t stamp)
{
    CompletionFlag& flag = op.flag();
    switch (Stamp::kind(stamp)) {
        case MessageKind::inlined:
            inlined::take(end_, op, flag.payload, Stamp::inline_bytes(stamp));
            return true;
        case MessageKind::moved:  // or refused: longer than the buffer
            // An answer over the same index will ask first where it may go, and the other rank has just said that.
            __builtin_prefetch(&op.comm->slot(op.source, op.index));
            end_.finish(op, flag.body.bytes);
            return true;
        case MessageKind::shared:
            return shared::take(end_, op);
        case MessageKind::offered: {
            if (op.sharing) return shared::take(end_, op);
            if (!ReceiveEnd::claim(op)) return false;  // the loser waits for the stamp to change
            if (wants_help(end_, op)) return shared::ask_for_help(end_, op);
            [[fallthrough]];
        }
        case MessageKind::spooled:
            spooled::take(end_, op, flag.body.at, flag.body.bytes);
            return true;
        case MessageKind::held:
            posted::post(end_, op);
            // It has begun to send before it was told, and may sleep for want of the receive.
            if (op.ahead) node_->crossbar.wake(op.peer().node);
            return false;
        case MessageKind::piped:
            return piped::drain(end_, op);
    }
    fail(FMPL_ERR_INTERNAL, "the completion flag of rank {}, index {} holds {:#x}", op.source, op.index, stamp);
}

void Receiver::report(const ReceiveOperation& op)
{
    matched = {op.source, op.index, op.bytes};
    if (op.bytes > op.room.bytes() && !op.discards) {
        fail(FMPL_ERR_TRUNCATED,
            "the message from rank {} over index {} has {} bytes, the receive buffer {}; the message is discarded, the "
            "buffer unchanged; give a larger buffer",
            op.source, op.index, op.bytes, op.room.bytes());
    }
}

std::vector<char> Receiver::ranks_that_have_written(Communicator& comm) const
{
    std::vector<char> written(static_cast<std::size_t>(comm.size()), comm.owns_areas ? 0 : 1);
    if (!comm.owns_areas) return written;
    // Of a table of rows of so many bytes, whose first is that of rank 0.
    const auto note = [&](Offset table, std::size_t row) {
        node_->tables.for_each_touched(table, row * written.size(), [&](Offset at, std::size_t bytes) {
            for (Offset from = (at - table) / row; from * row < at - table + bytes; ++from) written[from] = 1;
        });
    };
    note(comm.own_tables.flags, sizeof(CompletionFlag) * static_cast<std::size_t>(comm.row()));
    note(comm.own_tables.lanes, sizeof(Lane));
    // The lanes to lower ranks lie at these.
    for (int peer = 0; peer < comm.rank(); ++peer) {
        const LaneHalf* const lane = comm.peer(peer).lane_from;
        if (lane != nullptr && node_->tables.is_touched(node_->crossbar.offset_of(lane), sizeof *lane)) {
            written[static_cast<std::size_t>(peer)] = 1;
        }
    }
    return written;
}

// Whether the next message of a channel has arrived; its place among all messages of the pair, and its length unless it
// is a head with a body, which its owner may be replacing.
bool Receiver::peek(Communicator& comm, int source, int index, std::size_t& bytes, std::uint64_t& order)
{
    const ReceiveChannel& channel = comm.receive_channel(source, index);
    const Arrival found = ReceiveEnd::arrival(comm, source, index, channel.received + 1);
    switch (found.place) {
        case Arrival::Place::none:
            return false;
        case Arrival::Place::lane:
            order = near(comm.pair(source).received, comm.peer(source).lane_from->order);
            bytes = LaneStamp::is_offer(found.stamp) ? ReceiveEnd::offer_in(*comm.peer(source).lane_from).bytes()
                                                     : LaneStamp::bytes(found.stamp);
            return true;
        case Arrival::Place::head:
            order = comm.flag(source, index).order;
            bytes = Stamp::inline_bytes(found.stamp);
            return true;
        case Arrival::Place::chain:
            break;
    }
    const ReceiveEnd::Chained message = end_.next_in_chain(comm, source, index);
    bytes = message.bytes;
    order = message.order;
    return true;
}

// The index of the earliest message from the source that belongs to no receive, FMPL_ANY_TAG when there is none.
int Receiver::earliest_index(ReceiveOperation& op)
{
    std::uint64_t earliest = ~std::uint64_t{0};
    int found = FMPL_ANY_TAG;
    for (int index = 0; index < op.comm->indices(); ++index) {
        // A message that has come for another receive is that one's; the one behind it may be this one's.
        ReceiveOperation* const other = op.comm->receive_channel(op.source, index).receiving;
        if (other != nullptr && !advance(*other)) continue;
        std::size_t bytes = 0;
        std::uint64_t order = 0;
        if (peek(*op.comm, op.source, index, bytes, order) && order < earliest) {
            earliest = order;
            found = index;
        }
    }
    return found;
}

bool Receiver::choose_any_index(ReceiveOperation& op)
{
    if (earliest_index(op) == FMPL_ANY_TAG) return false;
    // While the first scan went on, an earlier message may have arrived behind it and a later one before it. Everything
    // sent before the message found is visible by now, so a second scan finds the earliest.
    return take_number(op, earliest_index(op));
}

}  // namespace fmpl
