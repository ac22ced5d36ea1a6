#include "messenger/short_ways.hpp"

#include <fmpl/envelopes.h>
#include <fmpl/waiting.h>

namespace fmpl::mpi {
namespace {

Status status_of(const Envelope& message)
{
    Status status{message.source, message.tag};
    status.bytes = message.bytes;
    return status;
}

}  // namespace

// A message that the rank waits for and for nothing else, so that an eager one needs no operation. Of a probe, which
// has no buffer, it is kept.
struct AwaitedMessage {
    Messenger::Parts& parts;
    const MessageBuffer* buffer;
    MatchKey key;
    bool has_come = false;
    Status status = Status::empty();    // of an eager or synchronous one
    Ref<ReceiveOperation> operation{};  // of one that was announced

    // fmpl_envelope_handler_t. Ends the poll when the message has come.
    static int take(void* context, int source, const void* head, const void* body, std::size_t body_bytes)
    {
        AwaitedMessage& self = *static_cast<AwaitedMessage*>(context);
        const Envelope& envelope = *static_cast<const Envelope*>(head);
        try {
            check_body(source, envelope, body_bytes);
            return self.take(source, envelope, body) ? 1 : 0;
        } catch (...) {
            self.parts.failure = std::current_exception();
            return 1;
        }
    }

private:
    bool take(int source, const Envelope& envelope, const void* body)
    {
        if (!is_message(envelope) || !Matching::matches(key, key_of(envelope))) {
            parts.arrive(source, envelope, body);
            return false;
        }
        has_come = true;
        parts.outbox.message_has_come(source);
        if (buffer == nullptr) {
            parts.keep_unexpected(source, envelope, body);
        } else if (is_announcement(envelope)) {
            operation = parts.receives.take();
            operation->buffer = *buffer;
            operation->key = key;
            parts.begin(operation, source, envelope);
        } else {
            parts.take_eager(*buffer, source, envelope, payload_of(envelope, body));
            set_received(status, envelope, *buffer);
        }
        return true;
    }
};

// The world rank that may be told of a receive ahead of its message, -1: none. In a collective call the source comes
// at the same time, and whoever needs a message next copies it best.
int Messenger::source_to_invite(
    const MessageBuffer& buffer, const Communicator& comm, Traffic traffic, int source, int tag) const
{
    if (traffic != Traffic::point_to_point) return -1;
    if (source == kAnySource || tag == kAnyTag) return -1;
    const int world_rank = comm.peers().world_rank(source);
    return world_rank != world_rank_ && parts_->invitations.may_invite(buffer, world_rank) ? world_rank : -1;
}

RequestRef Messenger::irecv(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int source, int tag)
{
    return begin_receive(buffer, comm, traffic, source, tag);
}

void Messenger::post_invited(ReceiveOperation& operation, int host)
{
    // It keeps an invitation only if its messages have been taken.
    progress_without_copies();
    if (receive_unexpected(operation)) return;
    const bool invites = parts_->matching.is_first(operation.key);
    parts_->matching.post(operation);
    if (invites) parts_->invitations.invite(operation, host);
}

// Waits for the message, unless something else is under way, too, which the wait would have to bring forward: whether
// it has come.
[[gnu::always_inline]] inline bool Messenger::await(AwaitedMessage& awaited, int peer, int tag, std::size_t bytes)
{
    Parts& parts = *parts_;
    if (!parts.awaits_nothing() || turns_ != nullptr) return false;
    const fmpl_wait_words words{nullptr, peer, tag, 0, bytes, generalized_requests > 0, 0};
    do {
        check_fmpl(fmpl_envelopes_wait(&AwaitedMessage::take, &awaited, &words));
    } while (!awaited.has_come && !parts.failure && parts.awaits_nothing());
    parts.raise_failure();
    parts.outbox.flush();  // an answer to the sender may be there
    return awaited.has_come;
}

Status Messenger::recv(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int source, int tag)
{
    raise_failure_in_fmpl();
    const int peer = source < 0 ? -1 : comm.peers().world_rank(source);
    const int index = tag == kAnyTag || traffic == Traffic::collective ? -1 : tag;
    RequestRef request;
    Parts& parts = *parts_;
    const MatchKey key{comm.context(traffic), source, tag};
    if (source != kProcNull && !parts.progressing) [[likely]] {
        UnexpectedMessage* const kept = parts.matching.find_unexpected(key);
        if (kept != nullptr && kept->source >= 0 && !is_announcement(kept->envelope)) {
            const Status status = parts.take_kept(*parts.matching.take(*kept), buffer);
            parts.outbox.flush();  // an answer to the sender may be there
            return status;
        }
        AwaitedMessage awaited{parts, &buffer, key};
        if (kept == nullptr && await(awaited, peer, index, buffer.bytes)) {
            if (!awaited.operation) return awaited.status;
            request = awaited.operation;
        }
    }
    if (!request) request = irecv(buffer, comm, traffic, source, tag);
    if (request->complete) {
        parts.outbox.flush();
        return request->status;
    }
    try {
        wait(*request, peer, index, buffer.bytes);
    } catch (...) {
        request->cancel(*this);  // the caller's buffer is its own again
        throw;
    }
    return request->status;
}

// The message that a probe finds; nullptr when there is none yet, and the ranks that share this one's CPU have had it.
UnexpectedMessage* Messenger::find_for_probe(const Communicator& comm, int source, int tag)
{
    const MatchKey key{comm.context(Traffic::point_to_point), source, tag};
    Parts& parts = *parts_;
    UnexpectedMessage* message = parts.matching.find_unexpected(key);
    if (message != nullptr || nothing_has_come()) return message;
    raise_failure_in_fmpl();
    // As in await(): where nothing else is under way, a look is one at the rings alone.
    while (!parts.progressing && parts.awaits_nothing()) {
        AwaitedMessage awaited{parts, nullptr, key};
        int taken = 0;
        check_fmpl(fmpl_envelopes_look(&AwaitedMessage::take, &awaited, &taken));
        parts.raise_failure();
        parts.outbox.flush();
        if (awaited.has_come) return parts.matching.find_unexpected(key);
        if (taken == 0) return nullptr;
    }
    look([&] { return (message = parts.matching.find_unexpected(key)) != nullptr; });
    return message;
}

Status Messenger::await_message(const Communicator& comm, int source, int tag)
{
    raise_failure_in_fmpl();
    Parts& parts = *parts_;
    const MatchKey key{comm.context(Traffic::point_to_point), source, tag};
    const int peer = source == kAnySource ? -1 : comm.peers().world_rank(source);
    UnexpectedMessage* message = parts.matching.find_unexpected(key);
    AwaitedMessage awaited{parts, nullptr, key};
    if (message == nullptr && !parts.progressing && await(awaited, peer, tag == kAnyTag ? -1 : tag, 0)) {
        message = parts.matching.find_unexpected(key);
    }
    if (message == nullptr) {
        wait_with_progress([&] { return (message = parts.matching.find_unexpected(key)) != nullptr; }, peer, tag);
    }
    return status_of(message->envelope);
}

bool Messenger::probe(Communicator& comm, int source, int tag, Status& status)
{
    if (source == kProcNull) {
        progress();
        status = Status::of_proc_null();
        return true;
    }
    const UnexpectedMessage* const message = find_for_probe(comm, source, tag);
    if (message == nullptr) return false;
    status = status_of(message->envelope);
    return true;
}

MatchedMessage Messenger::matched_probe(Communicator& comm, int source, int tag, Status& status)
{
    UnexpectedMessage* const message = find_for_probe(comm, source, tag);
    if (message == nullptr) return nullptr;
    status = status_of(message->envelope);
    return parts_->matching.take(*message);
}

RequestRef Messenger::receive_matched(MatchedMessage message, const MessageBuffer& buffer)
{
    Ref<ReceiveOperation> operation = parts_->receives.take();
    operation->buffer = buffer;
    operation->key = {message->envelope.context, message->envelope.source, message->envelope.tag};
    parts_->receive(operation, std::move(message));
    return operation;
}

void Messenger::cancel(ReceiveOperation& operation)
{
    // One that the source has accepted to send to gets its message.
    if (!operation.posted || !parts_->invitations.withdraw(operation)) return;
    Status status = Status::empty();
    status.cancelled = true;
    operation.complete_with(status);
    parts_->matching.cancel(operation);
}

}  // namespace fmpl::mpi
