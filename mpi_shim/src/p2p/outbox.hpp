// Envelopes on their way to the other ranks, in the order in which they were sent to each, and the sender's side of
// flow control.
//
// Where the destination's ring is full, envelopes wait here until it takes some; nothing here blocks. The *window*
// bounds the eager messages that a destination has to keep because no receive matched them: beyond it messages go by
// rendezvous, and stay in the sender's memory.
#pragma once

#include "p2p/fmpl_call.hpp"
#include "p2p/operations.hpp"

#include <fmpl/envelopes.h>

#include <cstdint>
#include <list>
#include <vector>

namespace fmpl::mpi {

class Outbox {
public:
    // What one eager message counts beside its bytes, and how much each pair may have unmatched.
    static constexpr std::uint64_t kCostOfMessage = 128;
    static constexpr std::uint64_t kWindow = 1 << 20;

    explicit Outbox(int ranks) : peers_(static_cast<std::size_t>(ranks)) {}

    // An envelope without a body.
    void post(int destination, const Envelope& envelope);
    // The same at once; false when it has to wait, and then nothing has happened.
    bool try_post(int destination, const Envelope& envelope)
    {
        return peers_[static_cast<std::size_t>(destination)].entries.empty() && send_head(destination, envelope);
    }
    // The same, of one that the destination need not be woken for.
    bool try_quietly(int destination, const Envelope& envelope)
    {
        return peers_[static_cast<std::size_t>(destination)].entries.empty() &&
               send_head_quietly(destination, envelope);
    }
    // Whether an envelope without a body would go at once: the next one to the destination, if nothing has been sent
    // to it meanwhile.
    bool has_room(int destination) const
    {
        return peers_[static_cast<std::size_t>(destination)].entries.empty() &&
               fmpl_envelope_reserve(destination, 0, nullptr) != 0;
    }
    // The same, of one that announces a message.
    void announce(int destination, const Envelope& envelope)
    {
        ++peers_[static_cast<std::size_t>(destination)].messages_sent;
        post(destination, envelope);
    }
    // An eager or synchronous message at once, from `buffer`: false when it has to wait, and then nothing has
    // happened but that a payload may be in `envelope`.
    [[gnu::always_inline]] bool try_message(int destination, Envelope& envelope, const MessageBuffer& buffer)
    {
        Peer& peer = peers_[static_cast<std::size_t>(destination)];
        if (!peer.entries.empty() || !send(destination, envelope, buffer)) return false;
        count_eager(peer, envelope.bytes);
        return true;
    }
    // An eager message of more than kInlineBytes that is not put into the ring but lent to a destination that waits
    // (fmpl_envelope_lend): false when it must go another way, and then nothing has happened. waits_anyway: the
    // sender will have to wait for the destination otherwise, too.
    bool try_lend(int destination, const Envelope& envelope, const MessageBuffer& buffer, bool waits_anyway);
    // As try_message; waits here if need be. An eager operation is complete when it has gone.
    void message(const Ref<SendOperation>& operation);

    // Sends what can be sent now.
    void flush()
    {
        if (!waiting_.empty()) flush_waiting();
    }

    bool is_empty() const { return waiting_.empty(); }

    // Sends the envelope if there is room for it, with that many bytes of the message, from that one on, as its body.
    static bool send_with_body(
        int destination, const Envelope& envelope, const MessageBuffer& buffer, std::uint64_t from = 0);
    // Whether an eager message of so many bytes may be sent to the rank.
    bool window_is_open(int destination, std::uint64_t bytes) const
    {
        const Peer& peer = peers_[static_cast<std::size_t>(destination)];
        return peer.eager_sent - peer.eager_matched + kCostOfMessage + bytes <= kWindow;
    }
    // Messages, of whatever kind, that this rank has sent to the rank; and how many of the rank's have come.
    std::uint64_t messages_sent(int destination) const
    {
        return peers_[static_cast<std::size_t>(destination)].messages_sent;
    }
    std::uint64_t messages_come(int source) const { return peers_[static_cast<std::size_t>(source)].messages_come; }
    void message_has_come(int source) { ++peers_[static_cast<std::size_t>(source)].messages_come; }

    // `bytes` of an envelope of kind credit from the rank.
    void credit(int destination, std::uint64_t matched)
    {
        peers_[static_cast<std::size_t>(destination)].eager_matched = matched;
    }

    // The receiver's side: an eager message from the rank has been matched. Tells it from time to time.
    void matched_eager(int source, std::uint64_t bytes)
    {
        Peer& peer = peers_[static_cast<std::size_t>(source)];
        peer.matched_of_its += kCostOfMessage + bytes;
        // A quarter of the window at a time: the sender never runs dry of what has not been told yet, since it then
        // has three quarters free.
        if (peer.matched_of_its - peer.told >= kWindow / 4) tell_of_matched(source);
    }

private:
    struct Entry {
        Envelope envelope;
        Ref<SendOperation> operation;  // whose buffer is the body; null: no body
    };
    struct Peer {
        std::list<Entry> entries;  // takes no memory where it is empty, as nearly always
        std::uint64_t eager_sent = 0;
        std::uint64_t eager_matched = 0;   // as the rank has told
        std::uint64_t matched_of_its = 0;  // of the rank's messages to this one
        std::uint64_t told = 0;
        std::uint64_t messages_sent = 0;
        std::uint64_t messages_come = 0;  // of the rank's to this one
    };

    static void count_eager(Peer& peer, std::uint64_t bytes)
    {
        peer.eager_sent += kCostOfMessage + bytes;
        ++peer.messages_sent;
    }

    // All of them: false when there is no room.
    [[gnu::always_inline]] static bool send_head(int destination, const Envelope& envelope)
    {
        int sent = 0;
        check_fmpl(fmpl_envelope_send(destination, &envelope, &sent));
        return sent != 0;
    }
    static bool send_head_quietly(int destination, const Envelope& envelope)
    {
        int sent = 0;
        check_fmpl(fmpl_envelope_send_quietly(destination, &envelope, &sent));
        return sent != 0;
    }
    [[gnu::always_inline]] static bool send(int destination, Envelope& envelope, const MessageBuffer& buffer)
    {
        if (envelope.kind == EnvelopeKind::eager && envelope.bytes <= kInlineBytes) {
            buffer.pack(0, envelope.bytes, envelope.payload);
            return send_head(destination, envelope);
        }
        return send_with_body(destination, envelope, buffer);
    }
    void tell_of_matched(int source);
    void add(int destination, Entry entry);
    void flush_waiting();

    std::vector<Peer> peers_;
    std::vector<int> waiting_;  // ranks with entries
};

}  // namespace fmpl::mpi
