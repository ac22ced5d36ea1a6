// The destination's side of point-to-point communication: post a receive, see what has arrived, take it.
//
// The receive of a message that has not arrived is posted to the source by one remote write (a TCW that is prepared
// once for each channel), so that the source can write into the buffer. A receive with FMPL_ANY_TAG belongs to no
// channel yet: it chooses one when a message shows there.
//
// Each message number of a channel belongs to one receive, ReceiveChannel::receiving; further receives on the channel
// wait until it is done. Outstanding nonblocking receives go on during every long wait of this rank, so that ranks that
// have posted their receives and then send to each other all get through.
#pragma once

#include "p2p/choose_way.hpp"
#include "p2p/object_pool.hpp"
#include "p2p/receive_end.hpp"
#include "p2p/ways/inlined.hpp"
#include "p2p/ways/lane.hpp"
#include "p2p/ways/ways.hpp"

#include <fmpl/small_copy.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl {

// What a receive matched, for fmpl_received.
struct Matched {
    int source = -1;
    int index = -1;
    std::size_t bytes = 0;
};

class Receiver {
    using Arrival = ReceiveEnd::Arrival;
    using Request = TransferOf<Receiver, ReceiveOperation>;

public:
    explicit Receiver(Node& node) : end_(node), node_(&node) {}

    // fmpl_recv. Arguments are checked by the caller; index may be FMPL_ANY_TAG. A part of its caller, as send() is:
    // another call between them costs more than its instructions (docs/decisions/0032-small-choices.md).
    [[gnu::always_inline]] void recv(Communicator& comm, int source, int index, void* buffer, std::size_t capacity)
    {
        if (index >= 0 && capacity <= kInlineBytes) [[likely]] {
            ReceiveChannel& channel = comm.receive_channel(source, index);
            if (channel.request == nullptr && channel.receiving == nullptr && !node_->has_busy()) [[likely]] {
                if (take_short(comm, channel, source, index, buffer, capacity)) return;
                return recv_longer(comm, source, index, buffer, capacity);
            }
        }
        recv_longer(comm, source, index, buffer, capacity);
    }
    // The same into columns.
    void recv(Communicator& comm, int source, int index, std::byte* base, const Columns& columns)
    {
        const Room room(base, columns);
        if (room.in_one_piece()) return recv(comm, source, index, room.data(), room.bytes());
        if (room.bytes() > kInlineBytes) return recv_longer(comm, source, index, room);
        std::byte packed[kInlineBytes];
        recv(comm, source, index, packed, room.bytes());
        columns.scatter(base, 0, matched.bytes, packed);
    }
    // discards: a longer message is no error. ahead: the source has not begun to send the message, and need not be
    // woken.
    enum class Manner { usual, discards, ahead };
    void irecv(
        Communicator& comm, int source, int index, void* buffer, std::size_t capacity, Manner manner = Manner::usual);
    void irecv_wait(Communicator& comm, int source, int index);
    // done: whether it was complete, and then it is finished, also where Error(TRUNCATED) is thrown.
    void irecv_test(Communicator& comm, int source, int index, int& done);
    // fmpl_irecv_withdraw. Throws Error(BUSY) when the message has come, Error(ARGUMENT) when the receive is not one
    // ahead.
    void irecv_withdraw(Communicator& comm, int source, int index);

    // Messages of the communicator that have arrived and that no receive has taken, for fmpl_finalize: calls
    // report(source, index, bytes) for each.
    template <class Report>
    void for_each_unreceived(Communicator& comm, Report&& report)
    {
        const std::vector<char> has_written = ranks_that_have_written(comm);
        for (int source = 0; source < comm.size(); ++source) {
            if (has_written[static_cast<std::size_t>(source)] == 0) continue;
            for (int index = 0; index < comm.indices(); ++index) {
                std::size_t bytes = 0;
                std::uint64_t order = 0;
                if (!peek(comm, source, index, bytes, order)) continue;
                // All traffic has ended: the body of a head is safe to read.
                const Arrival found =
                    ReceiveEnd::arrival(comm, source, index, comm.receive_channel(source, index).received + 1);
                if (found.place == Arrival::Place::head && Stamp::kind(found.stamp) != MessageKind::inlined) {
                    bytes = comm.flag(source, index).body.bytes;
                }
                report(source, index, bytes);
            }
        }
    }

    // One look at a receive, and whatever can be done for it; whether it is done.
    bool advance(ReceiveOperation& op);
    // The same; if it is not done, the source learns where its message may go, once there is one that belongs to it.
    bool progress(ReceiveOperation& op)
    {
        if (advance(op)) return true;
        if (op.number != 0) posted::post(end_, op);
        return false;
    }

    Matched matched;

private:
    // Waits a little for the next message of a channel. Takes it if it has come in the lane or inlined and fits;
    // whether it has. Requires that no other receive is about to take the message.
    bool take_short(
        Communicator& comm, ReceiveChannel& channel, int source, int index, void* buffer, std::size_t capacity)
    {
        const CompletionFlag& flag = comm.flag(source, index);
        const LaneHalf* const lane = comm.peer(source).lane_from;
        PairState& pair = comm.pair(source);
        const std::uint64_t number = channel.received + 1;
        std::uint64_t stamp = 0;
        bool in_lane = false;
        node_->waiter.spin([&] {
            if (lane != nullptr) {
                stamp = lane->stamp.load(std::memory_order_acquire);  // pairs with lane::write
                in_lane = LaneStamp::is(stamp, pair.lane_taken + 1, index);
                if (in_lane) return true;
            }
            flag.ask_for_second_line();
            stamp = flag.stamp.load(std::memory_order_acquire);  // pairs with inlined::write
            // A chained message ends the fast path too.
            return Stamp::number(stamp) == number || flag.available.load(std::memory_order_relaxed) >= number;
        });
        if (in_lane && LaneStamp::bytes(stamp) <= capacity) [[likely]] {
            matched = {source, index, LaneStamp::bytes(stamp)};
            lane::take(*lane, pair, buffer, matched.bytes);
        } else if (!in_lane && Stamp::number(stamp) == number && Stamp::kind(stamp) == MessageKind::inlined &&
                   Stamp::inline_bytes(stamp) <= capacity) {
            matched = {source, index, Stamp::inline_bytes(stamp)};
            small_copy(buffer, flag.payload, matched.bytes);
        } else {
            return false;
        }
        channel.cursor = kNoOffset;
        end_.consume(comm, channel, source, index);
        return true;
    }

    // With the arguments of recv(), which so needs no memory for a Room.
    void recv_longer(Communicator& comm, int source, int index, void* buffer, std::size_t capacity);
    void recv_longer(Communicator& comm, int source, int index, const Room& room);
    void prepare(Request& op, Communicator& comm, int source, int index, const Room& room);
    static ReceiveOperation*& request_of(Communicator& comm, int source, int index);
    static ReceiveOperation*& outstanding(Communicator& comm, int source, int index);
    void end_request(ReceiveOperation*& request);
    bool take_number(ReceiveOperation& op, int index);
    bool choose_any_index(ReceiveOperation& op);
    int earliest_index(ReceiveOperation& op);
    void wait(ReceiveOperation& op);
    bool comes_without_post(ReceiveOperation& op);
    bool step(ReceiveOperation& op);
    bool take_lane_offer(ReceiveOperation& op);
    bool take_head(ReceiveOperation& op, std::uint64_t stamp);
    void report(const ReceiveOperation& op);
    // 1 for each member that may have: a look at the records of all would make what was never touched there.
    std::vector<char> ranks_that_have_written(Communicator& comm) const;
    bool peek(Communicator& comm, int source, int index, std::size_t& bytes, std::uint64_t& order);

    ReceiveEnd end_;
    Node* node_;
    ObjectPool<Request> requests_;
};

}  // namespace fmpl
