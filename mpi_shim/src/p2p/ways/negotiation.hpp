// Messages of which the receiver says how they come: long ones in private memory, those that do not lie in one piece,
// and those that find no channel free. The sender announces them (`negotiated`), with the address of what lies in one
// piece of private memory. The receiver, when a receive matches, chooses the first of these that it can, but for what
// the last two paragraphs say:
//
//   read jointly   from the address, with the sender's help, if each rank has a CPU   JointCopies
//   read           alone                                                              PrivateReading
//   packed         by the sender, into a buffer in one piece of remote-DMA memory     Packing
//   in pieces      through the ring of the pair                                       Pieces
//
// Where ranks share CPUs it reads as it matches: a sender that copied would first have to run again, and the receiver
// after it. Where each has a CPU it does so in its waits, one message after the other.
//
// A long message for a buffer that is not in one piece it asks for in pieces, if each rank has a CPU for its half of
// the work.
//
// *Asked for.* Of messages that have a record the receiver asks for what is at most a quarter of the ring in pieces. A
// sender that comes to copy in a wait, and finds room in the ring for all of it, withdraws the record and sends them.
// One of which nothing is heard for kPatience is not waited for: the receiver opens the record, whatever it exchanges,
// and reads.
#pragma once

#include "p2p/ways/joint_copies.hpp"
#include "p2p/ways/packing.hpp"
#include "p2p/ways/pieces.hpp"
#include "p2p/ways/private_reading.hpp"

#include <fmpl/back_off.hpp>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fmpl::mpi {

class Negotiation {
public:
    Negotiation(int ranks, Outbox& outbox, bool cpus_suffice)
        : outbox_(&outbox),
          cpus_suffice_(cpus_suffice),
          announcements_(ranks),
          reading_(ranks, outbox),
          joint_(announcements_),
          packing_(announcements_, outbox),
          pieces_(announcements_),
          asking_(static_cast<std::size_t>(ranks)),
          heard_at_(static_cast<std::size_t>(ranks))
    {
    }

    // Whether such a message had better travel with its envelope.
    bool is_better_eager(const MessageBuffer& buffer, int destination)
    {
        return reading_.is_better_eager(buffer, destination);
    }

    // Announces the operation's message. expects: this rank has posted receives.
    void send(const Ref<SendOperation>& operation, bool expects);
    // A receive has matched the announced message in operation->envelope from operation->source.
    void receive(const Ref<ReceiveOperation>& operation);
    // Envelopes of the kinds taken, room, packed and piece have come.
    void taken(int source, const Envelope& envelope);
    void room(int source, const Envelope& envelope);
    void packed(const Envelope& envelope);
    void piece(const Envelope& envelope, const void* body);

    // Whether a message has come to its end. may_copy: also by copying.
    bool progress(bool may_copy)
    {
        const bool told = packing_.any() && packing_.progress();
        const bool sent = may_copy && !asked_.empty() && send_asked();
        const bool streamed = may_copy && pieces_.any() && pieces_.progress();
        // Before one is read, what has come meanwhile of those that were asked for is to be seen.
        const bool taken = may_copy && !sent && !streamed && !reads_.empty() && take_read();
        const bool given = may_copy && reads_.empty() && joint_.any_to_give() && joint_.give();
        return told || sent || streamed || taken || given;
    }
    // What has a record or was asked for has been announced.
    [[gnu::always_inline]] bool is_idle() const
    {
        return announcements_.is_empty() && receives_.empty() && !pieces_.any() && !packing_.any() && reads_.empty();
    }
    // Whether this rank is to read messages where they lie.
    bool reads() const { return !reads_.empty(); }
    // Whether there is nothing to bring forward by progress().
    [[gnu::always_inline]] bool goes_on_by_envelopes() const
    {
        return !pieces_.any() && !packing_.any() && reads_.empty() && !joint_.any_to_give() && asked_.empty();
    }

private:
    struct Asked {  // a message with a record, which its receiver would have in pieces
        std::uint64_t send_id;
        std::uint64_t receive_id;
        int destination;
    };
    struct Read {  // a message that has matched, to be taken from where it lies
        Ref<ReceiveOperation> operation;
        bool is_joint = false;  // by its record, which is open
        double asked_at = 0;    // for pieces, of which none has come; 0: it is not
        OwnCopy copy{};
    };

    Ref<SendOperation> take_back(Announced& announced);
    bool send_asked();
    bool read(ReceiveOperation& operation);
    bool prefers_pieces(const ReceiveOperation& operation);
    bool is_patient(const Read& read) const;
    bool take_read();
    void ask_for_room(const Ref<ReceiveOperation>& operation);
    void first_piece(const Ref<ReceiveOperation>& operation);
    void has_come(const Ref<ReceiveOperation>& operation);
    BackOff<6>& asking(int source) { return asking_[static_cast<std::size_t>(source)]; }

    Outbox* outbox_;
    bool cpus_suffice_;
    Announcements announcements_;
    PrivateReading reading_;
    JointCopies joint_;
    Packing packing_;
    Pieces pieces_;
    std::vector<Asked> asked_;
    std::vector<Read> reads_;
    std::unordered_map<std::uint64_t, Ref<ReceiveOperation>> receives_;  // that have asked for room: by receive_id
    std::vector<BackOff<6>> asking_;  // each source for pieces: one that computes does not answer
    std::vector<double> heard_at_;    // when the last piece of each source came
};

}  // namespace fmpl::mpi
