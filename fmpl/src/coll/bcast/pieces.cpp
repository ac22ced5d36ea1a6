// A broadcast in pieces: through the root's library buffers in turn, so that its copy of one piece overlaps the
// receivers' copies of those before and the root need not wait for the last. A few bytes lie in the slot's line.
//
// Cost with p ranks and n bytes: one flag latency + 2 n / copy bandwidth, whatever p.
#include "coll/bcast/choose.hpp"
#include "coll/bcast/publish.hpp"

#include "crossbar/copy_across.hpp"
#include "error.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace fmpl {
namespace {

// Of the library buffers of one of the roots that take turns on shared CPUs, to whom a cache is worth more than being
// ahead of the receivers (docs/decisions/0047-rings-longer-than-the-nearest-cache.md). All others take all.
constexpr std::size_t kInTurn = 8;

BroadcastBuffers& buffers_of(Meeting& m, std::size_t bytes)
{
    return bytes <= kShortBufferBytes ? m.broadcasts.of_short : m.broadcasts.of_long;
}

// How many this rank takes in turn; a power of two.
std::size_t buffers_in_turn(const Meeting& m, bool stays_root)
{
    return stays_root || m.node().each_has_a_cpu() ? BroadcastBuffers::kMost : kInTurn;
}

// A library buffer of this rank's that nobody reads any more, for this use.
Offset library_buffer(Meeting& m, std::uint64_t use, std::size_t bytes, const WaitFor& what, bool stays_root)
{
    BroadcastBuffers& buffers = buffers_of(m, bytes);
    const std::size_t in_turn = buffers_in_turn(m, stays_root);
    const std::size_t buffer = buffers.next++ & (in_turn - 1);
    const std::uint64_t last_use = std::exchange(buffers.uses[buffer], use + 1);
    const std::uint64_t of_half = buffers.uses[(buffer + in_turn / 2 - 1) & (in_turn - 1)];
    await_left(m, last_use, std::max(last_use, of_half), what);
    return buffers.at + buffer * stride_of(bytes);
}

// By a root that stays, after a broadcast in one piece: the lines that it will write for the one after the next, if
// that is alike, come from the receivers' caches while it goes on
// (docs/decisions/0043-lines-to-write-asked-for-ahead.md).
void ask_ahead(Meeting& m, std::uint64_t use, std::size_t bytes)
{
    constexpr std::size_t kAhead = 2;
    prefetch_to_write(&slot_of(m, use + kAhead));
    if (bytes <= kBroadcastInlineBytes || bytes > kShortBufferBytes) return;
    const BroadcastBuffers& buffers = m.broadcasts.of_short;
    const std::size_t buffer = (buffers.next + kAhead - 1) & (BroadcastBuffers::kMost - 1);
    prefetch_to_write(m.node().crossbar.local(buffers.at + buffer * kShortBufferStride), bytes);
}

// What the receivers have to know before it is thrown; null where the library buffers are there.
std::exception_ptr make_library_buffers(Meeting& m, std::size_t bytes)
{
    const bool in_pieces = bytes > kBroadcastBufferBytes;  // of which the last may be short
    try {
        if (bytes <= kShortBufferBytes || in_pieces) {
            Offset& at = m.broadcasts.of_short.at;
            if (at == kNoOffset) at = m.node().arena.allocate(BroadcastBuffers::kMost * kShortBufferStride);
        }
        if (bytes > kShortBufferBytes) {
            Offset& at = m.broadcasts.of_long.at;
            if (at == kNoOffset) at = m.node().arena.allocate(BroadcastBuffers::kMost * kLongBufferStride);
        }
    } catch (const Error&) {
        return std::current_exception();
    }
    return nullptr;
}

}  // namespace

bool has_library_buffers(Meeting& m, std::size_t bytes)
{
    return make_library_buffers(m, bytes) == nullptr;
}

std::size_t send_in_pieces(Meeting& m, const OutgoingBroadcast& out)
{
    const WaitFor what = m.waiting_for(-1, out.bytes);
    const bool in_line = out.bytes <= kBroadcastInlineBytes;
    const std::exception_ptr no_memory = in_line ? nullptr : make_library_buffers(m, out.bytes);
    std::size_t sent = 0;
    bool stays_root = false;
    do {
        const std::uint64_t use = begin_use(m, kBroadcastSlots, what);
        const bool was_root = std::exchange(m.broadcasts.own, use + 1) == use;
        if (sent == 0) stays_root = was_root;
        const std::size_t piece = std::min(kBroadcastBufferBytes, out.bytes - sent);
        const Offset at = in_line || no_memory ? kNoOffset : library_buffer(m, use, piece, what, stays_root);
        publish(m, use, sent == 0, out.bytes, what, [&](BroadcastSlot& slot) {
            if (at != kNoOffset) out.copy_out(sent, piece, m.node().crossbar.local(at));
            slot.total_bytes = no_memory ? kBroadcastFailed : out.bytes;
            slot.manner = BroadcastManner::in_pieces;
            slot.at = at;
            if (in_line && out.bytes > 0) out.copy_out(0, out.bytes, reinterpret_cast<std::byte*>(slot.payload));
        });
        sent += piece;
        leave_broadcast(m, use);
        if (stays_root && piece == out.bytes && !no_memory) ask_ahead(m, use, piece);
        if (no_memory) std::rethrow_exception(no_memory);
    } while (sent < out.bytes && !goes_whole(m, out, sent));
    return sent;
}

}  // namespace fmpl
