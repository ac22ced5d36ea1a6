// A receiver's part of a broadcast, whatever its manner.
#include "coll/bcast/both.hpp"
#include "coll/bcast/choose.hpp"
#include "coll/bcast/partitioned.hpp"
#include "coll/bcast/uses.hpp"

#include "crossbar/copy_across.hpp"
#include "error.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace fmpl {
namespace {

// What a receiver whose buffer others can write offers before it knows the root's manner: for the first use of the
// broadcast.
class Offer {
public:
    Offer(Meeting& m, const IncomingBroadcast& in, int root) : m_(m), in_(in)
    {
        if (in.bytes < kBroadcastLeastOffered || root == m.rank() || in.columns != nullptr) return;
        if (!m.is_reachable(in.buffer, in.bytes)) return;
        const std::uint64_t use = m.broadcasts.uses;
        if (is_partitioned(m, in.bytes)) {
            reception_ = true;
            open_reception(m, use, in.buffer, in.bytes);
        } else if (may_be_copied_by_both(m, in.bytes) && m.hardware.any_source_buffer) {
            wants_help_ = true;
            // Before the root has come, if that has left the slot's last use.
            has_asked_ = use < kBroadcastSlots || all_have_left(m, use + 1 - kBroadcastSlots);
            if (has_asked_) ask_for_help(m, use, in.buffer, in.bytes);
        }
    }
    // The root has come. Whether one of the offers is the way, and then it has been gone to its end.
    bool serves(BroadcastSlot& slot, std::uint64_t use)
    {
        if (!reception_ && !wants_help_) return false;
        const bool fits = slot.total_bytes == in_.bytes;
        if (reception_ && (slot.manner != BroadcastManner::partitioned || !fits)) withdraw();
        if (reception_) {
            await_reception(m_, use, {static_cast<int>(slot.root), slot.at, in_.bytes});
            return true;
        }
        const bool wants_help = std::exchange(wants_help_, false);
        if (!wants_help || !fits || slot.manner == BroadcastManner::in_pieces) return false;
        if (!has_asked_) ask_for_help(m_, use, in_.buffer, in_.bytes);
        receive_with_help(m_, slot, in_.buffer, in_.bytes);
        return true;
    }
    void withdraw()
    {
        if (reception_) close_reception(m_);
        reception_ = false;
    }

private:
    Meeting& m_;
    const IncomingBroadcast& in_;
    bool reception_ = false;
    bool wants_help_ = false;
    bool has_asked_ = false;
};

// Where the root's buffer for a short broadcast probably is: behind its last one. Its lines are asked for with each
// look, so that they come while the slot's line does.
const std::byte* buffer_ahead(const Meeting& m, int root, std::size_t bytes)
{
    constexpr std::size_t kMostAhead = 4 * kLine;
    if (bytes <= kBroadcastInlineBytes || bytes > kMostAhead || root != m.broadcasts.ahead_of) return nullptr;
    return m.place(root, m.broadcasts.ahead).here;
}

bool has_come(const BroadcastSlot& slot, std::uint64_t use)
{
    return slot.stamp.load(std::memory_order_acquire) == use + 1;  // pairs with publish()
}

[[gnu::noinline]] void wait_for_root(
    Meeting& m, const BroadcastSlot& slot, std::uint64_t use, int root, std::size_t bytes)
{
    const bool keeps_cpu = m.may_keep_cpu() && m.is_next_of_cpu(m.broadcast_roots);
    if (keeps_cpu && m.keep_cpu_until(m.broadcast_roots, [&] { return has_come(slot, use); })) return;
    const std::byte* const ahead = buffer_ahead(m, root, bytes);
    const std::size_t bytes_ahead = ahead == nullptr ? 0 : bytes;
    m.wait_in_turn(
        &m.broadcast_roots,
        [&] {
            prefetch_to_read(ahead, bytes_ahead);
            return has_come(slot, use);
        },
        m.waiting_for(root == m.rank() ? -1 : root, bytes));
}

BroadcastSlot& await_root(Meeting& m, std::uint64_t use, int root, std::size_t bytes)
{
    BroadcastSlot& slot = slot_of(m, use);
    if (!has_come(slot, use)) wait_for_root(m, slot, use, root, bytes);
    if (m.size() == 2) m.broadcasts.left = std::max(m.broadcasts.left, use);  // the root has come to it
    return slot;
}

// By the kernel: columns by way of a block of this rank's.
void take_private_piece(Meeting& m, int from, Offset at, const IncomingBroadcast& in, std::size_t done, std::size_t n)
{
    const PrivateMemory& memory = m.node().private_memory;
    if (in.columns == nullptr) return memory.read(from, at, in.buffer + done, n);
    std::array<std::byte, 8 * 1024> block;
    for (std::size_t begin = 0; begin < n; begin += block.size()) {
        const std::size_t bytes = std::min(block.size(), n - begin);
        memory.read(from, at + begin, block.data(), bytes);
        in.copy_in(done + begin, bytes, block.data());
    }
}

void take_piece(Meeting& m, const BroadcastSlot& slot, const IncomingBroadcast& in, std::size_t done, std::size_t bytes)
{
    if (slot.at == kNoOffset) return in.copy_in(done, bytes, reinterpret_cast<const std::byte*>(slot.payload));
    const int from = m.members()[slot.root];
    const std::byte* const here = m.node().private_memory.here(from, slot.at);
    if (slot.manner == BroadcastManner::in_pieces) {
        m.broadcasts.ahead_of = static_cast<int>(slot.root);
        m.broadcasts.ahead = slot.at + stride_of(bytes);
    }
    if (here == nullptr) return take_private_piece(m, from, slot.at, in, done, bytes);
    m.node().crossbar.map_pages(here, bytes);
    in.copy_in(done, bytes, here);
}

// The last receiver wakes a root whose own buffer was read.
void leave(Meeting& m, BroadcastSlot& slot, std::uint64_t use)
{
    if (slot.manner == BroadcastManner::in_pieces) return leave_broadcast(m, use);
    const auto receivers = static_cast<std::uint64_t>(m.size() - 1);
    const int from = m.members()[slot.root];
    // acq_rel: pairs with send_whole()
    const bool is_awaited = receivers == 1 || slot.taken.fetch_add(1, std::memory_order_acq_rel) + 1 == receivers;
    leave_broadcast(m, use);
    if (is_awaited) m.node().crossbar.wake_only(from);
}

[[noreturn]] void fail_without_memory(int root)
{
    fail(FMPL_ERR_MEMORY,
        "the root, rank {}, has no remote-DMA memory left for its broadcast; give the ranks larger arenas with "
        "FMPL_ARENA_SIZE",
        root);
}

[[noreturn]] void fail_agreement(const Meeting& m, int came_from, int root, std::size_t total, std::size_t bytes)
{
    if (root == m.rank()) {
        fail(FMPL_ERR_MISMATCH, "rank {} broadcasts as root, and so does this rank; give the same root on all ranks",
            came_from);
    }
    if (total != bytes) {
        fail(FMPL_ERR_MISMATCH,
            "the root, rank {}, broadcasts {} bytes, this rank expects {}; give the same size on all ranks", came_from,
            total, bytes);
    }
    fail(FMPL_ERR_MISMATCH, "rank {} broadcasts as root, this rank names rank {}; give the same root on all ranks",
        came_from, root);
}

}  // namespace

void receive_broadcast(Meeting& m, const IncomingBroadcast& in, int root)
{
    Offer offer(m, in, root);
    std::size_t total = 0;
    std::size_t done = 0;
    int came_from = root;
    do {
        const std::uint64_t use = m.broadcasts.uses++;
        BroadcastSlot& slot = await_root(m, use, root, in.bytes);
        total = slot.total_bytes;
        came_from = static_cast<int>(slot.root);
        if (total == kBroadcastFailed) {
            offer.withdraw();
            leave(m, slot, use);
            fail_without_memory(came_from);
        }
        const bool in_pieces = slot.manner == BroadcastManner::in_pieces;
        const std::size_t piece = in_pieces ? std::min(kBroadcastBufferBytes, total - done) : total - done;
        const bool is_wanted = root != m.rank() && total == in.bytes && piece > 0;
        if (!offer.serves(slot, use) && is_wanted) take_piece(m, slot, in, done, piece);
        done += piece;
        leave(m, slot, use);
    } while (done < total);
    // A difference is reported when all pieces are through, so that the next broadcast begins in step.
    if (total != in.bytes || came_from != root || root == m.rank()) [[unlikely]]
        fail_agreement(m, came_from, root, total, in.bytes);
}

}  // namespace fmpl
