#include "p2p/engine.hpp"

#include "p2p/body_pool.hpp"
#include "p2p/channels.hpp"
#include "p2p/direct_packing.hpp"
#include "p2p/direct_reading.hpp"
#include "p2p/fmpl_call.hpp"
#include "p2p/invitations.hpp"
#include "p2p/matching.hpp"
#include "p2p/outbox.hpp"
#include "p2p/request_pool.hpp"
#include "p2p/settings.hpp"
#include "p2p/take_body.hpp"

#include <fmpl/envelope_steps.h>
#include <fmpl/envelopes.h>
#include <fmpl/job.h>
#include <fmpl/layer_calls.h>
#include <fmpl/remote.h>
#include <fmpl/waiting.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <unordered_map>

namespace fmpl::mpi {
namespace {

bool is_announcement(const Envelope& envelope)
{
    return envelope.kind == EnvelopeKind::rendezvous || envelope.kind == EnvelopeKind::scattered ||
           envelope.kind == EnvelopeKind::readable;
}

bool is_message(const Envelope& envelope)
{
    return envelope.kind == EnvelopeKind::eager || envelope.kind == EnvelopeKind::synchronous ||
           is_announcement(envelope);
}

bool is_inlined(const Envelope& envelope)
{
    return envelope.kind == EnvelopeKind::eager && envelope.bytes <= kInlineBytes;
}

MatchKey key_of(const Envelope& envelope)
{
    return {envelope.context, envelope.source, envelope.tag};
}

// Of an eager or synchronous message.
const void* payload_of(const Envelope& envelope, const void* body)
{
    return is_inlined(envelope) ? envelope.payload : body;
}

Status status_of(const Envelope& message)
{
    Status status{message.source, message.tag};
    status.bytes = message.bytes;
    return status;
}

// What a receive into the buffer has got. In place: a copy would wait until what was written before, for another
// core, has left this one.
void set_received(Status& status, const Envelope& message, const MessageBuffer& buffer)
{
    status.source = message.source;
    status.tag = message.tag;
    status.bytes = message.bytes;
    if (message.bytes > buffer.bytes) {
        status.error = MPI_ERR_TRUNCATE;
        status.bytes = buffer.bytes;
        status.message_bytes = message.bytes;
    } else if (message.bytes < buffer.bytes && buffer.breaks_element(message.bytes)) [[unlikely]] {
        status.error = MPI_ERR_TYPE;
    }
}

// A flag that is true as long as this lives.
struct Raised {
    explicit Raised(bool& flag) : flag_(flag), before_(std::exchange(flag, true)) {}
    ~Raised() { flag_ = before_; }
    Raised(const Raised&) = delete;
    Raised& operator=(const Raised&) = delete;
    bool& flag_;
    bool before_;
};

// Calls a function of FMPL's that calls back: call(condition, context), which returns FMPL's code. What ready()
// throws, which must not pass through FMPL, is thrown then.
template <class Ready, class Call>
void with_condition(Ready& ready, Call&& call)
{
    struct Guarded {
        Ready& ready;
        std::exception_ptr failure;
    } guarded{ready, nullptr};
    const int code = call(
        [](void* g) {
            Guarded& self = *static_cast<Guarded*>(g);
            try {
                return self.ready() ? 1 : 0;
            } catch (...) {
                self.failure = std::current_exception();
                return 1;
            }
        },
        &guarded);
    if (guarded.failure) [[unlikely]]
        std::rethrow_exception(guarded.failure);
    check_fmpl(code);
}

}  // namespace

struct Engine::Parts {
    Parts(int ranks, const Settings& settings)
        : outbox(ranks),
          channels(ranks, outbox),
          packing(ranks, outbox, fmpl_cpus_suffice() != 0),
          reading(ranks, outbox, settings.eager_bytes_by_rate > 0 && fmpl_cpus_suffice() != 0),
          invitations(ranks, outbox, channels, matching)
    {
    }

    // What an envelope from another rank brings.
    void arrive(int source, const Envelope& envelope, const void* body);
    Ref<ReceiveOperation> take_posted(int source, const Envelope& envelope);
    void receive_eager(ReceiveOperation& operation, int source, const Envelope& envelope, const void* payload);
    // What an eager or synchronous message's receiver does beside the status.
    void take_eager(const MessageBuffer& buffer, int source, const Envelope& envelope, const void* payload);
    void receive_own(ReceiveOperation& operation, UnexpectedMessage& message);
    // The operation has matched an announced message.
    void begin(const Ref<ReceiveOperation>& operation, int source, const Envelope& envelope);
    // The message has been matched by the operation.
    void receive(const Ref<ReceiveOperation>& operation, std::unique_ptr<UnexpectedMessage> message);
    void send_to_self(const Ref<SendOperation>& operation);
    // Whether what comes next can only be a message for a later receive: nobody waits for it, here or at its source.
    bool awaits_nothing() const { return awaits_nothing_but_active() && active.empty(); }
    // The same beside collective operations, which go on with the next look.
    [[gnu::always_inline]] bool awaits_nothing_but_active() const
    {
        return !matching.any_posted() && reading.is_idle() && packing.is_idle() && synchronous.empty() &&
               channels.is_idle() && outbox.is_empty();
    }
    // Whether nothing is under way that a look (Engine::look) or room in a ring would bring forward.
    bool goes_on_by_envelopes() const { return goes_on_by_envelopes_but_active() && active.empty(); }
    [[gnu::always_inline]] bool goes_on_by_envelopes_but_active() const
    {
        return channels.is_idle() && packing.goes_on_by_envelopes() && outbox.is_empty();
    }

    RequestPool<SendOperation> sends;
    RequestPool<ReceiveOperation> receives;
    Matching matching;
    BodyPool bodies;
    Outbox outbox;
    Channels channels;
    DirectPacking packing;
    DirectReading reading;
    Invitations invitations;
    std::vector<Ref<ActiveRequest>> active;
    std::unordered_map<std::uint64_t, Ref<SendOperation>> synchronous;  // by send_id: sent, not known to be matched
    std::exception_ptr failure;                                         // inside the envelope handler
    std::exception_ptr failure_in_fmpl;                                 // while FMPL waited: for the rank's next call
    bool progressing = false;
    bool leaves_copies = false;  // a look leaves out what DirectPacking has to read, to give and to send

    void raise_failure()
    {
        if (failure) [[unlikely]]
            std::rethrow_exception(std::exchange(failure, nullptr));
    }
};

// A message that the rank waits for and for nothing else, so that an eager one needs no operation.
struct AwaitedMessage {
    Engine::Parts& parts;
    const MessageBuffer& buffer;
    MatchKey key;
    bool has_come = false;
    Status status = Status::empty();    // of an eager or synchronous one
    Ref<ReceiveOperation> operation{};  // of one that was announced

    // fmpl_envelope_handler_t. Ends the poll when the message has come.
    static int take(void* context, int source, const void* head, const void* body, std::size_t)
    {
        AwaitedMessage& self = *static_cast<AwaitedMessage*>(context);
        const Envelope& envelope = *static_cast<const Envelope*>(head);
        try {
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
        if (is_announcement(envelope)) {
            operation = parts.receives.take();
            operation->buffer = buffer;
            operation->key = key;
            parts.begin(operation, source, envelope);
        } else {
            parts.take_eager(buffer, source, envelope, payload_of(envelope, body));
            set_received(status, envelope, buffer);
        }
        return true;
    }
};

void SendOperation::dispose()
{
    buffer.layout.reset();
    pool->give_back(*this);
}

void ReceiveOperation::dispose()
{
    buffer.layout.reset();
    pool->give_back(*this);
}

void ReceiveOperation::cancel(Engine& engine)
{
    engine.cancel(*this);
}

void ReceiveOperation::finish_with(const Envelope& message)
{
    set_received(status, message, buffer);
    complete = true;
}

Engine::Engine(int ranks, int world_rank)
    : settings_(settings_from_environment(ranks, fmpl_envelopes_best_room())),
      parts_(std::make_unique<Parts>(ranks, settings_)),
      world_rank_(world_rank),
      cpus_suffice_(fmpl_cpus_suffice() != 0),
      call_(fmpl_layer_call())
{
    check_fmpl(fmpl_envelopes_open(settings_.ring_bytes));
    check_fmpl(fmpl_layer_progress_set(
        [](void* engine) {
            Engine& self = *static_cast<Engine*>(engine);
            try {
                self.progress_until([] { return false; });
            } catch (...) {
                self.parts_->failure_in_fmpl = std::current_exception();
            }
        },
        this));
}

Engine::~Engine() = default;

void Engine::Parts::receive_eager(
    ReceiveOperation& operation, int source, const Envelope& envelope, const void* payload)
{
    take_eager(operation.buffer, source, envelope, payload);
    operation.finish_with(envelope);
}

void Engine::Parts::take_eager(const MessageBuffer& buffer, int source, const Envelope& envelope, const void* payload)
{
    take_body(std::min(envelope.bytes, buffer.bytes), [&](std::uint64_t begin, std::uint64_t end) {
        buffer.unpack(begin, end, static_cast<const std::byte*>(payload) + begin);
    });
    outbox.matched_eager(source, envelope.bytes);
    if (envelope.kind == EnvelopeKind::synchronous) {
        Envelope matched{};
        matched.kind = EnvelopeKind::matched;
        matched.send_id = envelope.send_id;
        outbox.post(source, matched);
    }
}

void Engine::Parts::receive_own(ReceiveOperation& operation, UnexpectedMessage& message)
{
    if (message.own) {
        copy_message(message.own->buffer, operation.buffer, std::min(message.envelope.bytes, operation.buffer.bytes));
        message.own->complete_with(Status::empty());
    } else {
        operation.buffer.unpack(0, std::min(message.envelope.bytes, operation.buffer.bytes), message.payload());
    }
    operation.finish_with(message.envelope);
}

void Engine::Parts::begin(const Ref<ReceiveOperation>& operation, int source, const Envelope& envelope)
{
    if (envelope.kind == EnvelopeKind::readable) {
        reading.receive(*operation, source, envelope);
        return;
    }
    operation->source = source;
    operation->envelope = envelope;
    if (envelope.kind == EnvelopeKind::scattered) {
        packing.receive(operation);
    } else {
        channels.receive(operation);
    }
}

void Engine::Parts::receive(const Ref<ReceiveOperation>& operation, std::unique_ptr<UnexpectedMessage> message)
{
    if (message->source < 0) {
        receive_own(*operation, *message);
    } else if (is_announcement(message->envelope)) {
        begin(operation, message->source, message->envelope);
    } else {
        receive_eager(*operation, message->source, message->envelope, message->payload());
        if (message->body != nullptr) bodies.give_back(std::move(message->body), message->envelope.bytes);
    }
}

// The posted receive that the message from `source` matches, with which it was not invited.
Ref<ReceiveOperation> Engine::Parts::take_posted(int source, const Envelope& envelope)
{
    Ref<ReceiveOperation> operation = matching.take_posted(key_of(envelope));
    if (operation && operation->invitation >= 0 && !invitations.was_in_vain(*operation)) [[unlikely]] {
        fail(MPI_ERR_INTERN, "a message of {} bytes from rank {} matches a receive that an earlier one belongs to",
            envelope.bytes, source);
    }
    return operation;
}

void Engine::Parts::arrive(int source, const Envelope& envelope, const void* body)
{
    switch (envelope.kind) {
        case EnvelopeKind::eager:
        case EnvelopeKind::synchronous:
        case EnvelopeKind::rendezvous:
        case EnvelopeKind::scattered:
        case EnvelopeKind::readable: {
            outbox.message_has_come(source);
            const Ref<ReceiveOperation> operation = take_posted(source, envelope);
            if (operation && is_announcement(envelope)) {
                begin(operation, source, envelope);
            } else if (operation) {
                receive_eager(*operation, source, envelope, payload_of(envelope, body));
            } else {
                auto message = std::make_unique<UnexpectedMessage>();
                message->envelope = envelope;
                message->source = source;
                if (!is_announcement(envelope) && !is_inlined(envelope) && envelope.bytes > 0) {
                    message->body = bodies.take(envelope.bytes);
                    take_body(envelope.bytes, [&](std::uint64_t begin, std::uint64_t end) {
                        std::memcpy(
                            message->body.get() + begin, static_cast<const std::byte*>(body) + begin, end - begin);
                    });
                }
                matching.keep(std::move(message));
            }
            break;
        }
        case EnvelopeKind::accepted:
            outbox.message_has_come(source);
            invitations.accepted(source, envelope);
            break;
        case EnvelopeKind::invited:
            invitations.invited(source, envelope);
            break;
        case EnvelopeKind::room:
            packing.room(source, envelope);
            break;
        case EnvelopeKind::taken:
            packing.taken(source, envelope);
            break;
        case EnvelopeKind::packed:
            packing.packed(envelope);
            break;
        case EnvelopeKind::piece:
            packing.piece(envelope, body);
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

// A message to the own rank: a short one of standard mode is kept if no receive is posted, others wait where they are.
void Engine::Parts::send_to_self(const Ref<SendOperation>& operation)
{
    const Envelope& envelope = operation->envelope;
    auto message = std::make_unique<UnexpectedMessage>();
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

// For a length that only private memory is sent eagerly with.
bool Engine::is_eager_from_where_it_lies(const MessageBuffer& buffer) const
{
    return buffer.bytes <= settings_.eager_bytes &&
           !(buffer.in_one_piece() && fmpl_is_remote_dma(buffer.data, buffer.bytes) != 0);
}

// Sends a longer message with its envelope if its destination reads those slowly; false: it does not go so. If there is
// no room, only one that this rank waits for does: others would need a further call of this rank's, which one that is
// read does not.
bool Engine::send_by_rate(const Ref<SendOperation>& operation, bool waits)
{
    const MessageBuffer& buffer = operation->buffer;
    const int destination = operation->destination;
    Outbox& outbox = parts_->outbox;
    if (destination == world_rank_) return false;
    if (buffer.bytes > std::min(settings_.eager_bytes_by_rate, CopyRates::longest())) return false;
    if (!parts_->packing.is_better_eager(buffer, destination) && !parts_->reading.is_better_eager(*operation))
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

RequestRef Engine::isend(
    const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag, SendMode mode)
{
    return begin_send(buffer, comm, traffic, destination, tag, mode, false);
}

// waits: the caller does, in this call.
RequestRef Engine::begin_send(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination,
    int tag, SendMode mode, bool waits)
{
    Ref<SendOperation> operation = parts_->sends.take();
    if (destination == MPI_PROC_NULL) {
        operation->complete_with(Status::empty());
        return operation;
    }
    const int world_rank = comm.peers().world_rank(destination);
    operation->buffer = buffer;
    operation->destination = world_rank;
    Envelope& envelope = operation->envelope;
    envelope = Envelope{};
    envelope.kind = mode == SendMode::synchronous ? EnvelopeKind::synchronous : EnvelopeKind::eager;
    envelope.context = comm.context(traffic);
    envelope.source = comm.rank();
    envelope.tag = tag;
    envelope.bytes = buffer.bytes;
    const bool is_short = is_eager(buffer);
    if (!is_short && mode == SendMode::standard) {
        if (!parts_->outbox.window_is_open(world_rank, buffer.bytes)) progress_without_copies();  // what it says of it
        const bool is_invited = parts_->invitations.any(world_rank, key_of(envelope));
        if (!is_invited && send_by_rate(operation, waits)) return operation;
    }
    // A rank that only sends has not looked for what the destination says of its messages and of its receives.
    // It takes part in no joint copy before the destination knows of the message.
    if (world_rank != world_rank_ && !(is_short && parts_->outbox.window_is_open(world_rank, buffer.bytes)))
        progress_without_copies();
    if (parts_->invitations.any(world_rank, key_of(envelope)) && parts_->invitations.try_send(operation))
        return operation;
    if (world_rank == world_rank_) {
        if (!is_short) envelope.kind = EnvelopeKind::synchronous;
        parts_->send_to_self(operation);
    } else if (!is_short || !parts_->outbox.window_is_open(world_rank, buffer.bytes)) {
        if (!parts_->reading.try_send(operation) &&
            (parts_->packing.is_best_for(buffer, world_rank) || !parts_->channels.try_send(operation))) {
            parts_->packing.send(operation, parts_->matching.any_posted());
        }
    } else {
        if (mode == SendMode::synchronous) {
            envelope.send_id = reinterpret_cast<std::uintptr_t>(operation.get());
            parts_->synchronous.emplace(envelope.send_id, operation);
        }
        parts_->outbox.message(operation);
    }
    return operation;
}

// The world rank that may be told of a receive ahead of its message, -1: none. In a collective call the source comes
// at the same time, and whoever needs a message next copies it best.
int Engine::source_to_invite(
    const MessageBuffer& buffer, const Communicator& comm, Traffic traffic, int source, int tag) const
{
    if (buffer.bytes < Invitations::kLeastBytes || traffic != Traffic::point_to_point) return -1;
    if (source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG) return -1;
    const int world_rank = comm.peers().world_rank(source);
    return world_rank != world_rank_ && parts_->invitations.may_invite(buffer, world_rank) ? world_rank : -1;
}

RequestRef Engine::irecv(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int source, int tag)
{
    Ref<ReceiveOperation> operation = parts_->receives.take();
    if (source == MPI_PROC_NULL) {
        operation->complete_with(Status::of_proc_null());
        return operation;
    }
    operation->buffer = buffer;
    operation->key = {comm.context(traffic), source, tag};
    const int host = source_to_invite(buffer, comm, traffic, source, tag);
    // It keeps an invitation only if its messages have been taken.
    if (host >= 0) progress_without_copies();
    if (UnexpectedMessage* const message = parts_->matching.find_unexpected(operation->key)) {
        parts_->receive(operation, parts_->matching.take(*message));
        return operation;
    }
    const bool invites = host >= 0 && parts_->matching.is_first(operation->key);
    parts_->matching.post(*operation);
    if (invites) parts_->invitations.invite(*operation, host);
    return operation;
}

// may_lend: the caller will wait for the destination if the message does not go eagerly. Inlined, as the whole way of a
// short message.
[[gnu::always_inline]] inline bool Engine::send_without_request(
    const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag, bool may_lend)
{
    if (destination == MPI_PROC_NULL || buffer.bytes > settings_.eager_bytes) return false;
    const int world_rank = comm.peers().world_rank(destination);
    Outbox& outbox = parts_->outbox;
    if (world_rank == world_rank_ || !outbox.window_is_open(world_rank, buffer.bytes) ||
        parts_->invitations.any(world_rank, {comm.context(traffic), comm.rank(), tag})) {
        return false;
    }
    Envelope envelope{};
    envelope.kind = EnvelopeKind::eager;
    envelope.context = comm.context(traffic);
    envelope.source = comm.rank();
    envelope.tag = tag;
    envelope.bytes = buffer.bytes;
    const bool eager = is_eager(buffer);
    may_lend = may_lend && buffer.bytes > kInlineBytes && (eager || parts_->reading.may_lend(world_rank));
    if (may_lend && outbox.try_lend(world_rank, envelope, buffer, !eager)) {
        if (!eager) parts_->reading.was_lent(world_rank);
        return true;
    }
    return eager && outbox.try_message(world_rank, envelope, buffer);
}

bool Engine::send_eagerly(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag)
{
    return send_without_request(buffer, comm, traffic, destination, tag, false);
}

void Engine::send(
    const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag, SendMode mode)
{
    if (mode == SendMode::standard && send_without_request(buffer, comm, traffic, destination, tag, true)) return;
    send_by_request(buffer, comm, traffic, destination, tag, mode);
}

void Engine::send_by_request(
    const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int destination, int tag, SendMode mode)
{
    const RequestRef request = begin_send(buffer, comm, traffic, destination, tag, mode, true);
    if (!request->complete) wait(*request, comm.peers().world_rank(destination), tag, buffer.bytes);
}

Status Engine::recv(const MessageBuffer& buffer, Communicator& comm, Traffic traffic, int source, int tag)
{
    raise_failure_in_fmpl();
    const int peer = source < 0 ? -1 : comm.peers().world_rank(source);
    const int index = tag == MPI_ANY_TAG || traffic == Traffic::collective ? -1 : tag;
    RequestRef request;
    Parts& parts = *parts_;
    const MatchKey key{comm.context(traffic), source, tag};
    if (source != MPI_PROC_NULL && !parts.progressing && parts.awaits_nothing() &&
        parts.matching.find_unexpected(key) == nullptr) [[likely]] {
        AwaitedMessage awaited{parts, buffer, key};
        const fmpl_wait_words words{nullptr, peer, index, 0, buffer.bytes, generalized_requests > 0};
        do {
            check_fmpl(fmpl_envelopes_wait(&AwaitedMessage::take, &awaited, &words));
        } while (!awaited.has_come && !parts.failure && parts.awaits_nothing());
        parts.raise_failure();
        if (awaited.has_come && !awaited.operation) {
            parts.outbox.flush();  // an answer to the sender may be there
            return awaited.status;
        }
        request = awaited.operation;
    }
    if (!request) request = irecv(buffer, comm, traffic, source, tag);
    if (!request->complete) {
        wait(*request, peer, index, buffer.bytes);
    } else {
        parts.outbox.flush();
    }
    return request->status;
}

// The message that a probe finds; nullptr when there is none yet.
UnexpectedMessage* Engine::find_for_probe(const Communicator& comm, int source, int tag)
{
    const MatchKey key{comm.context(Traffic::point_to_point), source, tag};
    UnexpectedMessage* message = nullptr;
    test([&] { return message != nullptr || (message = parts_->matching.find_unexpected(key)) != nullptr; });
    return message;
}

void Engine::await_message(const Communicator& comm, int source, int tag)
{
    const MatchKey key{comm.context(Traffic::point_to_point), source, tag};
    const int peer = source == MPI_ANY_SOURCE ? -1 : comm.peers().world_rank(source);
    wait_with_progress([&] { return parts_->matching.find_unexpected(key) != nullptr; }, peer, tag);
}

bool Engine::probe(Communicator& comm, int source, int tag, Status& status)
{
    if (source == MPI_PROC_NULL) {
        progress();
        status = Status::of_proc_null();
        return true;
    }
    const UnexpectedMessage* const message = find_for_probe(comm, source, tag);
    if (message == nullptr) return false;
    status = status_of(message->envelope);
    return true;
}

MatchedMessage Engine::matched_probe(Communicator& comm, int source, int tag, Status& status)
{
    const auto destroy = [](UnexpectedMessage* message) { delete message; };
    UnexpectedMessage* const message = find_for_probe(comm, source, tag);
    if (message == nullptr) return {nullptr, destroy};
    status = status_of(message->envelope);
    return {parts_->matching.take(*message).release(), destroy};
}

RequestRef Engine::receive_matched(MatchedMessage message, const MessageBuffer& buffer)
{
    Ref<ReceiveOperation> operation = parts_->receives.take();
    operation->buffer = buffer;
    operation->key = {message->envelope.context, message->envelope.source, message->envelope.tag};
    parts_->receive(operation, std::unique_ptr<UnexpectedMessage>(message.release()));
    return operation;
}

void Engine::cancel(ReceiveOperation& operation)
{
    // One that the source has accepted to send to gets its message.
    if (!operation.posted || !parts_->invitations.withdraw(operation)) return;
    Status status = Status::empty();
    status.cancelled = true;
    operation.complete_with(status);
    parts_->matching.cancel(operation);
}

void Engine::activate(const Ref<ActiveRequest>& request)
{
    request->advance();
    if (!request->complete) parts_->active.push_back(request);
}

// Takes what has come, and sends what has waited for room; whether anything had come. When over() is true and nothing
// else is under way, what else has come stays in FMPL's rings: taken, it would have to be kept, and copied twice. So it
// does until the next poll when the last receive is matched and a collective operation may post others.
template <class Over, class Take>
bool Engine::take(Over& over, Take&& take)
{
    struct Taking {
        Parts& parts;
        Over& over;
    } taking{*parts_, over};
    const auto handler = [](void* context, int source, const void* head, const void* body, std::size_t) {
        Taking& self = *static_cast<Taking*>(context);
        try {
            const bool any_posted = self.parts.matching.any_posted();
            self.parts.arrive(source, *static_cast<const Envelope*>(head), body);
            if (!self.parts.awaits_nothing_but_active()) return 0;
            return (self.parts.active.empty() ? self.over() : any_posted) ? 1 : 0;
        } catch (...) {
            self.parts.failure = std::current_exception();
            return 0;
        }
    };
    Parts& parts = *parts_;
    const bool any = take(handler, &taking);
    parts.outbox.flush();  // at each look, also where the next thing that has come ends the wait
    parts.raise_failure();
    return any;
}

template <class Over>
bool Engine::poll(Over& over)
{
    return take(
        over, [](fmpl_envelope_handler_t handler, void* context) { return fmpl_envelopes_poll(handler, context) > 0; });
}

// One look at everything else that is under way; whether it has changed anything.
bool Engine::look()
{
    Parts& parts = *parts_;
    for (std::size_t i = 0; i < parts.active.size();) {
        const Ref<ActiveRequest> request = parts.active[i];
        request->advance();
        if (!request->complete) {
            ++i;
        } else {
            parts.active.erase(parts.active.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    const bool packed = parts.packing.progress(!parts.leaves_copies);
    return parts.channels.progress() || packed;
}

void Engine::raise_failure_in_fmpl()
{
    if (parts_->failure_in_fmpl) [[unlikely]]
        std::rethrow_exception(std::exchange(parts_->failure_in_fmpl, nullptr));
}

void Engine::progress()
{
    look_once([this] {
        progress_until([] { return false; });
        return true;
    });
}

void Engine::progress_without_copies()
{
    raise_failure_in_fmpl();
    const auto over = [] { return false; };
    // Where nothing but an envelope can change anything, a look at the rings is all: one, since a message in pieces may
    // come for long. Where ranks share CPUs that would let the others run, which fmpl_look() does not do here.
    if (cpus_suffice_ && parts_->goes_on_by_envelopes() && !parts_->progressing) {
        poll(over);
        if (parts_->goes_on_by_envelopes()) return;
    }
    const Raised raised(parts_->leaves_copies);
    progress();
}

bool Engine::nothing_has_come() const
{
    return parts_->goes_on_by_envelopes() && !parts_->progressing && !parts_->failure_in_fmpl &&
           fmpl_nothing_has_come() != 0;
}

bool Engine::look_for(Condition done, void* context)
{
    raise_failure_in_fmpl();
    const auto over = [&] { return done(context) != 0; };
    // As in a wait: where nothing but an envelope can change anything, a look is one at the rings alone.
    while (parts_->goes_on_by_envelopes() && !parts_->progressing) {
        const bool arrived = take(over, [](fmpl_envelope_handler_t handler, void* taking) {
            int taken = 0;
            check_fmpl(fmpl_envelopes_look(handler, taking, &taken));
            return taken > 0;
        });
        if (over()) return true;
        if (!arrived) return false;
    }
    return look_once([&] { return progress_until(over); });
}

// What ready() returns, called once; false after the ranks that share the CPU have had it.
template <class Ready>
bool Engine::look_once(Ready&& ready)
{
    raise_failure_in_fmpl();
    int is_ready = 0;
    with_condition(ready, [&](Condition condition, void* context) { return fmpl_look(condition, context, &is_ready); });
    return is_ready != 0;
}

// Until a look has changed nothing, or over() is true: after a look that leaves a wait unfinished the rank may sleep,
// and nothing that is complete already would wake it.
template <class Over>
bool Engine::progress_until(Over&& over)
{
    if (parts_->progressing) return over();  // a function of the user's, called from here, has made an MPI call
    const Raised progressing(parts_->progressing);
    for (;;) {
        const bool arrived = poll(over);
        if (arrived && over()) return true;
        const bool changed = look();
        if (over()) return true;
        // A call that leaves copies to waits goes on, and is no wait.
        if ((!arrived && !changed) || parts_->leaves_copies) return false;
    }
}

void Engine::wait_for(Condition ready, void* context, int peer, int tag, std::size_t bytes)
{
    const fmpl_wait_words words{nullptr, peer, tag, 0, bytes, generalized_requests > 0};
    const auto is_ready = [&] { return ready(context) != 0; };
    with_condition(is_ready, [&](Condition guarded, void* guard) { return fmpl_wait_until(guarded, guard, &words); });
}

void Engine::wait(Request& request, int peer, int tag, std::size_t bytes)
{
    // What completing it touches, of thousands of requests that lie in no core's first cache.
    for (const std::size_t at : {64, 128}) __builtin_prefetch(reinterpret_cast<const std::byte*>(&request) + at, 1);
    const auto over = [&] { return request.complete; };
    wait_over(over, peer, tag, bytes);
}

void Engine::wait_until_done(Condition done, void* context, int peer, int tag, std::size_t bytes)
{
    const auto over = [&] { return done(context) != 0; };
    wait_over(over, peer, tag, bytes);
}

template <class Over>
void Engine::wait_over(Over& over, int peer, int tag, std::size_t bytes)
{
    raise_failure_in_fmpl();
    // Where nothing but an envelope can change anything, FMPL waits for it. A generalized request is completed from
    // outside, perhaps by a signal handler between two of these lines: first it is complete, then it does not count
    // any more.
    const bool none_is_generalized = generalized_requests == 0;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const fmpl_wait_words words{nullptr, peer, tag, 0, bytes, 0};
    while (none_is_generalized && !over() && parts_->goes_on_by_envelopes() && !parts_->progressing) {
        take(over, [&](fmpl_envelope_handler_t handler, void* context) {
            check_fmpl(fmpl_envelopes_wait(handler, context, &words));
            return true;
        });
    }
    if (!over()) wait_until([&] { return progress_until(over); }, peer, tag, bytes);
}

void Engine::settle(const Communicator& comm)
{
    const auto is_of_comm = [&](Context context) {
        const auto is_of = [&](const Communicator& of) {
            return context == of.context(Traffic::point_to_point) || context == of.context(Traffic::collective);
        };
        return is_of(comm) || (comm.local != nullptr && is_of(*comm.local));
    };
    const auto is_quiet = [&] {
        return !parts_->sends.any_under_way([&](const auto& send) { return is_of_comm(send.envelope.context); }) &&
               !parts_->receives.any_under_way([&](const auto& receive) { return is_of_comm(receive.key.context); });
    };
    raise_failure_in_fmpl();
    wait_until([&] { return progress_until(is_quiet); });
}

void Engine::close()
{
    // What is to be read where it lies is there only until its source leaves the barrier.
    const auto has_read_all = [&] { return !parts_->packing.reads(); };
    if (!has_read_all()) wait_until([&] { return progress_until(has_read_all); });
    // In the barrier the messages of ranks that still wait for some go on. After it no rank receives any more: what
    // was matched has arrived, and what was not never will be.
    check_fmpl(fmpl_barrier(FMPL_COMM_WORLD));
    progress_without_copies();  // sees that sends are over whose messages were received last
    parts_->invitations.close();
    check_fmpl(fmpl_layer_progress_set(nullptr, nullptr));
}

}  // namespace fmpl::mpi
