#include "p2p/ways/pieces.hpp"

#include "p2p/outbox.hpp"
#include "p2p/take_body.hpp"

#include <fmpl/envelopes.h>

#include <algorithm>
#include <utility>

namespace fmpl::mpi {

bool Pieces::progress()
{
    int full = -1;  // the last destination whose ring was
    const std::size_t over = std::erase_if(streams_, [&](Stream& stream) {
        const int destination = stream.operation->destination;
        if (destination == full) return false;
        if (send(stream)) return true;
        full = destination;
        return false;
    });
    return over > 0;
}

// Whether the ring has had room for all that was left of it; then the send is complete.
bool Pieces::send(Stream& stream)
{
    const std::uint64_t longest = stream.operation->buffer.in_one_piece() ? kStraightBytes : kBytes;
    const std::uint64_t most = std::min<std::uint64_t>(longest, fmpl_envelope_body_limit());
    const std::uint64_t bytes = stream.operation->envelope.bytes;
    const int destination = stream.operation->destination;
    do {  // one piece at least: of no bytes for a message without any
        Envelope piece{};
        piece.kind = EnvelopeKind::piece;
        piece.receive_id = stream.receive_id;
        piece.place = stream.begin;
        piece.bytes = std::min(most, bytes - stream.begin);
        if (!Outbox::send_with_body(destination, piece, stream.operation->buffer, stream.begin)) return false;
        stream.begin += piece.bytes;
    } while (stream.begin < bytes);
    announcements_->is_there(destination);
    stream.operation->complete_with(Status::empty());
    return true;
}

bool Pieces::take(const ReceiveOperation& operation, const Envelope& envelope, const void* body)
{
    const std::uint64_t begin = envelope.place;
    take_body(envelope.bytes, [&](std::uint64_t from, std::uint64_t to) {
        const std::uint64_t end = std::min(begin + to, operation.buffer.bytes);
        if (begin + from < end) operation.buffer.unpack(begin + from, end, static_cast<const std::byte*>(body) + from);
    });
    return begin + envelope.bytes >= operation.envelope.bytes;
}

}  // namespace fmpl::mpi
