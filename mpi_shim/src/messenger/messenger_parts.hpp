// What a messenger is made of, and what comes for it: shared by the files of its functions.
//
//   sending.cpp     which way a message goes, from the sender's side
//   receiving.cpp   receives and probes
//   arrival.cpp     what the envelopes of other ranks bring
//   messenger.cpp   looks and waits, which bring all of it forward
//   short_ways.hpp  what MPI's own calls inline of the first two
#pragma once

#include "error.hpp"
#include "p2p/body_pool.hpp"
#include "p2p/ways/channels.hpp"
#include "p2p/ways/negotiation.hpp"
#include "p2p/ways/direct_reading.hpp"
#include "messenger/messenger.hpp"
#include "p2p/fmpl_call.hpp"
#include "p2p/ways/invitations.hpp"
#include "p2p/matching.hpp"
#include "p2p/outbox.hpp"
#include "p2p/request_pool.hpp"
#include "p2p/settings.hpp"

#include <fmpl/envelope_steps.h>
#include <fmpl/job.h>

#include <exception>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fmpl::mpi {

inline MatchKey key_of(const Envelope& envelope)
{
    return {envelope.context, envelope.source, envelope.tag};
}

// Of one that has come, before anything is done with it: no more is taken of a body than there is.
inline void check_body(int source, const Envelope& envelope, std::size_t body_bytes)
{
    if (has_body(envelope) && envelope.bytes != body_bytes) [[unlikely]] {
        fail(ErrorClass::intern, "an envelope from rank {} tells of {} bytes, and its body has {}", source,
            envelope.bytes, body_bytes);
    }
}

// What a receive into the buffer has got. In place: a copy would wait until what was written before, for another
// core, has left this one.
inline void set_received(Status& status, const Envelope& message, const MessageBuffer& buffer)
{
    status.source = message.source;
    status.tag = message.tag;
    status.bytes = message.bytes;
    if (message.bytes > buffer.bytes) {
        status.error = code_of(ErrorClass::truncate);
        status.bytes = buffer.bytes;
        status.message_bytes = message.bytes;
    } else if (message.bytes < buffer.bytes && buffer.breaks_element(message.bytes)) [[unlikely]] {
        status.error = code_of(ErrorClass::type);
    }
}

struct Messenger::Parts {
    Parts(int ranks, const Settings& settings)
        : outbox(ranks),
          channels(ranks, outbox),
          negotiation(ranks, outbox, fmpl_cpus_suffice() != 0),
          reading(ranks, outbox, settings.eager_bytes_by_rate > 0 && fmpl_cpus_suffice() != 0),
          invitations(ranks, outbox, channels, matching)
    {
    }

    struct Taking;
    // What an envelope from another rank brings.
    void arrive(int source, const Envelope& envelope, const void* body);
    void message_arrives(int source, const Envelope& envelope, const void* body);
    void keep_unexpected(int source, const Envelope& envelope, const void* body);
    void answer_arrives(int source, const Envelope& envelope, const void* body);
    Ref<ReceiveOperation> take_posted(int source, const Envelope& envelope);
    [[gnu::always_inline]] void receive_eager(
        ReceiveOperation& operation, int source, const Envelope& envelope, const void* payload)
    {
        take_eager(operation.buffer, source, envelope, payload);
        set_received(operation.status, envelope, operation.buffer);
        operation.complete = true;
    }
    // What an eager or synchronous message's receiver does beside the status.
    [[gnu::always_inline]] void take_eager(
        const MessageBuffer& buffer, int source, const Envelope& envelope, const void* payload)
    {
        const std::uint64_t bytes = std::min(envelope.bytes, buffer.bytes);
        bytes <= FMPL_ENVELOPE_STEP ? buffer.unpack(0, bytes, payload) : take_long_body(buffer, bytes, payload);
        outbox.matched_eager(source, envelope.bytes);
        if (envelope.kind == EnvelopeKind::synchronous) [[unlikely]]
            tell_of_match(source, envelope);
    }
    static void take_long_body(const MessageBuffer& buffer, std::uint64_t bytes, const void* payload);
    void tell_of_match(int source, const Envelope& envelope);
    void receive_own(ReceiveOperation& operation, UnexpectedMessage& message);
    // The operation has matched an announced message.
    void begin(const Ref<ReceiveOperation>& operation, int source, const Envelope& envelope);
    // The message has been matched by the operation.
    void receive(const Ref<ReceiveOperation>& operation, UnexpectedMessagePtr message);
    // A message that has come with its bytes, of which the receive takes what it has room for.
    Status take_kept(UnexpectedMessage& message, const MessageBuffer& buffer);
    // The ways of a message that is to go at once.
    void send_to_self(const Ref<SendOperation>& operation);
    void send_eagerly(const Ref<SendOperation>& operation);
    void announce(const Ref<SendOperation>& operation);
    // Whether what comes next can only be a message for a later receive: nobody waits for it, here or at its source.
    bool awaits_nothing() const { return awaits_nothing_but_active() && active.empty(); }
    // The same beside collective operations, which go on with the next look.
    [[gnu::always_inline]] bool awaits_nothing_but_active() const
    {
        return !matching.any_posted() && reading.is_idle() && negotiation.is_idle() && synchronous.empty() &&
               channels.is_idle() && outbox.is_empty();
    }
    // Whether nothing is under way that a look (Messenger::look) or room in a ring would bring forward.
    bool goes_on_by_envelopes() const { return goes_on_by_envelopes_but_active() && active.empty(); }
    [[gnu::always_inline]] bool goes_on_by_envelopes_but_active() const
    {
        return channels.is_idle() && negotiation.goes_on_by_envelopes() && outbox.is_empty();
    }

    RequestPool<SendOperation> sends;
    RequestPool<ReceiveOperation> receives;
    MessagePool messages;  // outlives `matching`
    Matching matching;
    BodyPool bodies;
    Outbox outbox;
    Channels channels;
    Negotiation negotiation;
    DirectReading reading;
    Invitations invitations;
    std::vector<Ref<ActiveRequest>> active;
    std::unordered_map<std::uint64_t, Ref<SendOperation>> synchronous;  // by send_id: sent, not known to be matched
    std::exception_ptr failure;                                         // inside the envelope handler
    std::exception_ptr failure_in_fmpl;                                 // while FMPL waited: for the rank's next call
    bool progressing = false;
    bool in_passing = false;     // a look is no part of a wait, and for long no other may follow
    bool leaves_copies = false;  // a look leaves out what Negotiation has to read, to give and to send

    void raise_failure()
    {
        if (failure) [[unlikely]]
            std::rethrow_exception(std::exchange(failure, nullptr));
    }
};

// What takes envelopes until is_over(over) is true and nothing else is under way: what else has come stays in FMPL's
// rings then. Taken, it would have to be kept, and copied twice. So it does until the next poll when the last receive
// is matched and a collective operation may post others.
struct Messenger::Parts::Taking {
    Parts& parts;
    bool (*is_over)(const void* over);
    const void* over;

    // fmpl_envelope_handler_t, with a Taking as its context.
    static int handle(void* context, int source, const void* head, const void* body, std::size_t body_bytes);
};

}  // namespace fmpl::mpi
