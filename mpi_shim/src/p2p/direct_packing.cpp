#include "p2p/direct_packing.hpp"

#include "error.hpp"
#include "p2p/fmpl_call.hpp"

#include <fmpl/envelopes.h>
#include <fmpl/remote.h>
#include <mpi.h>

#include <algorithm>

namespace fmpl::mpi {
namespace {

template <class T>
std::uint64_t id_of(const Ref<T>& operation)
{
    return reinterpret_cast<std::uintptr_t>(operation.get());
}

template <class T>
Ref<T> take_out(std::unordered_map<std::uint64_t, Ref<T>>& operations, std::uint64_t id)
{
    auto node = operations.extract(id);
    return node.empty() ? Ref<T>() : std::move(node.mapped());
}

}  // namespace

bool DirectPacking::is_best_for(const SendOperation& operation) const
{
    const MessageBuffer& buffer = operation.buffer;
    return !cpus_suffice_ && buffer.in_one_piece() && buffer.bytes > 0 &&
           fmpl_is_remote_dma(buffer.data, buffer.bytes) == 0;
}

void DirectPacking::send(const Ref<SendOperation>& operation)
{
    operation->envelope.kind = EnvelopeKind::scattered;
    if (is_best_for(*operation)) operation->envelope.place = reinterpret_cast<std::uintptr_t>(operation->buffer.data);
    operation->envelope.send_id = id_of(operation);
    announced_.emplace(operation->envelope.send_id, operation);
    outbox_->announce(operation->destination, operation->envelope);
}

// Whether the message could be read at its private address; then the receive is complete.
bool DirectPacking::read(ReceiveOperation& operation)
{
    const Envelope& envelope = operation.envelope;
    const MessageBuffer& buffer = operation.buffer;
    const std::uint64_t bytes = std::min(envelope.bytes, buffer.bytes);
    const bool straight = buffer.in_one_piece();
    Scratch scratch = straight ? Scratch() : Scratch(bytes);
    int copied = 0;
    check_fmpl(
        fmpl_private_read(operation.source, envelope.place, straight ? buffer.data : scratch.data(), bytes, &copied));
    if (copied == 0) return false;
    if (!straight) buffer.unpack(0, bytes, scratch.data());
    Envelope taken{};
    taken.kind = EnvelopeKind::taken;
    taken.send_id = envelope.send_id;
    operation.finish_with(envelope);
    outbox_->post(operation.source, taken);
    return true;
}

void DirectPacking::taken(const Envelope& envelope)
{
    if (const Ref<SendOperation> operation = take_out(announced_, envelope.send_id)) {
        operation->complete_with(Status::empty());
    }
}

void DirectPacking::receive(const Ref<ReceiveOperation>& operation)
{
    if (operation->envelope.place != 0 && read(*operation)) return;
    const std::uint64_t bytes = operation->envelope.bytes;
    const MessageBuffer& buffer = operation->buffer;
    Envelope room{};
    room.kind = EnvelopeKind::room;
    room.send_id = operation->envelope.send_id;
    room.receive_id = id_of(operation);
    if (bytes > 0 && fmpl_is_addressable(operation->source) != 0) {
        const bool fits = buffer.in_one_piece() && buffer.bytes >= bytes;
        std::byte* to = buffer.data;
        if (!fits || fmpl_is_remote_dma(to, bytes) == 0) {
            operation->arriving = Scratch(bytes);
            to = operation->arriving.data();
        }
        if (fmpl_is_remote_dma(to, bytes) != 0) {
            check_fmpl(fmpl_remote_place(to, bytes, &room.place));
        } else {
            operation->arriving = Scratch();
        }
    }
    receives_.emplace(room.receive_id, operation);
    outbox_->post(operation->source, room);
}

void DirectPacking::room(int source, const Envelope& envelope)
{
    const Ref<SendOperation> operation = take_out(announced_, envelope.send_id);
    if (!operation) return;
    const std::uint64_t bytes = operation->envelope.bytes;
    void* const to = envelope.place != 0 ? fmpl_remote_room(source, envelope.place, bytes) : nullptr;
    if (to == nullptr) {
        streams_.push_back({operation, envelope.receive_id});
        return;
    }
    operation->buffer.pack(0, bytes, to);
    Envelope packed{};
    packed.kind = EnvelopeKind::packed;
    packed.receive_id = envelope.receive_id;
    untold_.push_back({operation, packed});
    tell();
}

bool DirectPacking::tell()
{
    const std::size_t over = std::erase_if(untold_, [&](const Untold& untold) {
        if (!outbox_->try_post(untold.operation->destination, untold.packed)) return false;
        untold.operation->complete_with(Status::empty());
        return true;
    });
    return over > 0;
}

void DirectPacking::packed(const Envelope& envelope)
{
    const Ref<ReceiveOperation> operation = take_out(receives_, envelope.receive_id);
    if (!operation) return;
    if (operation->arriving) {
        operation->buffer.unpack(
            0, std::min(operation->envelope.bytes, operation->buffer.bytes), operation->arriving.data());
        operation->arriving = Scratch();
    }
    operation->finish_with(operation->envelope);
}

void DirectPacking::piece(const Envelope& envelope, const void* body)
{
    const auto found = receives_.find(envelope.receive_id);
    if (found == receives_.end()) return;
    ReceiveOperation& operation = *found->second;
    const std::uint64_t begin = envelope.place;
    const std::uint64_t end = begin + envelope.bytes;
    if (begin < operation.buffer.bytes) operation.buffer.unpack(begin, std::min(end, operation.buffer.bytes), body);
    if (end < operation.envelope.bytes) return;
    operation.arriving = Scratch();
    operation.finish_with(operation.envelope);
    receives_.erase(found);
}

bool DirectPacking::stream()
{
    const std::uint64_t most = fmpl_envelope_body_limit();
    const std::size_t over = std::erase_if(streams_, [&](Stream& stream) {
        const std::uint64_t bytes = stream.operation->envelope.bytes;
        do {  // one piece at least: of no bytes for a message without any
            Envelope piece{};
            piece.kind = EnvelopeKind::piece;
            piece.receive_id = stream.receive_id;
            piece.place = stream.begin;
            piece.bytes = std::min(most, bytes - stream.begin);
            void* body = nullptr;
            if (fmpl_envelope_reserve(stream.operation->destination, piece.bytes, &body) == 0) return false;
            stream.operation->buffer.pack(stream.begin, stream.begin + piece.bytes, body);
            check_fmpl(fmpl_envelope_commit(stream.operation->destination, &piece));
            stream.begin += piece.bytes;
        } while (stream.begin < bytes);
        stream.operation->complete_with(Status::empty());
        return true;
    });
    return over > 0;
}

}  // namespace fmpl::mpi
