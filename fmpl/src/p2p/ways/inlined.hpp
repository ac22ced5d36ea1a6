// Payload and flag are in one record, the completion flag, so that nobody waits for a short message. It needs nothing
// but that all before it on its channel have been consumed: the way where the lane is not free, or there is none.
#pragma once

#include "p2p/receive_end.hpp"
#include "p2p/send_end.hpp"

#include <fmpl/small_copy.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fmpl::inlined {

// The source's write to a peer that is not mapped.
[[gnu::cold, gnu::noinline]] inline void write_remotely(const Crossbar& crossbar, int node, Offset flag,
    const void* data, std::size_t bytes, std::uint64_t reverse, std::uint64_t order, std::uint64_t stamp)
{
    crossbar.write(node, flag + offsetof(CompletionFlag, order), &order, sizeof order);
    if (bytes > 0) crossbar.write(node, flag + offsetof(CompletionFlag, payload), data, bytes);
    // Pairs with SendEnd::known_consumed.
    crossbar.write_flag(node, flag + offsetof(CompletionFlag, reverse_consumed), reverse);
    // Pairs with ReceiveEnd::arrival.
    crossbar.write_flag(node, flag + offsetof(CompletionFlag, stamp), stamp);
}

// What goes on in the second line of the flag comes first: else that line may be on its way while the first one, which
// the destination looks at, is half written, and the destination takes it away until the stamp is written.
inline void put(std::uint8_t* payload, const void* data, std::size_t bytes)
{
    constexpr std::size_t kInFirstLine = kLine - offsetof(CompletionFlag, payload);
    if (bytes <= kInFirstLine) return small_copy(payload, data, bytes);
    const auto* const from = static_cast<const std::uint8_t*>(data);
    small_copy(payload + kInFirstLine, from + kInFirstLine, bytes - kInFirstLine);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    std::memcpy(payload, from, kInFirstLine);
}

// Source.
inline void write(const SendEnd& end, Communicator& comm, int destination, int index, const void* data,
    std::size_t bytes, std::uint64_t number, std::uint64_t order)
{
    const Peer& peer = comm.peer(destination);
    const Offset at = peer.flag_at(index);
    const std::uint64_t stamp = Stamp::make(number, MessageKind::inlined, bytes);
    const std::uint64_t reverse = comm.receive_channel(destination, index).received;
    if (peer.mapped == nullptr) [[unlikely]] {
        return write_remotely(end.crossbar(), peer.node, at, data, bytes, reverse, order, stamp);
    }
    auto& flag = *reinterpret_cast<CompletionFlag*>(peer.mapped + at);
    flag.order = order;
    put(flag.payload, data, bytes);
    flag.reverse_consumed.store(reverse, std::memory_order_release);  // pairs with SendEnd::known_consumed
    flag.stamp.store(stamp, std::memory_order_release);               // pairs with ReceiveEnd::arrival
}

// Destination. payload: in the completion flag, or in the lane.
inline void take(const ReceiveEnd& end, ReceiveOperation& op, const std::uint8_t* payload, std::size_t bytes)
{
    const Room& room = op.room;
    if (bytes <= room.bytes()) {
        if (room.in_one_piece()) {
            small_copy(room.data(), payload, bytes);
        } else {
            room.columns().scatter(room.data(), 0, bytes, reinterpret_cast<const std::byte*>(payload));
        }
    }
    end.finish(op, bytes);
}

}  // namespace fmpl::inlined
