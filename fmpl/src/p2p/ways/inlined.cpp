#include "p2p/ways/inlined.hpp"

namespace fmpl::inlined {

void write_remotely(const Crossbar& crossbar, int node, Offset flag, const void* data, std::size_t bytes,
    std::uint64_t reverse, std::uint64_t order, std::uint64_t stamp)
{
    crossbar.write(node, flag + offsetof(CompletionFlag, order), &order, sizeof order);
    if (bytes > 0) crossbar.write(node, flag + offsetof(CompletionFlag, payload), data, bytes);
    // Pairs with SendEnd::known_consumed.
    crossbar.write_flag(node, flag + offsetof(CompletionFlag, reverse_consumed), reverse);
    // Pairs with ReceiveEnd::arrival.
    crossbar.write_flag(node, flag + offsetof(CompletionFlag, stamp), stamp);
}

void take(const ReceiveEnd& end, ReceiveOperation& op, const std::uint8_t* payload, std::size_t bytes)
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
