// Long messages that do not lie in one piece, those that find no channel free, and where ranks share CPUs those in
// private memory: the sender packs them straight into the receiver's memory, or the receiver takes them from the
// sender's.
//
//   sender                         receiver
//   scattered{send_id, place}  ->  matches a receive
//                            <-    room{send_id, place, receive_id}: the buffer where it is one piece of remote-DMA
//                                  memory, else scratch memory, from which it is unpacked
//   packs into the place
//   packed{receive_id}       ->    the receive is complete
//
// place: where a message in one piece of private memory lies, if ranks share CPUs. A receiver that reaches it copies
// it from there, and answers taken{send_id} instead: one copy, by whom the message was waiting for, while the sender
// leaves the CPU to others. A sender that copied would first have to run again, and the receiver after it.
//
// The send is complete when `packed` has gone: its receive shall need no further call of the sender's.
//
// So a message goes by one copy into a buffer in one piece of remote-DMA memory, else by two. Where the receiver has
// no remote-DMA memory, or the sender cannot address it, the message comes as bodies of envelopes of kind `piece`.
#pragma once

#include "p2p/operations.hpp"
#include "p2p/outbox.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fmpl::mpi {

class DirectPacking {
public:
    DirectPacking(Outbox& outbox, bool cpus_suffice) : outbox_(&outbox), cpus_suffice_(cpus_suffice) {}

    // Whether the operation's message goes this way although it may have a channel.
    bool is_best_for(const SendOperation& operation) const;

    // Announces the operation's message.
    void send(const Ref<SendOperation>& operation);
    // A receive has matched the announced message in operation->envelope from operation->source.
    void receive(const Ref<ReceiveOperation>& operation);
    // Envelopes of the kinds taken, room, packed and piece have come.
    void taken(const Envelope& envelope);
    void room(int source, const Envelope& envelope);
    void packed(const Envelope& envelope);
    void piece(const Envelope& envelope, const void* body);

    // Whether a message has come to its end.
    bool progress()
    {
        const bool told = !untold_.empty() && tell();
        return (!streams_.empty() && stream()) || told;
    }
    bool is_idle() const { return announced_.empty() && receives_.empty() && goes_on_by_envelopes(); }
    // Whether there is nothing to bring forward by progress().
    bool goes_on_by_envelopes() const { return streams_.empty() && untold_.empty(); }

private:
    struct Stream {  // a message that goes in pieces
        Ref<SendOperation> operation;
        std::uint64_t receive_id;
        std::uint64_t begin = 0;  // of what has not been sent
    };

    struct Untold {  // a message that is where it belongs, but the receiver does not know
        Ref<SendOperation> operation;
        Envelope packed;
    };

    bool read(ReceiveOperation& operation);
    bool stream();
    bool tell();

    Outbox* outbox_;
    bool cpus_suffice_;
    std::unordered_map<std::uint64_t, Ref<SendOperation>> announced_;  // by send_id
    std::vector<Stream> streams_;
    std::vector<Untold> untold_;
    std::unordered_map<std::uint64_t, Ref<ReceiveOperation>> receives_;  // by receive_id
};

}  // namespace fmpl::mpi
