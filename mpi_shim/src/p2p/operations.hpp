// Sends and receives under way, and messages that nobody has asked for yet.
#pragma once

#include "p2p/envelope.hpp"
#include "p2p/keyed_queues.hpp"
#include "p2p/message_buffer.hpp"
#include "p2p/request.hpp"
#include "p2p/scratch.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace fmpl::mpi {

template <class T>
class RequestPool;

struct SendOperation final : Request {
    KeptBuffer buffer;
    Envelope envelope{};
    int destination = 0;  // world rank
    RequestPool<SendOperation>* pool = nullptr;
    SendOperation* next_free = nullptr;

private:
    void dispose() override;
};

struct ReceiveOperation final : Request {
    // What matching and a short message touch comes first: thousands of receives may be posted, and lie in no core's
    // first cache.
    MatchKey key{};
    bool posted = false;
    bool in_table = false;  // of Matching, while it is posted
    QueueLink<ReceiveOperation> links[1];
    std::uint64_t order = 0;  // of posting, of those in the table
    KeptBuffer buffer;
    RequestPool<ReceiveOperation>* pool = nullptr;
    ReceiveOperation* next_free = nullptr;
    Envelope envelope{};  // of the message matched, while it is being transferred
    int source = 0;       // world rank, likewise, and of who has been told of the receive
    int invitation = -1;  // the channel in which it waits for a message that it was told of: see Invitations
    Scratch arriving;     // where a message arrives that cannot go straight into the buffer

    MatchKey queue_key(int) const { return key; }
    // The message with this envelope is in the buffer, as far as it fits.
    void finish_with(const Envelope& message);
    void cancel(Messenger& messenger) override;

private:
    void dispose() override;
};

// A message that no receive has matched.
struct UnexpectedMessage {
    Envelope envelope;
    int source;                         // world rank
    std::unique_ptr<std::byte[]> body;  // of an eager message beyond kInlineBytes
    Ref<SendOperation> own;             // of a message to the own rank that still lies in its buffer
    // By the exact key, by any tag, by any source, by any of both.
    QueueLink<UnexpectedMessage> links[4];
    bool in_table = false;  // of Matching

    MatchKey queue_key(int place) const;
    const void* payload() const { return body != nullptr ? static_cast<const void*>(body.get()) : envelope.payload; }
};

}  // namespace fmpl::mpi
