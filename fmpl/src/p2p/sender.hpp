// The source's side of point-to-point communication (paper, sections 2.1 and 4.1): the requests, and the order of the
// messages of a channel. choose_way.hpp tells how each gets to its destination.
#pragma once

#include "p2p/choose_way.hpp"
#include "p2p/send_end.hpp"
#include "p2p/ways/inlined.hpp"
#include "p2p/ways/lane.hpp"
#include "p2p/ways/ways.hpp"

#include <fmpl/small_copy.hpp>

#include <cstddef>
#include <cstdint>

namespace fmpl {

class Sender {
    using Request = TransferOf<Sender, SendOperation>;

public:
    Sender(Node& node, SendBuffer& buffer) : end_(node, buffer), node_(&node), buffer_(&buffer) {}

    // fmpl_send. Arguments are checked by the caller. may_spool: the time-out and the send buffer apply.
    [[gnu::always_inline]] void send(
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
    bool progress(SendOperation& op);

private:
    // A message that no receive needs to be ready for, and whose turn it is.
    void write_short(Communicator& comm, int destination, int index, const void* data, std::size_t bytes,
        std::uint64_t number, std::uint64_t order)
    {
        if (goes_by_lane(end_, comm, destination, bytes)) [[likely]] {
            const auto put = [&](std::uint8_t* payload) { small_copy(payload, data, bytes); };
            lane::write(comm, destination, index, bytes, number, order, put);
        } else {
            inlined::write(end_, comm, destination, index, data, bytes, number, order);
        }
        node_->crossbar.wake(comm.peer(destination).node);
    }

    // With the arguments of send(), which so needs no memory for a Message and leaves its own to this function.
    void send_longer(
        Communicator& comm, int destination, int index, const void* data, std::size_t bytes, bool may_spool);
    void send_longer(Communicator& comm, int destination, int index, const Message& message, bool may_spool);
    void send_slowly(
        Communicator& comm, int destination, int index, const Message& message, bool may_spool, bool is_offered);
    void prepare(
        Request& op, Communicator& comm, int destination, int index, const Message& message, bool is_offered = false);
    bool send_or_spool(SendOperation& op);
    bool send_at_once(SendOperation& op);
    WaitFor waiting_for(const SendOperation& op, std::uint64_t deadline_ns = 0) const;

    static Request& outstanding(const SendChannel& channel, int destination, int index);
    void end_request(Communicator& comm, SendChannel& channel, int destination, int index);
    bool go_on(SendOperation& op);
    bool move_to_posted(SendOperation& op);

    SendEnd end_;
    Node* node_;
    SendBuffer* buffer_;
    ObjectPool<Request> requests_;
    offered::CopiedAway copied_;
};

}  // namespace fmpl
