// A receiver's part of a broadcast, whatever its manner.
#include "coll/bcast/both.hpp"
#include "coll/bcast/choose.hpp"
#include "coll/bcast/partitioned.hpp"
#include "coll/bcast/uses.hpp"

#include "error.hpp"

#include <algorithm>

namespace fmpl {
namespace {

// What a receiver whose buffer others can write offers before it knows the root's manner.
class Offer {
public:
    Offer(Meeting& m, const IncomingBroadcast& in, int root) : m_(m), in_(in)
    {
        if (root == m.rank() || in.columns != nullptr || !m.node().crossbar.contains(in.buffer, in.bytes)) return;
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
    bool serves(BroadcastSlot& slot, std::uint64_t use, const std::byte* from)
    {
        const bool fits = slot.total_bytes == in_.bytes;
        if (reception_ && (slot.manner != BroadcastManner::partitioned || !fits)) withdraw();
        if (reception_) {
            await_reception(m_, use, from, in_.bytes, static_cast<int>(slot.root));
            return true;
        }
        if (!wants_help_ || !fits || slot.manner == BroadcastManner::in_pieces) return false;
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

BroadcastSlot& await_root(Meeting& m, std::uint64_t use, const WaitFor& what)
{
    BroadcastSlot& slot = slot_of(m, use);
    // acquire: pairs with publish()
    const auto has_come = [&] { return slot.stamp.load(std::memory_order_acquire) == use + 1; };
    if (!has_come() && !m.keep_cpu_until(has_come)) m.wait_in_turn(&m.broadcast_roots, has_come, what);
    if (m.size() == 2) m.broadcasts.left = std::max(m.broadcasts.left, use);  // the root has come to it
    return slot;
}

// The last receiver wakes a root whose own buffer was read.
void leave(Meeting& m, BroadcastSlot& slot, std::uint64_t use)
{
    const auto receivers = static_cast<std::uint64_t>(m.size() - 1);
    const int from = m.members()[slot.root];
    // acq_rel: pairs with send_whole()
    const bool is_awaited = slot.manner != BroadcastManner::in_pieces &&
                            (receivers == 1 || slot.taken.fetch_add(1, std::memory_order_acq_rel) + 1 == receivers);
    leave_broadcast(m, use);
    if (is_awaited) m.node().crossbar.wake(from);
}

[[noreturn]] void fail_without_memory(int root)
{
    fail(FMPL_ERR_MEMORY,
        "the root, rank {}, has no remote-DMA memory left for its broadcast; give the ranks larger arenas with "
        "FMPL_ARENA_SIZE",
        root);
}

void check_agreement(const Meeting& m, int came_from, int root, std::size_t total, std::size_t bytes)
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
    if (came_from != root) {
        fail(FMPL_ERR_MISMATCH, "rank {} broadcasts as root, this rank names rank {}; give the same root on all ranks",
            came_from, root);
    }
}

}  // namespace

void receive_broadcast(Meeting& m, const IncomingBroadcast& in, int root)
{
    const Crossbar& crossbar = m.node().crossbar;
    const WaitFor what = m.waiting_for(root == m.rank() ? -1 : root, in.bytes);
    Offer offer(m, in, root);
    std::size_t total = 0;
    std::size_t done = 0;
    int came_from = root;
    do {
        const std::uint64_t use = m.broadcasts.uses++;
        BroadcastSlot& slot = await_root(m, use, what);
        total = slot.total_bytes;
        came_from = static_cast<int>(slot.root);
        if (total == kBroadcastFailed) {
            offer.withdraw();
            leave(m, slot, use);
            fail_without_memory(came_from);
        }
        const bool in_pieces = slot.manner == BroadcastManner::in_pieces;
        const std::size_t piece = in_pieces ? std::min(kBroadcastBufferBytes, total - done) : total;
        const std::byte* const from = slot.at == kNoOffset
                                          ? reinterpret_cast<const std::byte*>(slot.payload)
                                          : crossbar.mapped(m.members()[static_cast<std::size_t>(came_from)], slot.at);
        const bool is_wanted = root != m.rank() && total == in.bytes && piece > 0;
        if (!offer.serves(slot, use, from) && is_wanted) {
            crossbar.map_pages(from, piece);
            in.copy_in(done, piece, from);
        }
        done += piece;
        leave(m, slot, use);
    } while (done < total);
    // A difference is reported when all pieces are through, so that the next broadcast begins in step.
    check_agreement(m, came_from, root, total, in.bytes);
}

}  // namespace fmpl
