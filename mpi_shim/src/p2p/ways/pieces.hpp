// A message that goes through the ring of its pair in pieces, as bodies of envelopes: the receiver unpacks one while
// the sender packs the next (docs/decisions/0051-scattered-messages-in-pieces.md).
//
//   sender                              receiver
//                                  <-   room{send_id, receive_id}
//   piece{receive_id, place} + body ->  unpacks it at `place` of its buffer
//   ...                            ->   the last one completes the receive
//
// A send is complete when its last piece has gone: its receive shall need no further call of the sender's.
#pragma once

#include "p2p/announcements.hpp"
#include "p2p/operations.hpp"

#include <cstdint>
#include <vector>

namespace fmpl::mpi {

class Pieces {
public:
    explicit Pieces(Announcements& announcements) : announcements_(&announcements) {}

    // The sender's side.

    // The message goes by later looks.
    void add(const Ref<SendOperation>& operation, std::uint64_t receive_id)
    {
        streams_.push_back({operation, receive_id});
    }
    // Whether a message has gone.
    bool progress();
    bool any() const { return !streams_.empty(); }

    // The receiver's side: an envelope of kind piece has come for the receive. Whether it is the last one.
    static bool take(const ReceiveOperation& operation, const Envelope& envelope, const void* body);

private:
    static constexpr std::uint64_t kBytes = 8 * 1024;
    // Of a message in one piece at its sender, whose pieces may come in steps (fmpl/envelope_steps.h).
    static constexpr std::uint64_t kStraightBytes = 64 * 1024;

    struct Stream {
        Ref<SendOperation> operation;
        std::uint64_t receive_id;
        std::uint64_t begin = 0;  // of what has not been sent
    };
    bool send(Stream& stream);

    Announcements* announcements_;
    std::vector<Stream> streams_;
};

}  // namespace fmpl::mpi
