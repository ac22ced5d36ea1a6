// A broadcast in pieces: through the root's library buffers in turn, so that its copy of one piece overlaps the
// receivers' copies of those before and the root need not wait for the last. A few bytes lie in the slot's line.
//
// Cost with p ranks and n bytes: one flag latency + 2 n / copy bandwidth, whatever p.
#include "coll/bcast/choose.hpp"
#include "coll/bcast/publish.hpp"

#include "error.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace fmpl {
namespace {

// A library buffer of this rank's that nobody reads any more, for this use.
Offset library_buffer(Meeting& m, std::uint64_t use, const WaitFor& what)
{
    BroadcastState& state = m.broadcasts;
    constexpr std::size_t kHalf = BroadcastState::kBuffers / 2;
    const std::size_t buffer = state.next_buffer++ % BroadcastState::kBuffers;
    const std::uint64_t last_use = std::exchange(state.buffer_uses[buffer], use + 1);
    const std::uint64_t of_half = state.buffer_uses[(buffer + kHalf - 1) % BroadcastState::kBuffers];
    await_left(m, last_use, std::max(last_use, of_half), what);
    return state.buffers + buffer * kBroadcastBufferBytes;
}

// What the receivers have to know before it is thrown; null where the library buffers are there.
std::exception_ptr make_library_buffers(Meeting& m)
{
    if (m.broadcasts.buffers != kNoOffset) return nullptr;
    try {
        m.broadcasts.buffers = m.node().arena.allocate(BroadcastState::kBuffers * kBroadcastBufferBytes);
    } catch (const Error&) {
        return std::current_exception();
    }
    return nullptr;
}

}  // namespace

std::size_t send_in_pieces(Meeting& m, const OutgoingBroadcast& out)
{
    const WaitFor what = m.waiting_for(-1, out.bytes);
    const bool in_line = out.bytes <= kBroadcastInlineBytes;
    const std::exception_ptr no_memory = in_line ? nullptr : make_library_buffers(m);
    std::size_t sent = 0;
    do {
        const std::uint64_t use = begin_use(m, kBroadcastSlots, what);
        const std::size_t piece = std::min(kBroadcastBufferBytes, out.bytes - sent);
        const Offset at = in_line || no_memory ? kNoOffset : library_buffer(m, use, what);
        publish(m, use, sent == 0, out.bytes, what, [&](BroadcastSlot& slot) {
            if (at != kNoOffset) out.copy_out(sent, piece, m.node().crossbar.local(at));
            slot.total_bytes = no_memory ? kBroadcastFailed : out.bytes;
            slot.manner = BroadcastManner::in_pieces;
            slot.at = at;
            if (in_line && out.bytes > 0) out.copy_out(0, out.bytes, reinterpret_cast<std::byte*>(slot.payload));
        });
        sent += piece;
        leave_broadcast(m, use);
        if (no_memory) std::rethrow_exception(no_memory);
    } while (sent < out.bytes && !goes_whole(m, out, sent));
    return sent;
}

}  // namespace fmpl
