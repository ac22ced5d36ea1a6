// Receives of which their source is told before its message comes, so that it writes a long message to where it
// belongs and goes on, whether the receiver is in an MPI call or computes.
//
//   sender                                receiver
//                                   <-    invited{ticket, claim, channel}: a receive is posted, in a channel of
//                                         FMPL's too
//   claims the ticket
//   accepted{channel}               ->    the receive is matched
//   FMPL's send in the channel      ->    FMPL's receive
//
// For receives of at least kLeastBytes, in one piece of remote-DMA memory, from one source with one tag. A message is
// for an invitation if it is as long as the receive; others go as without.
//
// Order (MPI-3.1, section 3.5). The source must not put a message where an earlier one belongs, nor may the receive
// be one that the message does not match first. So a receive is told of only when no receive that is posted already
// matches the same messages (Matching::is_first); the source keeps an invitation only if the receiver had all its
// messages when it posted the receive, and forgets it when it sends a message that matches it in another way. The
// answer `accepted` is in the order of messages, and goes before the send is complete, since the receive needs it.
//
// The receiver takes an invitation back when the receive is cancelled, or matched by a message that was sent without
// it. Who has the receive then is decided in the claim: a word in the receiver's memory that holds the ticket until
// either of the two takes it, the source by compare-exchange, the receiver by exchange. Relaxed: only who wins
// counts.
#pragma once

#include "p2p/ways/channels.hpp"
#include "p2p/ways/direct_reading.hpp"
#include "p2p/matching.hpp"
#include "p2p/operations.hpp"
#include "p2p/outbox.hpp"
#include "p2p/per_peer.hpp"

#include <fmpl/back_off.hpp>
#include <fmpl/remote.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl::mpi {

class Invitations {
public:
    Invitations(int ranks, Outbox& outbox, Channels& channels, Matching& matching);
    ~Invitations();
    Invitations(const Invitations&) = delete;
    Invitations& operator=(const Invitations&) = delete;

    // The receiver's side.

    // Shorter messages the receiver had better read when it comes for them: they are in its caches then.
    static constexpr std::size_t kLeastBytes = DirectReading::kSharedFrom;
    // Whether the source (world rank) would be told of a receive into this buffer.
    bool may_invite(const MessageBuffer& buffer, int source) const
    {
        return buffer.bytes >= kLeastBytes && buffer.in_one_piece() && channels_->any_to_reserve(source) &&
               fmpl_is_remote_dma(buffer.data, buffer.bytes) != 0 && fmpl_is_addressable(source) != 0;
    }
    // Tells the source of the receive, which has been posted, unless that has been in vain lately. Requires
    // may_invite(), but for a channel.
    void invite(ReceiveOperation& operation, int source);
    // Takes the invitation of a receive, if it has one, back: false when the source has accepted it, and then the
    // message is on its way.
    bool withdraw(ReceiveOperation& operation);
    // The same, of one that has brought nothing: a message matches the receive that was sent without it.
    bool was_in_vain(ReceiveOperation& operation);
    // An envelope of kind accepted has come.
    void accepted(int source, const Envelope& envelope);
    // No rank sends any more.
    void close();

    // The sender's side.

    // An envelope of kind invited has come.
    void invited(int source, const Envelope& envelope);
    // Whether the destination (world rank) has told of a receive that a message with this key may be for.
    bool any(int destination, const MatchKey& key) const
    {
        const Host* const host = hosts_.find(destination);
        if (host == nullptr) return false;
        for (std::uint32_t left = host->open; left != 0; left &= left - 1) {
            if (host->invitations[static_cast<std::size_t>(std::countr_zero(left))].key == key) return true;
        }
        return false;
    }
    // Sends the operation's message to where it is invited. false: it goes another way, and is the one for the receive.
    bool try_send(const Ref<SendOperation>& operation);

private:
    struct Invitation {
        MatchKey key;
        std::uint64_t bytes;
        std::uint64_t ticket;
        std::uint64_t* claim;  // in the receiver's memory
    };
    struct Host {                // a rank that invites this one
        std::uint32_t open = 0;  // bit c: there is an invitation for channel kChannels + c
        std::array<Invitation, kInvitedChannels> invitations;
    };
    struct Guest {                        // a rank that this one invites
        std::uint64_t* claims = nullptr;  // by channel - kChannels; nullptr: no memory for them
        std::array<ReceiveOperation*, kInvitedChannels> receives{};  // likewise: the receive that is told of
        BackOff<6, 3> inviting;  // in vain: the message is shorter than the receive, or has been sent before it
    };
    static std::size_t place_of(int channel) { return static_cast<std::size_t>(channel - kChannels); }

    Outbox* outbox_;
    Channels* channels_;
    Matching* matching_;
    std::uint64_t last_ticket_ = 0;
    PerPeer<Guest> guests_;
    PerPeer<Host> hosts_;
};

}  // namespace fmpl::mpi
