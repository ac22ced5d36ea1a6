// Messages by rendezvous: through FMPL's channels, of which each ordered pair of ranks has kChannels (indices of
// FMPL_COMM_WORLD).
//
// A message in remote-DMA memory is in its channel when it is announced, so that the receiver can take it without the
// sender. One in other memory, for a rank that is not addressed, waits until the receive is posted: sent at once, FMPL
// would have to copy it away. A channel is taken until its message has been received, which may be after any number of
// others: messages that find none free do not wait for one, and go as Negotiation has it.
#pragma once

#include "p2p/operations.hpp"
#include "p2p/outbox.hpp"
#include "p2p/per_peer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl::mpi {

inline constexpr int kChannels = 16;
// And more that the receiver gives out: see Invitations.
inline constexpr int kInvitedChannels = 8;
inline constexpr int kIndices = kChannels + kInvitedChannels;
// FMPL's send of a short message (72 bytes, see fmpl.h) is complete before it is received, and then its channel would
// be used again by a message that a receive may match first. So short ones do not go this way.
inline constexpr std::size_t kLeastBytes = 128;

class Channels {
public:
    Channels(int ranks, Outbox& outbox);

    // Announces the operation's message and begins to send it; false when no channel is free, or the message is not
    // in one piece of at least kLeastBytes.
    bool try_send(const Ref<SendOperation>& operation);
    // A receive has matched the announced message in operation->envelope from operation->source.
    void receive(const Ref<ReceiveOperation>& operation);
    // An envelope of kind ready has come.
    void ready(const Envelope& envelope);

    // For Invitations, the receiver's side: one of the channels from `source` that the receiver gives out, which is
    // its until it is released. Requires that one is free.
    bool any_to_reserve(int source) const
    {
        const Pair* const pair = pairs_.find(source);
        return pair == nullptr || pair->free_to_invite != 0;
    }
    std::uint16_t reserve(int source);
    void release(int source, std::uint16_t channel);
    // Posts FMPL's receive in such a channel.
    void post(const ReceiveOperation& operation, int source, std::uint16_t channel);
    // The receive's message, announced in operation->envelope, comes in the channel in which it has been posted.
    void await(const Ref<ReceiveOperation>& operation);
    // The sender's side: announces the operation's message, and sends it in envelope.channel.
    void send_invited(const Ref<SendOperation>& operation);

    // Whether a message has come to its end.
    bool progress();
    // Whether nothing is under way.
    bool is_idle() const { return sends_.empty() && waiting_.empty() && receives_.empty(); }

private:
    void put(const Ref<SendOperation>& operation);
    bool take_where_it_lies(ReceiveOperation& operation);
    bool test(SendOperation& operation);
    bool test(ReceiveOperation& operation);
    template <class T>
    bool progress_all(std::vector<Ref<T>>& operations);
    // Of this rank and another one.
    struct Pair {
        std::uint32_t free = (std::uint32_t{1} << kChannels) - 1;  // to it; bit c: channel c
        std::uint32_t free_to_invite =
            (std::uint32_t{1} << kInvitedChannels) - 1;  // from it; bit c: channel kChannels + c
        std::array<ReceiveOperation*, kIndices>
            arriving{};  // by channel: the receive that FMPL has not been asked about since
    };
    ReceiveOperation*& arriving(const ReceiveOperation& operation)
    {
        return pairs_.make(operation.source).arriving[operation.envelope.channel];
    }

    Outbox* outbox_;
    PerPeer<Pair> pairs_;
    std::vector<Ref<SendOperation>> sends_;    // in FMPL's hands
    std::vector<Ref<SendOperation>> waiting_;  // for their receives to be posted
    std::vector<Ref<ReceiveOperation>> receives_;
};

}  // namespace fmpl::mpi
