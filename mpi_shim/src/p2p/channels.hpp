// Messages by rendezvous: through FMPL's channels, of which each ordered pair of ranks has kChannels (indices of FMPL_COMM_WORLD).
//
// A message in remote-DMA memory is in its channel when it is announced, so that the receiver can take it without the sender. One
// in other memory waits until the receive is posted, and is then copied from process to process, once, where the kernel allows that;
// sent at once, FMPL would have to copy it away. When all channels to a destination are taken, the announcement names none, and the
// message gets the next one that becomes free.
#pragma once

#include "p2p/operations.hpp"
#include "p2p/outbox.hpp"

#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace fmpl::mpi {

inline constexpr int kChannels = 16;

class Channels {
public:
    Channels(int ranks, Outbox& outbox);

    // Announces the operation's message and begins to send it. Throws Error.
    void send(const Ref<SendOperation>& operation);
    // A receive has matched the announced message in operation->envelope from operation->source.
    void receive(const Ref<ReceiveOperation>& operation);
    // An envelope of kind assigned has come. `unmatched`: the message that it speaks of when no receive has matched it yet.
    void assigned(int source, const Envelope& envelope);
    // An envelope of kind ready has come.
    void ready(const Envelope& envelope);
    // An announced message without a channel is kept as unexpected: its envelope is to be updated by assigned(); and no more.
    void watch(UnexpectedMessage& message);
    void forget(const UnexpectedMessage& message);

    // Whether a message has come to its end.
    bool progress();
    // Whether a send is under way that nobody will wait for.
    bool has_detached() const;

private:
    struct Destination {
        std::uint32_t free = (std::uint32_t{1} << kChannels) - 1;  // bit c: channel c
        std::deque<Ref<SendOperation>> waiting;
    };
    // A message announced without a channel: who waits for it.
    struct Awaited {
        Ref<ReceiveOperation> operation;
        UnexpectedMessage* message = nullptr;
    };
    using AwaitedKey = std::pair<int, std::uint64_t>;  // source, send_id

    void take(const Ref<SendOperation>& operation, std::uint16_t channel);
    void put(const Ref<SendOperation>& operation);
    void begin(const Ref<ReceiveOperation>& operation);
    bool take_where_it_lies(ReceiveOperation& operation);
    bool test(SendOperation& operation);
    bool test(ReceiveOperation& operation);
    template <class T>
    bool progress_all(std::vector<Ref<T>>& operations);
    std::size_t slot(int source, std::uint16_t channel) const
    {
        return static_cast<std::size_t>(source) * kChannels + channel;
    }

    Outbox* outbox_;
    std::vector<Destination> destinations_;
    std::vector<ReceiveOperation*>
        arriving_;  // by source and channel: the receive that FMPL has not been asked about since
    std::map<AwaitedKey, Awaited> awaited_;
    std::vector<Ref<SendOperation>> sends_;    // in FMPL's hands
    std::vector<Ref<SendOperation>> waiting_;  // for their receives to be posted
    std::vector<Ref<ReceiveOperation>> receives_;
};

}  // namespace fmpl::mpi
