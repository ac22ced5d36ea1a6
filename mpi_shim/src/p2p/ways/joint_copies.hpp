// A message in private memory that both ranks copy in their waits, where each has a CPU: chunks from both ends, by a
// record in the sender's remote-DMA memory (fmpl/joint_copy.h).
//
//   sender                                          receiver
//   negotiated{send_id, place, receive_id: record} -> matches a receive, opens the record
//   gives chunks while it waits                        takes chunks while it waits
//                                                  <-  taken{send_id, ...}
//
// The sender does so while it has nothing to read itself: a rank that begins sends and receives tells all others of
// them before it copies, and a sender whose receiver computes does the work alone. A send is complete when the message
// has left its buffer; its record is kept until `taken` comes.
//
// Ranks that exchange messages do not help each other: a source that writes takes the lines of the buffer from the core
// that reads it next. A rank that has announced messages to the source opens no record; a sender that has posted
// receives gives its destination time to do it all, and so does one that has just copied, as long again, but no more
// than kLongestRest.
//
// *Passed on.* Where two copies are faster than the kernel's one, also where ranks share CPUs, the sender's part of a
// message for private memory goes through the ring of the pair, also while it reads and whatever it has announced; the
// kernel copies, for either side, what the other does not take its part of.
//
//   piece{send_id, place} + body                   -> copies a chunk to where it belongs
#pragma once

#include "p2p/announcements.hpp"
#include "p2p/operations.hpp"
#include "p2p/own_copy.hpp"

#include <fmpl/envelopes.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl::mpi {

// Their records, in blocks that stay.
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

class JointCopies {
public:
    // passes_on: the sender's part of a message for private memory goes through the ring. The kernel copies one of
    // which nothing has been heard for `patience` seconds.
    JointCopies(int ranks, Announcements& announcements, bool passes_on, double patience)
        : announcements_(&announcements),
          passes_on_(passes_on),
          patience_(passes_on ? patience : 0),
          passed_at_(static_cast<std::size_t>(ranks))
    {
    }

    // The sender's side, of a message that PrivateReading is for.

    // Before it is announced: it has a record then, if it is long enough. expects: this rank has posted receives.
    void prepare(Announced& announced, bool expects);
    // It is announced, with its record.
    void begin(Announced& announced) { sends_.push_back(&announced); }
    // It is to go another way; false: the receiver has opened its record meanwhile.
    bool withdraw(Announced& announced);
    // The receiver has it.
    void end(Announced& announced);
    // Whether a message has come to its end, by this rank's copying.
    bool give();
    bool any_to_give() const { return !sends_.empty(); }

    // The receiver's side, of a message announced with a record in operation.envelope by operation.source.

    // Whether that is worth it.
    bool is_for(const ReceiveOperation& operation) const;
    // False: it has been withdrawn, or cannot be copied so.
    bool open(const ReceiveOperation& operation) const;
    // Whether the sender passes its part of such a message on.
    bool is_passed_on(const ReceiveOperation& operation) const;
    // Such a piece has come.
    static void piece(const ReceiveOperation& operation, const Envelope& envelope, const void* body);
    // Whether all of the message is there, when so many pieces have come.
    static bool is_there(const ReceiveOperation& operation, std::size_t pieces);
    // Copies what nobody has taken; whether all of it is there, but for pieces that were passed on.
    bool take(const ReceiveOperation& operation, OwnCopy& copy);

    // This rank has copied what it receives: what it has announced by now it leaves to the destinations for a while.
    void rest_after(const OwnCopy& copy);

private:
    static std::size_t passed_bytes() { return std::min<std::size_t>(64 * 1024, fmpl_envelope_body_limit()); }
    bool pass_on(const Announced& announced, bool& is_there);
    double& passed_at(int destination) { return passed_at_[static_cast<std::size_t>(destination)]; }

    Announcements* announcements_;
    bool passes_on_;
    double patience_;
    std::vector<double> passed_at_;  // by destination: when something was passed on last, or was announced so
    JointRecords records_;
    std::vector<Announced*> sends_;  // whose messages are not there yet
    double rests_to_ = 0;            // fmpl_wtime
    std::uint64_t rests_of_ = 0;     // send_id of the last of these
};

}  // namespace fmpl::mpi
