// Sends and receives under way, and messages that nobody has asked for yet.
#pragma once

#include "p2p/envelope.hpp"
#include "p2p/keyed_queues.hpp"
#include "p2p/message_buffer.hpp"
#include "p2p/request.hpp"
#include "p2p/scratch.hpp"
#include "p2p/unexpected_message.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace fmpl::mpi {

template <class T>
class RequestPool;

struct SendOperation final : Request {
    KeptBuffer buffer;
    Envelope envelope{};
    int destination = 0;  // world rank
    RequestPool<SendOperation>* pool = nullptr;
    SendOperation* next_free = nullptr;

    int awaited() const override { return destination; }

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
    int source = 0;       // world rank; -1: any, until a message is matched
    int invitation = -1;  // the channel in which it waits for a message that it was told of: see Invitations
    Scratch arriving;     // where a message arrives that cannot go straight into the buffer

    MatchKey queue_key(int) const { return key; }
    // The message with this envelope is in the buffer, as far as it fits.
    void finish_with(const Envelope& message);
    void cancel(Messenger& messenger) override;
    int awaited() const override { return source; }

private:
    void dispose() override;
};

class MessagePool;

// A message that no receive has matched.
struct UnexpectedMessage {
    Envelope envelope;
    int source;                         // world rank
    std::unique_ptr<std::byte[]> body;  // of an eager message beyond kInlineBytes
    Ref<SendOperation> own;             // of a message to the own rank that still lies in its buffer
    // By the exact key, by any tag, by any source, by any of both; and in the order of their coming.
    QueueLink<UnexpectedMessage> links[5];
    bool in_table = false;  // of Matching
    MessagePool* pool = nullptr;
    UnexpectedMessage* next_free = nullptr;

    MatchKey queue_key(int place) const
    {
        return {envelope.context, (place & 2) != 0 ? kAnySource : envelope.source,
            (place & 1) != 0 ? kAnyTag : envelope.tag};
    }
    const void* payload() const { return body != nullptr ? static_cast<const void*>(body.get()) : envelope.payload; }
};

// Unexpected messages, used again and again without allocating. It outlives what it gives.
class MessagePool {
public:
    MessagePool() = default;
    MessagePool(const MessagePool&) = delete;
    MessagePool& operator=(const MessagePool&) = delete;
    ~MessagePool()
    {
        while (free_ != nullptr) delete std::exchange(free_, free_->next_free);
    }

    UnexpectedMessagePtr take()
    {
        UnexpectedMessage* message = free_;
        if (message == nullptr) [[unlikely]] {
            message = new UnexpectedMessage();
            message->pool = this;
        } else {
            free_ = message->next_free;
            --kept_;
        }
        return UnexpectedMessagePtr(message);
    }
    void give_back(UnexpectedMessage& message)
    {
        if (message.body != nullptr) message.body.reset();
        if (message.own) [[unlikely]]
            message.own = {};
        if (kept_ == kMostKept) [[unlikely]] {
            delete &message;
            return;
        }
        message.in_table = false;
        message.next_free = free_;
        free_ = &message;
        ++kept_;
    }

private:
    static constexpr std::size_t kMostKept = 4096;  // about a megabyte, whatever a burst has needed

    UnexpectedMessage* free_ = nullptr;
    std::size_t kept_ = 0;
};

}  // namespace fmpl::mpi
