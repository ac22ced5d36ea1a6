// A whole broadcast: read from the root's own buffer by all receivers at once, by the kernel if that is private; the
// root waits until they have. It helps while it waits for a single receiver (both.hpp), and where ranks share CPUs it
// copies for those that wait (partitioned.hpp). A broadcast of private memory may begin in pieces, until all
// receivers have told that they reach it (Meeting::tell_reach).
//
// Cost with p ranks and n bytes: one flag latency + n / copy bandwidth, whatever p; where c CPUs are shared
// (p - 1) n / c / copy bandwidth.
#include "coll/bcast/both.hpp"
#include "coll/bcast/choose.hpp"
#include "coll/bcast/partitioned.hpp"
#include "coll/bcast/publish.hpp"

#include <algorithm>

namespace fmpl {
namespace {

// Where ranks share CPUs, a root waits until all have left the broadcast so many before its own, if that is read from
// its own buffer: a rank then finds in the cache what the one before it on that CPU has read. 16 ranks on two CPUs, 64
// KiB when that was read so, roots in turn: 64 before 24 us, 8 22 us, 4 21 us.
constexpr std::size_t kWholeAhead = 4;

// The only receiver has read the root's buffer, with the root's help if it wants that.
void await_receiver(Meeting& m, std::uint64_t use, const OutgoingBroadcast& out, const WaitFor& what)
{
    const bool may_help = may_be_copied_by_both(m, out.bytes);
    bool has_helped = false;
    m.node().wait(
        [&] {
            if (may_help && !has_helped) has_helped = help_to_receive(m, use, out.buffer, out.bytes);
            // Nobody reads the buffer any more, though the receiver may not have left yet.
            BroadcastSlot& slot = slot_of(m, use);
            if (has_helped && shared_copy(m, slot, slot.shared.at, out.bytes).done()) return true;
            return all_have_left(m, use + 1);
        },
        what);
}

void await_receivers(
    Meeting& m, std::uint64_t use, const OutgoingBroadcast& out, BroadcastManner manner, const WaitFor& what)
{
    const auto receivers = static_cast<std::uint64_t>(m.size() - 1);
    const BroadcastSlot& slot = slot_of(m, use);
    m.node().wait(
        [&] {
            if (manner == BroadcastManner::partitioned) copy_for_all(m, use, {m.rank(), slot.at, out.bytes});
            return slot.taken.load(std::memory_order_acquire) == receivers;  // pairs with receive_broadcast()
        },
        what);
}

}  // namespace

void send_whole(Meeting& m, const OutgoingBroadcast& out, std::size_t sent)
{
    const bool all = sent == 0;  // nobody waits for a rest
    const BroadcastManner manner = all ? choose_whole_manner(m, out) : BroadcastManner::whole;
    const WaitFor what = m.waiting_for(-1, out.bytes);
    const bool is_one_receiver = m.size() == 2;
    const std::uint64_t use = begin_use(m, m.node().each_has_a_cpu() ? kBroadcastSlots : kWholeAhead, what);
    m.broadcasts.own = use + 1;
    publish(m, use, sent == 0, out.bytes, what, [&](BroadcastSlot& slot) {
        slot.total_bytes = out.bytes;
        slot.manner = manner;
        slot.at = m.place_of(out.buffer, out.bytes) + sent;
        if (!is_one_receiver) slot.taken.store(0, std::memory_order_relaxed);
    });
    is_one_receiver ? await_receiver(m, use, out, what) : await_receivers(m, use, out, manner, what);
    // All have come to this use.
    m.broadcasts.left = std::max(m.broadcasts.left, use);
    leave_broadcast(m, use);
}

}  // namespace fmpl
