// Messages of which the receiver says how they come: long ones in private memory, those that do not lie in one piece,
// and those that find no channel free. The sender announces them (`negotiated`), with the address of what lies in one
// piece of private memory. The receiver, when a receive matches, chooses the first of these that it can, but for what
// the last two paragraphs say:
//
//   read jointly   from the address, with the sender's help                         JointCopies
//   read           alone                                                            PrivateReading
//   packed         by the sender, into a buffer in one piece of remote-DMA memory   Packing
//   in pieces      through the ring of the pair                                     Pieces
//
// Where ranks share CPUs it reads alone, as it matches: a sender that copied would first have to run again, and the
// receiver after it. Where each has a CPU it does so in its waits, one message after the other.
//
// A long message for a buffer that is not in one piece it asks for in pieces, if each rank has a CPU for its half of
// the work.
//
// But where two copies are faster than the kernel's (fmpl_is_private_read_preferred), a message that is read jointly is
// passed on by its sender, also where ranks share CPUs.
#pragma once

#include "p2p/ways/joint_copies.hpp"
#include "p2p/ways/packing.hpp"
#include "p2p/ways/pieces.hpp"
#include "p2p/ways/private_reading.hpp"

#include <fmpl/back_off.hpp>
#include <fmpl/remote.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fmpl::mpi {

class Negotiation {
public:
    Negotiation(int ranks, Outbox& outbox, bool cpus_suffice)
        : outbox_(&outbox),
          cpus_suffice_(cpus_suffice),
          passes_on_(fmpl_is_private_read_preferred() == 0),
          patience_(cpus_suffice ? kPatience : kPatienceSharedCpus),
          announcements_(ranks),
          reading_(ranks, outbox),
          joint_(ranks, announcements_, passes_on_, patience_),
          packing_(announcements_, outbox),
          pieces_(announcements_),
          waiting_(static_cast<std::size_t>(ranks)),
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
    void piece(int source, const Envelope& envelope, const void* body);

    // Whether a message has come to its end. may_copy: also by copying. may_rest: the look is one of several, of which
    // a later one may do what the other side has had its time for.
    bool progress(bool may_copy, bool may_rest)
    {
        const bool told = packing_.any() && packing_.progress();
        const bool streamed = may_copy && pieces_.any() && pieces_.progress();
        const bool taken = may_copy && !reads_.empty() && take_read(may_rest);
        const bool given = may_copy && (passes_on_ || reads_.empty()) && joint_.any_to_give() && joint_.give();
        return told || streamed || taken || given;
    }
    // What has a record has been announced.
    [[gnu::always_inline]] bool is_idle() const
    {
        return announcements_.is_empty() && receives_.empty() && !pieces_.any() && !packing_.any() && reads_.empty();
    }
    // Whether this rank is to read messages where they lie.
    bool reads() const { return !reads_.empty(); }
    // Whether there is nothing to bring forward by progress().
    [[gnu::always_inline]] bool goes_on_by_envelopes() const
    {
        return !pieces_.any() && !packing_.any() && reads_.empty() && !joint_.any_to_give();
    }

private:
    // So long, in seconds, a rank waits for the other one's part of a message that is passed on: who waits answers in
    // two microseconds, or when it has its turn.
    static constexpr double kPatience = 10e-6;
    static constexpr double kPatienceSharedCpus = 200e-6;

    struct Read {  // a message that has matched, to be taken from where it lies
        Ref<ReceiveOperation> operation;
        bool is_joint = false;   // by its record, which is open
        double waits_from = 0;   // for pieces that its sender passes on; 0: it does not
        std::size_t pieces = 0;  // that have come
        OwnCopy copy{};
    };

    Ref<SendOperation> take_back(Announced& announced);
    bool read(ReceiveOperation& operation);
    bool is_patient(const Read& read) const;
    bool take_read(bool may_rest);
    void ask_for_room(const Ref<ReceiveOperation>& operation);
    void piece_of_read(int source, const Envelope& envelope, const void* body);
    void has_come(const Ref<ReceiveOperation>& operation);
    BackOff<6>& waiting(int source) { return waiting_[static_cast<std::size_t>(source)]; }

    Outbox* outbox_;
    bool cpus_suffice_;
    bool passes_on_;  // senders do, of joint copies
    double patience_;
    Announcements announcements_;
    PrivateReading reading_;
    JointCopies joint_;
    Packing packing_;
    Pieces pieces_;
    std::vector<Read> reads_;
    std::unordered_map<std::uint64_t, Ref<ReceiveOperation>> receives_;  // that have asked for room: by receive_id
    std::vector<BackOff<6>> waiting_;  // for pieces of each source: one that computes passes none on
    std::vector<double> heard_at_;     // when the last piece of each source came
};

}  // namespace fmpl::mpi
