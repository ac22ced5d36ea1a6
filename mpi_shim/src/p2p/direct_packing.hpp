// Long messages in private memory, those that do not lie in one piece, and those that find no channel free: the
// receiver takes them from the sender's memory, or the sender packs them into the receiver's.
//
//   sender                                   receiver
//   scattered{send_id, place, receive_id} -> matches a receive
//                                         <- room{send_id, place, receive_id}: the buffer where it is one piece of
//                                            remote-DMA memory, else no place
//   packs into the place
//   packed{receive_id}                    -> the receive is complete
//
// Without a place, or where the sender cannot address it, the message comes as bodies of envelopes of kind `piece`: the
// receiver unpacks one while the sender packs the next, through the ring of their pair
// (docs/decisions/0051-scattered-messages-in-pieces.md).
//
// A message in one piece of private memory, whose destination is addressed, is announced with its address as `place`.
// A receiver that reaches it copies it from there, and answers taken{send_id, bytes, place} instead of room: how much
// of it the receiver has copied, and in how many nanoseconds beside the calls (CopyRates). Into a buffer that is not
// in one piece it copies by parts and unpacks each; a long message it asks for in pieces, if each rank has a CPU.
//
// Where ranks share CPUs it does so as it matches: a sender that copied would first have to run again, and the
// receiver after it. Where each has a CPU it does so in its waits, one message after the other, and from kJointBytes on
// its announcement names a record (`receive_id`), by which the sender helps while it waits and has nothing to read
// itself (fmpl/joint_copy.h). So a rank that begins sends and receives tells all others of them before it copies, and a
// sender whose receiver computes does the work alone. Such a send is complete when the message is there; its record is
// kept until `taken` comes.
//
// Of those that have a record the receiver asks for what is at most a quarter of the ring in pieces. A
// sender that comes to copy in a wait, and finds room in the ring for all of it, withdraws the record and sends them.
// One of which nothing is heard for kPatience is not waited for: the receiver opens the record, whatever it exchanges,
// and reads.
//
// Ranks that exchange messages do not help each other: a source that writes takes the lines of the buffer from the core
// that reads it next. A rank that has announced messages to the source opens no record; a sender that has posted
// receives gives its destination time to do it all, and so does one that has just read, as long again, but no more than
// kLongestRest.
//
// A send that packs is complete when `packed`, or its last piece, has gone: its receive shall need no further call of
// the sender's.
#pragma once

#include "p2p/copy_rates.hpp"
#include "p2p/operations.hpp"
#include "p2p/outbox.hpp"

#include <fmpl/back_off.hpp>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fmpl::mpi {

// Records of joint copies (fmpl/joint_copy.h), in blocks that stay.
class JointRecords {
public:
    JointRecords() = default;
    JointRecords(const JointRecords&) = delete;
    JointRecords& operator=(const JointRecords&) = delete;
    ~JointRecords();

    void* take();  // nullptr: there is no memory
    void give_back(void* record) { free_.push_back(record); }

private:
    std::vector<void*> blocks_;
    std::vector<void*> free_;
};

class DirectPacking {
public:
    DirectPacking(int ranks, Outbox& outbox, bool cpus_suffice)
        : outbox_(&outbox),
          cpus_suffice_(cpus_suffice),
          copy_rates_(ranks, kSlowRate, 1),
          asking_(static_cast<std::size_t>(ranks)),
          heard_at_(static_cast<std::size_t>(ranks)),
          unfinished_(static_cast<std::size_t>(ranks))
    {
    }

    // Whether a message goes this way although it may have a channel: it is to be read at its address.
    bool is_best_for(const MessageBuffer& buffer, int destination) const;
    // Whether such a message had better travel with its envelope.
    bool is_better_eager(const MessageBuffer& buffer, int destination)
    {
        return buffer.bytes > kTimedFrom && copy_rates_.are_slow(destination) && is_best_for(buffer, destination) &&
               copy_rates_.prefer_ring(destination);
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
        const bool told = !untold_.empty() && tell();
        const bool sent = may_copy && !asked_.empty() && send_asked();
        const bool streamed = may_copy && !streams_.empty() && stream();
        // Before one is read, what has come meanwhile of those that were asked for is to be seen.
        const bool taken = may_copy && !sent && !streamed && !reads_.empty() && take_read();
        const bool given = may_copy && reads_.empty() && !joint_sends_.empty() && give_jointly();
        return told || sent || streamed || taken || given;
    }
    // What has a record or was asked for has been announced.
    [[gnu::always_inline]] bool is_idle() const
    {
        return announced_.empty() && receives_.empty() && streams_.empty() && untold_.empty() && reads_.empty();
    }
    // Whether this rank is to read messages where they lie.
    bool reads() const { return !reads_.empty(); }
    // Whether there is nothing to bring forward by progress().
    [[gnu::always_inline]] bool goes_on_by_envelopes() const
    {
        return streams_.empty() && untold_.empty() && reads_.empty() && joint_sends_.empty() && asked_.empty();
    }

private:
    static constexpr std::size_t kTimedFrom = 16 * 1024;
    // Bytes per nanosecond beside the kernel's calls: what has just been written is read at 5 to 10, what lies in both
    // caches at 11 to 22 (docs/decisions/0050-fresh-messages-through-the-ring.md).
    static constexpr double kSlowRate = 11;

    struct Stream {  // a message that goes in pieces
        Ref<SendOperation> operation;
        std::uint64_t receive_id;
        std::uint64_t begin = 0;  // of what has not been sent
    };

    struct Asked {  // a message with a record, which its receiver would have in pieces
        std::uint64_t send_id;
        std::uint64_t receive_id;
        int destination;
    };

    struct Untold {  // a message that is where it belongs, but the receiver does not know
        Ref<SendOperation> operation;
        Envelope packed;
    };

    struct Announced {
        Ref<SendOperation> operation;  // none: the message is there, but its receiver has not said so
        void* record = nullptr;        // of a joint copy
        double helps_from = 0;         // this rank gives nothing of it before this time (fmpl_wtime)
    };

    using Announcements = std::unordered_map<std::uint64_t, Announced>;  // by send_id

    // By this rank: so many bytes, by so many calls of the kernel.
    struct OwnCopy {
        std::uint64_t bytes = 0;
        int calls = 0;
        double seconds = 0;
    };
    struct Read {  // a message that has matched, to be taken from where it lies
        Ref<ReceiveOperation> operation;
        bool is_joint = false;  // by its record, which is open
        double asked_at = 0;    // for pieces, of which none has come; 0: it is not
        OwnCopy copy{};
    };

    bool read(ReceiveOperation& operation);
    bool claim(const ReceiveOperation& operation);
    bool open(const ReceiveOperation& operation);
    bool prefers_pieces(const ReceiveOperation& operation);
    bool is_patient(const Read& read) const;
    void first_piece(const Ref<ReceiveOperation>& operation);
    void has_come(const Ref<ReceiveOperation>& operation);
    bool take_read();
    bool take_jointly(Read& read);
    void ask_for_room(const Ref<ReceiveOperation>& operation);
    bool give_jointly();
    void add_copy(OwnCopy& copy, std::uint64_t bytes, int calls, double begin);
    void taken_by(ReceiveOperation& operation, const OwnCopy& copy);
    BackOff<6>& asking(int source) { return asking_[static_cast<std::size_t>(source)]; }
    bool has_sends_to(int rank) const { return unfinished_[static_cast<std::size_t>(rank)] > 0; }
    Ref<SendOperation> forget(std::uint64_t send_id);
    Ref<SendOperation> to_be_packed(Announcements::iterator at);
    bool send_asked();
    bool send_pieces(Stream& stream, std::uint64_t longest);
    bool stream();
    bool tell();

    Outbox* outbox_;
    bool cpus_suffice_;
    CopyRates copy_rates_;
    std::vector<BackOff<6>> asking_;  // each source for pieces: one that computes does not answer
    std::vector<double> heard_at_;    // when the last piece of each source came
    std::vector<int> unfinished_;     // announced messages to each rank that are not there yet
    JointRecords records_;
    std::uint64_t sends_ = 0;
    Announcements announced_;
    std::vector<Announced*> joint_sends_;  // those with a record whose message is not there yet
    std::vector<Read> reads_;
    // After a copy this rank gives nothing, before this time, of what it had announced by then.
    double rests_to_ = 0;
    std::uint64_t rests_of_ = 0;  // send_id of the last of these
    std::vector<Asked> asked_;
    std::vector<Stream> streams_;
    std::vector<Untold> untold_;
    std::unordered_map<std::uint64_t, Ref<ReceiveOperation>> receives_;  // by receive_id
};

}  // namespace fmpl::mpi
