#include "p2p/any_domain.hpp"

#include "error.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fmpl {

void AnyDomain::take_part()
{
    if (takes_part_) return;
    takes_part_ = true;
    node_->add_idle(*this);
}

void AnyDomain::progress()
{
    for (Communicator* comm : watched_) collect(*comm);
    if (!waiting_.empty() || !outgoing_.empty()) reclaim();
}

bool AnyDomain::has_credit(Communicator& comm, int destination)
{
    // acquire: pairs with collect(), which has read the cell before
    const std::uint64_t taken = comm.pair_record(destination).any_taken.load(std::memory_order_acquire);
    return comm.pair(destination).any_sent - taken < kAnyCells;
}

bool AnyDomain::waits_for_credit(const Communicator& comm, int destination) const
{
    return std::any_of(waiting_.begin(), waiting_.end(),
        [&](const Outgoing& m) { return m.comm == &comm && m.destination == destination; });
}

// Writes a message into the next cell of the ring. Requires a credit.
void AnyDomain::put(Communicator& comm, int destination, const AnyHeader& header, const void* data)
{
    const Crossbar& crossbar = node_->crossbar;
    const Peer& peer = comm.peer(destination);
    const std::uint64_t number = ++comm.pair(destination).any_sent;
    const Offset cell = peer.any + (number - 1) % kAnyCells * sizeof(AnyCell);
    crossbar.write(peer.node, cell + offsetof(AnyCell, header), &header, sizeof header);
    if (header.at == kNoOffset && header.bytes > 0) {
        crossbar.write(peer.node, cell + offsetof(AnyCell, payload), data, header.bytes);
    }
    crossbar.write_flag(peer.node, cell + offsetof(AnyCell, number), number);  // pairs with collect()
    if (number == 1) crossbar.write_flag(peer.node, peer.any_door, 1);  // pairs with Communicator::any_door_is_open()
    crossbar.wake(peer.node);
}

// A block of the send buffer, kNoOffset when there is none or it is full.
Offset AnyDomain::take_from_buffer(std::size_t bytes)
{
    if (!buffer_->enabled()) return kNoOffset;
    Offset block = buffer_->take(bytes);
    if (block == kNoOffset) {
        sender_->reclaim();
        block = buffer_->take(bytes);
    }
    return block;
}

// A message with its payload behind a done word in the block, where the destination can read it.
AnyDomain::Outgoing AnyDomain::copy_to(
    Offset block, Communicator& comm, int destination, int index, const void* data, std::size_t bytes)
{
    const Crossbar& crossbar = node_->crossbar;
    reinterpret_cast<std::atomic<std::uint64_t>*>(crossbar.local(block))->store(0, std::memory_order_relaxed);
    if (bytes > 0) std::memcpy(crossbar.local(block + kLine), data, bytes);
    return {&comm, destination, {bytes, block + kLine, block, index}, block, false};
}

// A long message where its destination can read it: in the send buffer if there is room, else where it lies if it can
// be addressed there, else in the arena.
AnyDomain::Outgoing AnyDomain::store(
    Communicator& comm, int destination, int index, const void* data, std::size_t bytes)
{
    const Crossbar& crossbar = node_->crossbar;
    if (const Offset block = take_from_buffer(kLine + bytes); block != kNoOffset) {
        Outgoing message = copy_to(block, comm, destination, index, data, bytes);
        message.in_send_buffer = true;
        return message;
    }
    if (!crossbar.contains(data, bytes)) {
        return copy_to(node_->arena.allocate(kLine + bytes), comm, destination, index, data, bytes);
    }
    Outgoing message = copy_to(node_->arena.allocate(kLine), comm, destination, index, nullptr, 0);
    message.header.bytes = bytes;
    message.header.at = crossbar.offset_of(data);
    return message;
}

void AnyDomain::send(Communicator& comm, int destination, int index, const void* data, std::size_t bytes)
{
    take_part();
    reclaim();
    const bool spooling = buffer_->enabled();
    const bool in_cell = bytes <= kAnyInlineBytes;
    WaitFor what{node_->call, comm.peer(destination).node, index, comm.size(), bytes};
    if (spooling) what.deadline_ns = monotonic_ns() + static_cast<std::uint64_t>(buffer_->timeout_ms()) * 1'000'000;

    // A credit, unless earlier messages to the same rank wait for one.
    const auto ready = [&] { return !waits_for_credit(comm, destination) && has_credit(comm, destination); };
    bool credit = ready();
    if (!credit && !(spooling && buffer_->timeout_ms() == 0)) credit = node_->wait(ready, what);
    if (!credit) {
        // The time-out: into the send buffer; when that is full, there is nothing but to wait.
        if (const Offset block = take_from_buffer(kLine + bytes); block != kNoOffset) {
            waiting_.push_back(copy_to(block, comm, destination, index, data, bytes));
            waiting_.back().in_send_buffer = true;
            return;
        }
        what.deadline_ns = 0;
        node_->wait(ready, what);
    }

    if (in_cell) {
        put(comm, destination, {bytes, kNoOffset, kNoOffset, index}, data);
        return;
    }
    const Outgoing message = store(comm, destination, index, data, bytes);
    put(comm, destination, message.header, nullptr);
    if (message.in_send_buffer) {
        outgoing_.push_back(message);
        return;
    }
    what.deadline_ns = 0;
    node_->wait([&] { return is_done(message); }, what);
    release(message);
}

bool AnyDomain::is_done(const Outgoing& message) const
{
    // acquire: pairs with take_match(), which has read the payload before
    return reinterpret_cast<const std::atomic<std::uint64_t>*>(node_->crossbar.local(message.block))
               ->load(std::memory_order_acquire) != 0;
}

void AnyDomain::release(const Outgoing& message)
{
    if (message.in_send_buffer) {
        buffer_->give_back(message.block);
    } else {
        node_->arena.free(message.block);
    }
}

void AnyDomain::reclaim()
{
    // In the order sent: a message passes none to the same destination.
    std::deque<Outgoing> still_waiting;
    for (const Outgoing& message : std::exchange(waiting_, {})) {
        const bool behind = std::any_of(still_waiting.begin(), still_waiting.end(),
            [&](const Outgoing& m) { return m.comm == message.comm && m.destination == message.destination; });
        if (behind || !has_credit(*message.comm, message.destination)) {
            still_waiting.push_back(message);
            continue;
        }
        put(*message.comm, message.destination, message.header, nullptr);
        outgoing_.push_back(message);
    }
    waiting_ = std::move(still_waiting);
    std::erase_if(outgoing_, [&](const Outgoing& message) {
        if (!is_done(message)) return false;
        release(message);
        return true;
    });
}

// Moves what lies in the rings to the private list; whether there was anything.
bool AnyDomain::collect(Communicator& comm)
{
    bool any = false;
    const Crossbar& crossbar = node_->crossbar;
    int& first = next_source_[&comm];
    for (int k = 0; k < comm.size(); ++k) {
        const int source = (first + k) % comm.size();
        if (!comm.any_door_is_open(source)) continue;
        PairState& pair = comm.pair(source);
        for (;;) {
            const std::uint64_t number = pair.any_received + 1;
            const AnyCell& cell = comm.any_ring(source)[(number - 1) % kAnyCells];
            if (cell.number.load(std::memory_order_acquire) != number) break;  // pairs with put()
            Unexpected message{source, cell.header, {}};
            if (message.header.at == kNoOffset) {
                const auto* payload = reinterpret_cast<const std::byte*>(cell.payload);
                message.payload.assign(payload, payload + message.header.bytes);
            }
            unexpected_[&comm].push_back(std::move(message));
            pair.any_received = number;
            const Peer& peer = comm.peer(source);
            // Pairs with has_credit().
            crossbar.write_flag(peer.node, peer.pair + offsetof(PairRecord, any_taken), number);
            crossbar.wake(peer.node);
            any = true;
        }
    }
    first = (first + 1) % comm.size();
    return any;
}

bool AnyDomain::take_match(Communicator& comm, int index, void* buffer, std::size_t capacity, bool& truncated)
{
    std::list<Unexpected>& list = unexpected_[&comm];
    const auto message = std::find_if(list.begin(), list.end(),
        [&](const Unexpected& m) { return index == FMPL_ANY_TAG || m.header.index == index; });
    if (message == list.end()) return false;
    const AnyHeader& header = message->header;
    truncated = header.bytes > capacity;
    const Peer& peer = comm.peer(message->source);
    if (header.at != kNoOffset) {
        if (!truncated) node_->crossbar.read(peer.node, header.at, buffer, header.bytes);
        node_->crossbar.write_flag(peer.node, header.done, 1);  // pairs with is_done()
        node_->crossbar.wake(peer.node);
    } else if (!truncated && header.bytes > 0) {
        std::memcpy(buffer, message->payload.data(), header.bytes);
    }
    receiver_->matched = {message->source, static_cast<int>(header.index), header.bytes};
    list.erase(message);
    return true;
}

void AnyDomain::recv(Communicator& comm, int index, void* buffer, std::size_t capacity)
{
    take_part();
    bool truncated = false;
    if (!take_match(comm, index, buffer, capacity, truncated)) {
        // Looked at again whenever messages have come to the list, be it by the waiting itself.
        node_->wait(
            [&] {
                collect(comm);
                return take_match(comm, index, buffer, capacity, truncated);
            },
            {node_->call, -1, index, comm.size(), capacity});
    }
    if (truncated) {
        const Matched& m = receiver_->matched;
        fail(FMPL_ERR_TRUNCATED,
            "the message from rank {} with index {} has {} bytes, the receive buffer {}; the message is discarded, the "
            "buffer unchanged; give a larger buffer",
            m.source, m.index, m.bytes, capacity);
    }
}

void AnyDomain::withdraw(Communicator& comm)
{
    std::erase(watched_, &comm);
    std::erase_if(waiting_, [&](const Outgoing& message) {
        if (message.comm != &comm) return false;
        release(message);
        return true;
    });
}

void AnyDomain::abandon(Communicator& comm)
{
    unexpected_.erase(&comm);
    next_source_.erase(&comm);
    std::erase_if(outgoing_, [&](const Outgoing& message) {
        if (message.comm != &comm) return false;
        release(message);
        return true;
    });
    withdraw(comm);
}

}  // namespace fmpl
