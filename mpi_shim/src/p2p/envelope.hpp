// What ranks tell each other: the head of one of FMPL's envelopes. Written and read by this library alone, on hosts
// of one kind.
#pragma once

#include "group/communicator.hpp"

#include <fmpl/envelopes.h>

#include <cstdint>

namespace fmpl::mpi {

enum class EnvelopeKind : std::uint8_t {
    // Messages, matched by context, source and tag.
    eager,        // up to kInlineBytes in `payload`, longer as the envelope's body
    synchronous,  // the same, always as the body; the receiver answers `matched` when it has matched it
    rendezvous,   // announces one that goes through FMPL's channel `channel`
    // Announces one that the receiver is to name a place for, or to read at the private address `place`, perhaps
    // jointly by the record at `receive_id`: see Negotiation.
    negotiated,
    // Announces one that the receiver reads at `place`, and times if `receive_id` is not 0: see DirectReading.
    readable,
    accepted,  // announces one that goes through the channel of an invitation: see Invitations
    // Answers and what else belongs to them.
    matched,  // to send `send_id`: its message has been matched
    ready,    // to send `send_id`, announced as waiting: the receive is posted in its channel
    room,     // to send `send_id`: where it is to be packed, for receive `receive_id`; `place` 0: nowhere
    taken,    // to send `send_id`: its message has been read at the private address; `bytes` of it in `place` ns, or 0
    packed,   // to receive `receive_id`: the message is where it was to be packed
    read,     // to send `send_id`: its message has been read where it lies; `bytes` of it in `place` ns, or 0
    // To receive `receive_id`, or of message `send_id` if that is 0: bytes of it, from `place` on, are the body.
    piece,
    invited,  // a receive has been posted that the destination may send to: see Invitations
    credit,   // how much of the receiver's eager messages has been matched since the beginning: `bytes`
};

inline constexpr std::size_t kInlineBytes = 24;

struct Envelope {
    EnvelopeKind kind;
    std::uint8_t waits;  // of a rendezvous: 1 when the sender wants to be told that the receive is posted
    std::uint16_t channel;
    Context context;
    std::int32_t source;  // the sender's rank in its group of the communicator
    std::int32_t tag;
    std::uint64_t bytes;
    union {
        std::uint8_t payload[kInlineBytes];
        __extension__ struct {
            union {
                std::uint64_t send_id;   // the sender's own
                std::uint64_t messages;  // of kind invited: how many of the destination's messages had come
            };
            std::uint64_t place;  // in remote-DMA memory, see fmpl_remote_place; of `negotiated`, an address; 0: none
            std::uint64_t receive_id;  // the receiver's own; of `negotiated`, the place of a record or 0
        };
    };
};
static_assert(sizeof(Envelope) == FMPL_ENVELOPE_HEAD);

inline bool is_announcement(const Envelope& envelope)
{
    return envelope.kind == EnvelopeKind::rendezvous || envelope.kind == EnvelopeKind::negotiated ||
           envelope.kind == EnvelopeKind::readable;
}

inline bool is_message(const Envelope& envelope)
{
    return envelope.kind == EnvelopeKind::eager || envelope.kind == EnvelopeKind::synchronous ||
           is_announcement(envelope);
}

inline bool is_inlined(const Envelope& envelope)
{
    return envelope.kind == EnvelopeKind::eager && envelope.bytes <= kInlineBytes;
}

// Whether the envelope's body is `bytes` of a message.
inline bool has_body(const Envelope& envelope)
{
    if (envelope.kind == EnvelopeKind::eager) [[likely]]
        return envelope.bytes > kInlineBytes;
    return envelope.kind == EnvelopeKind::synchronous || envelope.kind == EnvelopeKind::piece;
}

// Of an eager or synchronous message.
inline const void* payload_of(const Envelope& envelope, const void* body)
{
    return is_inlined(envelope) ? envelope.payload : body;
}

}  // namespace fmpl::mpi
