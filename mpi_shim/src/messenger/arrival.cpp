#include "messenger/messenger_parts.hpp"
#include "p2p/take_body.hpp"

#include <fmpl/envelope_steps.h>

#include <algorithm>
#include <cstring>

namespace fmpl::mpi {

void SendOperation::dispose()
{
    buffer.drop_layout();
    pool->give_back(*this);
}

void ReceiveOperation::dispose()
{
    buffer.drop_layout();
    pool->give_back(*this);
}

void ReceiveOperation::cancel(Messenger& messenger)
{
    messenger.cancel(*this);
}

void ReceiveOperation::finish_with(const Envelope& message)
{
    set_received(status, message, buffer);
    complete = true;
}

void Messenger::Parts::take_long_body(const MessageBuffer& buffer, std::uint64_t bytes, const void* payload)
{
    take_body(bytes, [&](std::uint64_t begin, std::uint64_t end) {
        buffer.unpack(begin, end, static_cast<const std::byte*>(payload) + begin);
    });
}

void Messenger::Parts::tell_of_match(int source, const Envelope& envelope)
{
    Envelope matched{};
    matched.kind = EnvelopeKind::matched;
    matched.send_id = envelope.send_id;
    outbox.post(source, matched);
}

void Messenger::Parts::receive_own(ReceiveOperation& operation, UnexpectedMessage& message)
{
    if (message.own) {
        copy_message(message.own->buffer, operation.buffer, std::min(message.envelope.bytes, operation.buffer.bytes));
        message.own->complete_with(Status::empty());
    } else {
        operation.buffer.unpack(0, std::min(message.envelope.bytes, operation.buffer.bytes), message.payload());
    }
    operation.finish_with(message.envelope);
}

void Messenger::Parts::begin(const Ref<ReceiveOperation>& operation, int source, const Envelope& envelope)
{
    if (envelope.kind == EnvelopeKind::readable) {
        reading.receive(*operation, source, envelope);
        return;
    }
    operation->source = source;
    operation->envelope = envelope;
    if (envelope.kind == EnvelopeKind::negotiated) {
        negotiation.receive(operation);
    } else {
        channels.receive(operation);
    }
}

void Messenger::Parts::receive(const Ref<ReceiveOperation>& operation, UnexpectedMessagePtr message)
{
    if (message->source < 0) {
        receive_own(*operation, *message);
    } else if (is_announcement(message->envelope)) {
        begin(operation, message->source, message->envelope);
    } else {
        operation->complete_with(take_kept(*message, operation->buffer));
    }
}

Status Messenger::Parts::take_kept(UnexpectedMessage& message, const MessageBuffer& buffer)
{
    Status status = Status::empty();
    take_eager(buffer, message.source, message.envelope, message.payload());
    set_received(status, message.envelope, buffer);
    if (message.body != nullptr) bodies.give_back(std::move(message.body), message.envelope.bytes);
    return status;
}

// The posted receive that the message from `source` matches, with which it was not invited.
[[gnu::always_inline]] inline Ref<ReceiveOperation> Messenger::Parts::take_posted(int source, const Envelope& envelope)
{
    Ref<ReceiveOperation> operation = matching.take_posted(key_of(envelope));
    if (operation && operation->invitation >= 0 && !invitations.was_in_vain(*operation)) [[unlikely]] {
        fail(ErrorClass::intern, "a message of {} bytes from rank {} matches a receive that an earlier one belongs to",
            envelope.bytes, source);
    }
    return operation;
}

// A message, or what announces one. Inlined, as the whole way of a short message.
[[gnu::always_inline]] inline void Messenger::Parts::message_arrives(
    int source, const Envelope& envelope, const void* body)
{
    outbox.message_has_come(source);
    const Ref<ReceiveOperation> operation = take_posted(source, envelope);
    if (!operation) [[unlikely]]
        return keep_unexpected(source, envelope, body);
    if (is_announcement(envelope)) [[unlikely]]
        return begin(operation, source, envelope);
    receive_eager(*operation, source, envelope, payload_of(envelope, body));
}

void Messenger::Parts::arrive(int source, const Envelope& envelope, const void* body)
{
    is_message(envelope) ? message_arrives(source, envelope, body) : answer_arrives(source, envelope, body);
}

int Messenger::Parts::Taking::handle(
    void* context, int source, const void* head, const void* body, std::size_t body_bytes)
{
    const Taking& self = *static_cast<const Taking*>(context);
    Parts& parts = self.parts;
    try {
        const bool any_posted = !parts.active.empty() && parts.matching.any_posted();
        const Envelope& envelope = *static_cast<const Envelope*>(head);
        check_body(source, envelope, body_bytes);
        if (envelope.kind == EnvelopeKind::eager) [[likely]] {
            parts.message_arrives(source, envelope, body);
        } else {
            parts.arrive(source, envelope, body);
        }
        if (!parts.awaits_nothing_but_active()) return 0;
        return (parts.active.empty() ? self.is_over(self.over) : any_posted) ? 1 : 0;
    } catch (...) {
        parts.failure = std::current_exception();
        return 1;  // what comes behind it is for the next call
    }
}

void Messenger::Parts::keep_unexpected(int source, const Envelope& envelope, const void* body)
{
    UnexpectedMessagePtr message = messages.take();
    message->envelope = envelope;
    message->source = source;
    if (has_body(envelope) && envelope.bytes > 0) {
        message->body = bodies.take(envelope.bytes);
        take_body(envelope.bytes, [&](std::uint64_t begin, std::uint64_t end) {
            std::memcpy(message->body.get() + begin, static_cast<const std::byte*>(body) + begin, end - begin);
        });
    }
    matching.keep(std::move(message));
}

void Messenger::Parts::answer_arrives(int source, const Envelope& envelope, const void* body)
{
    switch (envelope.kind) {
        case EnvelopeKind::eager:
        case EnvelopeKind::synchronous:
        case EnvelopeKind::rendezvous:
        case EnvelopeKind::negotiated:
        case EnvelopeKind::readable:
            break;  // message_arrives()
        case EnvelopeKind::accepted:
            outbox.message_has_come(source);
            invitations.accepted(source, envelope);
            break;
        case EnvelopeKind::invited:
            invitations.invited(source, envelope);
            break;
        case EnvelopeKind::room:
            negotiation.room(source, envelope);
            break;
        case EnvelopeKind::taken:
            negotiation.taken(source, envelope);
            break;
        case EnvelopeKind::packed:
            negotiation.packed(envelope);
            break;
        case EnvelopeKind::piece:
            negotiation.piece(source, envelope, body);
            break;
        case EnvelopeKind::read:
            reading.read(source, envelope);
            break;
        case EnvelopeKind::ready:
            channels.ready(envelope);
            break;
        case EnvelopeKind::matched: {
            const auto found = synchronous.find(envelope.send_id);
            if (found == synchronous.end()) break;
            found->second->complete_with(Status::empty());
            synchronous.erase(found);
            break;
        }
        case EnvelopeKind::credit:
            outbox.credit(source, envelope.bytes);
            break;
    }
}

}  // namespace fmpl::mpi
