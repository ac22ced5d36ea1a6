// The ways of short messages from MPI's own calls on, inlined there: what a message of eight bytes takes is the number
// of instructions.
#pragma once

#include "messenger/messenger_parts.hpp"

namespace fmpl::mpi {

// Of an eager message.
[[gnu::always_inline]] inline Envelope envelope_of(
    const MessageBuffer& buffer, const Communicator& comm, Traffic traffic, int tag)
{
    Envelope envelope{};
    envelope.kind = EnvelopeKind::eager;
    envelope.context = comm.context(traffic);
    envelope.source = comm.rank();
    envelope.tag = tag;
    envelope.bytes = buffer.bytes;
    return envelope;
}

// may_lend: the caller will wait for the destination if the message does not go eagerly. Inlined, as the whole way of a
// short message.
[[gnu::always_inline]] inline bool Messenger::send_without_request(
    const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag, bool may_lend)
{
    if (destination == kProcNull || buffer.bytes > settings_.eager_bytes) return false;
    const int world_rank = comm.peers().world_rank(destination);
    Outbox& outbox = parts_->outbox;
    if (world_rank == world_rank_ || !outbox.window_is_open(world_rank, buffer.bytes) ||
        parts_->invitations.any(world_rank, {comm.context(traffic), comm.rank(), tag})) {
        return false;
    }
    Envelope envelope = envelope_of(buffer, comm, traffic, tag);
    const bool eager = is_eager(buffer);
    may_lend = may_lend && buffer.bytes > kInlineBytes && (eager || parts_->reading.may_lend(world_rank));
    if (may_lend && outbox.try_lend(world_rank, envelope, buffer, !eager)) {
        if (!eager) parts_->reading.was_lent(world_rank);
        return true;
    }
    return eager && outbox.try_message(world_rank, envelope, buffer);
}

[[gnu::always_inline]] inline bool Messenger::receive_unexpected(ReceiveOperation& operation)
{
    UnexpectedMessage* const message = parts_->matching.find_unexpected(operation.key);
    if (message == nullptr) [[likely]]
        return false;
    parts_->receive(Ref<ReceiveOperation>(&operation), parts_->matching.take(*message));
    return true;
}

[[gnu::always_inline]] inline RequestRef Messenger::begin_receive(
    const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int source, int tag)
{
    Ref<ReceiveOperation> operation = parts_->receives.take();
    if (source == kProcNull) [[unlikely]] {
        operation->complete_with(Status::of_proc_null());
        return operation;
    }
    operation->buffer.fill_with(buffer);
    operation->key = {comm.context(traffic), source, tag};
    operation->source = source < 0 ? -1 : comm.peers().world_rank(source);
    const int host =
        buffer.bytes < Invitations::kLeastBytes ? -1 : source_to_invite(buffer, comm, traffic, source, tag);
    if (host >= 0) [[unlikely]] {
        post_invited(*operation, host);
    } else if (!receive_unexpected(*operation)) {
        parts_->matching.post(*operation);
    }
    return operation;
}

}  // namespace fmpl::mpi
