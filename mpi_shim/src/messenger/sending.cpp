// Which way a message goes: the first of these that it can go.
//
//   to the own rank   copied into a posted receive, or kept                                Parts::send_to_self
//   by invitation     written to where the destination has told of a receive              Invitations
//   lent              by a send that waits, to a destination that waits for it             Outbox::try_lend
//   eager             with its envelope: up to eager_bytes, from remote-DMA memory up to eager_bytes_remote_dma; longer
//                     where the destination reads messages slowly, or the kernel is slow   Outbox, CopyRates
//   read              by the destination where it lies, in remote-DMA memory              DirectReading
//   in a channel      of FMPL's, if it is not one that is read at a private address       Channels
//   as negotiated     read at that address, packed into what the destination names, or in pieces   Negotiation
//
// An eager message needs the window to be open: else it is announced, as longer ones are. So is one of more than
// eager_bytes_kept that finds no room in the ring, unless its rank waits for it; and one of SendMode::one_of_many of
// more than eager_bytes_of_many.
#include "messenger/short_ways.hpp"

#include <fmpl/remote.h>

#include <algorithm>

namespace fmpl::mpi {
// A message to the own rank: a short one of standard mode is kept if no receive is posted, others wait where they are.
void Messenger::Parts::send_to_self(const Ref<SendOperation>& operation)
{
    const Envelope& envelope = operation->envelope;
    UnexpectedMessagePtr message = messages.take();
    message->envelope = envelope;
    message->source = -1;
    message->own = operation;
    if (const Ref<ReceiveOperation> posted = matching.take_posted(key_of(envelope))) {
        receive_own(*posted, *message);
        return;
    }
    if (envelope.kind == EnvelopeKind::eager) {
        message->body = std::make_unique_for_overwrite<std::byte[]>(envelope.bytes);
        operation->buffer.pack(0, envelope.bytes, message->body.get());
        message->own = {};
        operation->complete_with(Status::empty());
    }
    matching.keep(std::move(message));
}

void Messenger::Parts::send_eagerly(const Ref<SendOperation>& operation)
{
    Envelope& envelope = operation->envelope;
    if (envelope.kind == EnvelopeKind::synchronous) {
        envelope.send_id = reinterpret_cast<std::uintptr_t>(operation.get());
        synchronous.emplace(envelope.send_id, operation);
    }
    outbox.message(operation);
}

void Messenger::Parts::announce(const Ref<SendOperation>& operation)
{
    if (reading.try_send(operation)) return;
    const bool is_private = PrivateReading::is_for(operation->buffer, operation->destination);
    if (!is_private && channels.try_send(operation)) return;
    negotiation.send(operation, matching.any_posted());
}

// For a length that only private memory is sent eagerly with.
bool Messenger::is_eager_from_where_it_lies(const MessageBuffer& buffer) const
{
    return buffer.bytes <= settings_.eager_bytes &&
           !(buffer.in_one_piece() && fmpl_is_remote_dma(buffer.data, buffer.bytes) != 0);
}

// Sends a longer message with its envelope if it had better go so; false: it does not go so. If there is no room, only
// one that this rank waits for does: others would need a further call of this rank's, which one that is read does not.
bool Messenger::send_by_rate(const Ref<SendOperation>& operation, bool waits)
{
    const MessageBuffer& buffer = operation->buffer;
    const int destination = operation->destination;
    Outbox& outbox = parts_->outbox;
    if (buffer.bytes > std::min(settings_.eager_bytes_by_rate, CopyRates::longest())) return false;
    if (!parts_->negotiation.is_better_eager(buffer, destination) && !parts_->reading.is_better_eager(*operation))
        return false;
    if (!outbox.window_is_open(destination, buffer.bytes)) return false;
    if (waits) {
        outbox.message(operation);
    } else if (outbox.try_message(destination, operation->envelope, buffer)) {
        operation->complete_with(Status::empty());
    } else {
        return false;
    }
    return true;
}

RequestRef Messenger::isend(
    const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag, SendMode mode)
{
    return begin_send(buffer, comm, traffic, destination, tag, mode, false);
}

// waits: the caller does, in this call.
RequestRef Messenger::begin_send(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination,
    int tag, SendMode mode, bool waits)
{
    Ref<SendOperation> operation = parts_->sends.take();
    if (destination == kProcNull) {
        operation->complete_with(Status::empty());
        return operation;
    }
    const int world_rank = comm.peers().world_rank(destination);
    const bool is_own = world_rank == world_rank_;
    const bool may_be_kept = buffer.bytes <= settings_.eager_bytes_kept;
    const bool is_held_back = mode == SendMode::one_of_many && is_long_of_many(buffer.bytes);
    const bool is_short = is_eager(buffer) && !is_held_back && (may_be_kept || !is_own);
    operation->buffer.fill_with(buffer);
    operation->destination = world_rank;
    operation->envelope = envelope_of(buffer, comm, traffic, tag);
    if (mode == SendMode::synchronous || (is_own && !is_short)) operation->envelope.kind = EnvelopeKind::synchronous;

    Parts& parts = *parts_;
    const auto window_is_open = [&] { return parts.outbox.window_is_open(world_rank, buffer.bytes); };
    // A rank that only sends has not looked for what the destination says of its messages and of its receives. It takes
    // part in no joint copy before the destination knows of the message. What may go with its envelope goes before:
    // a look takes what has come, which a later receive would have found in the ring.
    if (!is_own && !window_is_open()) progress_without_copies();
    const bool may_go_by_rate = !is_own && !is_short && !is_held_back && mode != SendMode::synchronous;
    if (may_go_by_rate && !parts.invitations.any(world_rank, key_of(operation->envelope)) &&
        send_by_rate(operation, waits)) {
        return operation;
    }
    if (!is_own && !is_short) progress_without_copies();
    if (parts.invitations.try_send(operation)) return operation;
    if (is_own) {
        parts.send_to_self(operation);
    } else if (!is_short || !window_is_open()) {
        parts.announce(operation);
    } else if (waits || may_be_kept) {
        parts.send_eagerly(operation);
    } else if (mode != SendMode::synchronous && parts.outbox.try_message(world_rank, operation->envelope, buffer)) {
        operation->complete_with(Status::empty());
    } else {
        // Kept until there is room, it would need a further call of this rank's.
        parts.announce(operation);
    }
    return operation;
}

bool Messenger::send_eagerly(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag)
{
    return send_without_request(buffer, comm, traffic, destination, tag);
}

void Messenger::send(
    const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag, SendMode mode)
{
    if (mode == SendMode::standard && send_without_request(buffer, comm, traffic, destination, tag, true)) return;
    send_by_request(buffer, comm, traffic, destination, tag, mode);
}

void Messenger::send_by_request(
    const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag, SendMode mode)
{
    const RequestRef request = begin_send(buffer, comm, traffic, destination, tag, mode, true);
    if (!request->complete) wait(*request, comm.peers().world_rank(destination), tag, buffer.bytes);
}

}  // namespace fmpl::mpi
