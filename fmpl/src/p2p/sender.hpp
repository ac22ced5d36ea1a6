// The source's side of point-to-point communication (paper, sections 2.1 and 4.1).
//
// A message takes the first of these ways that is open:
//   lane      up to kLaneBytes to a mapped peer, nothing unconsumed on the channel and nothing in the lane: in the line
//             that the pair shares
//   lane, on offer
//             of a blocking send, below kSharedBytes, between ranks that have a CPU each: the lane tells where it lies
//             in remote-DMA memory (of up to kCopiedBytes in private memory: a copy), and the destination copies it
//             from there, or the source to a receive that is posted
//   inlined   up to kInlineBytes and nothing unconsumed on the channel: payload and flag in one record, nobody waits
//   moved     the receive is posted and its buffer can be addressed: written straight into it
//   shared    the same with a long message: the destination, if it waits, copies one end of it while the source copies
//   the
//             other; also between private buffers where the kernel lets one process copy to another (PrivateMemory)
//   offered   the source's buffer can be addressed: published, and moved by whichever side claims it first; if that is
//   the
//             destination and the message is long, the source, if it waits, helps likewise
//   spooled   after the time-out: copied to the send buffer, published from there
//   piped     neither buffer can be addressed: in pieces through a ring, once the receive is posted
// A message in a private buffer whose receive is not posted yet is announced and held until it is, which saves a copy.
#pragma once

#include "p2p/send_end.hpp"
#include "p2p/thresholds.hpp"
#include "p2p/ways/inlined.hpp"
#include "p2p/ways/lane.hpp"
#include "p2p/ways/ways.hpp"

#include <fmpl/small_copy.hpp>

#include <cstddef>
#include <cstdint>

namespace fmpl {

class Sender;

// The send of a call, blocking or not.
struct SendRequest final : SendOperation {
    void progress() override;

    Sender* sender = nullptr;
};

class Sender {
public:
    Sender(Node& node, SendBuffer& buffer) : end_(node, buffer), node_(&node), buffer_(&buffer) {}

    // fmpl_send. Arguments are checked by the caller. may_spool: the time-out and the send buffer apply.
    void send(
        Communicator& comm, int destination, int index, const void* data, std::size_t bytes, bool may_spool = true)
    {
        SendChannel& channel = comm.send_channel(destination, index);
        if (bytes <= kInlineBytes && channel.request == nullptr && end_.idle(comm, destination, index, channel))
            [[likely]] {
            write_short(comm, destination, index, data, bytes, ++channel.sent, ++comm.pair(destination).order);
            return;
        }
        send_longer(comm, destination, index, data, bytes, may_spool);
    }
    // The same for a message of columns.
    void send(Communicator& comm, int destination, int index, const std::byte* base, const Columns& columns)
    {
        const Message message(base, columns);
        if (message.in_one_piece()) return send(comm, destination, index, message.data(), message.bytes());
        if (message.bytes() <= kInlineBytes) {
            std::byte packed[kInlineBytes];
            message.gather(0, message.bytes(), packed);
            return send(comm, destination, index, packed, message.bytes());
        }
        send_longer(comm, destination, index, message, true);
    }
    void isend(Communicator& comm, int destination, int index, const void* data, std::size_t bytes);
    void isend_wait(Communicator& comm, int destination, int index);
    bool isend_test(
        Communicator& comm, int destination, int index);  // whether it was complete, and then it is finished

    // fmpl_sendbuf_set and fmpl_sendbuf_check.
    void set_buffer(void* buffer, std::size_t bytes, int timeout_ms);
    void check_buffer(int* left, int* waiting);

    // See SendEnd.
    void reclaim() { end_.reclaim(); }
    void abandon(Communicator& comm) { end_.abandon(comm); }

    // One look at an operation, and whatever can be done for it; whether it is done.
    bool step(SendOperation& op);

private:
    // A message that no receive needs to be ready for, and whose turn it is.
    void write_short(Communicator& comm, int destination, int index, const void* data, std::size_t bytes,
        std::uint64_t number, std::uint64_t order)
    {
        const Peer& peer = comm.peer(destination);
        if (bytes <= kLaneBytes && peer.lane_to != nullptr && end_.lane_is_free(comm, destination)) [[likely]] {
            const auto put = [&](std::uint8_t* payload) { small_copy(payload, data, bytes); };
            lane::write(comm, destination, index, bytes, number, order, put);
        } else {
            inlined::write(end_, comm, destination, index, data, bytes, number, order);
        }
        node_->crossbar.wake(peer.node);
    }

    lane_offer::Outcome offer_in_lane(
        Communicator& comm, SendChannel& channel, int destination, int index, const Message& message);
    // With the arguments of send(), which so needs no memory for a Message and leaves its own to this function.
    void send_longer(
        Communicator& comm, int destination, int index, const void* data, std::size_t bytes, bool may_spool);
    void send_longer(Communicator& comm, int destination, int index, const Message& message, bool may_spool);
    void send_slowly(Communicator& comm, SendChannel& channel, int destination, int index, const Message& message,
        bool may_spool, bool is_offered);
    void prepare(SendRequest& op, Communicator& comm, SendChannel& channel, int destination, int index,
        const Message& message, bool is_offered = false);
    WaitFor waiting_for(const SendOperation& op, std::uint64_t deadline_ns = 0) const;

    static SendRequest& outstanding(const SendChannel& channel, int destination, int index);
    void end_request(Communicator& comm, SendChannel& channel, int destination, int index);
    bool begin(SendOperation& op);
    bool serve_posted(SendOperation& op);
    bool push_if_posted(SendOperation& op);
    bool push_soon(SendOperation& op);
    bool shares(const SendOperation& op, Offset to) const;
    bool reaches(const SendOperation& op, Offset to) const;
    bool is_patient(SendOperation& op) const;

    SendEnd end_;
    Node* node_;
    SendBuffer* buffer_;
    ObjectPool<SendRequest> requests_;
    offered::CopiedAway copied_;
};

}  // namespace fmpl
