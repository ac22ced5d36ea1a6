#include "p2p/any_domain.hpp"

#include "error.hpp"

#include <algorithm>
#include <cstring>

namespace fmpl {

void AnyDomain::send(Communicator& comm, int destination, int index, const void* data, std::size_t bytes)
{
    const Crossbar& crossbar = node_->crossbar;
    const Peer& peer = comm.peer(destination);
    PairState& pair = comm.pair(destination);
    const WaitFor what{node_->call, peer.node, index, comm.size(), bytes};

    // A long message must lie where the destination can read it, with a done word before it.
    const bool in_cell = bytes <= kAnyInlineBytes;
    Outgoing message{kNoOffset, kNoOffset, false};
    Offset payload = kNoOffset;
    bool wait_for_done = false;
    if (!in_cell) {
        reclaim();
        const bool spooling = buffer_->enabled();
        const bool in_place = crossbar.contains(data, bytes) && !spooling;
        const std::size_t copied = in_place ? 0 : bytes;
        if (spooling) message.block = buffer_->take(kLine + copied);
        message.in_send_buffer = message.block != kNoOffset;
        if (message.block == kNoOffset) message.block = node_->arena.allocate(kLine + copied);
        message.word = message.block;
        reinterpret_cast<std::atomic<std::uint64_t>*>(crossbar.local(message.word))->store(0, std::memory_order_relaxed);
        payload = in_place ? crossbar.offset_of(data) : message.block + kLine;
        if (!in_place) std::memcpy(crossbar.local(payload), data, bytes);
        wait_for_done = in_place || !message.in_send_buffer;
    }

    // A credit: the ring has a free cell.
    const std::uint64_t number = pair.any_sent + 1;
    const PairRecord& record = comm.pair_record(destination);
    node_->wait(
        [&] {
            if (number - record.any_taken.load(std::memory_order_relaxed) > kAnyCells) {
                collect(comm);  // two ranks that fill each other's rings must not wait for each other
            }
            // acquire: pairs with collect(), which has read the cell before
            return number - record.any_taken.load(std::memory_order_acquire) <= kAnyCells;
        },
        what);
    pair.any_sent = number;
    const Offset cell = peer.any + (number - 1) % kAnyCells * sizeof(AnyCell);
    const AnyHeader header{bytes, payload, message.word, index};
    crossbar.write(peer.node, cell + offsetof(AnyCell, header), &header, sizeof header);
    if (in_cell && bytes > 0) crossbar.write(peer.node, cell + offsetof(AnyCell, payload), data, bytes);
    crossbar.write_flag(peer.node, cell + offsetof(AnyCell, number), number);  // pairs with collect()
    crossbar.wake(peer.node);

    if (in_cell) return;
    if (wait_for_done) {
        node_->wait([&] { return is_done(message); }, what);
        release(message);
    } else {
        outgoing_.push_back(message);
    }
}

bool AnyDomain::is_done(const Outgoing& message) const
{
    // acquire: pairs with take_match(), which has read the payload before
    return reinterpret_cast<const std::atomic<std::uint64_t>*>(node_->crossbar.local(message.word))
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
        PairState& pair = comm.pair(source);
        for (;;) {
            const std::uint64_t number = pair.any_received + 1;
            const AnyCell& cell = comm.any_ring(source)[(number - 1) % kAnyCells];
            if (cell.number.load(std::memory_order_acquire) != number) break;  // pairs with send()
            Unexpected message{source, cell.header, {}};
            if (message.header.at == kNoOffset) {
                const auto* payload = reinterpret_cast<const std::byte*>(cell.payload);
                message.payload.assign(payload, payload + message.header.bytes);
            }
            unexpected_[&comm].push_back(std::move(message));
            pair.any_received = number;
            const Peer& peer = comm.peer(source);
            crossbar.write_flag(peer.node, peer.pair + offsetof(PairRecord, any_taken), number);  // pairs with send()
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
    const auto message = std::find_if(list.begin(), list.end(), [&](const Unexpected& m) {
        return index == FMPL_ANY_TAG || m.header.index == index;
    });
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
    bool truncated = false;
    if (!take_match(comm, index, buffer, capacity, truncated)) {
        node_->wait([&] { return collect(comm) && take_match(comm, index, buffer, capacity, truncated); },
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

void AnyDomain::abandon(Communicator& comm)
{
    unexpected_.erase(&comm);
    next_source_.erase(&comm);
}

}  // namespace fmpl
