#include "crossbar/crossbar.hpp"

#include "crossbar/futex.hpp"
#include "error.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fmpl {

bool register_asymmetric_fence()
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

Crossbar::Crossbar(std::shared_ptr<JobMemory> memory, int node)
    : base_(memory->base()),
      control_(&memory->control()),
      arena_begin_(reinterpret_cast<std::uintptr_t>(memory->arena(node).data())),
      arena_bytes_(memory->arena(node).size()),
      node_(node),
      nodes_(memory->ranks()),
      mapped_(control_->engine == EngineKind::shm),
      asymmetric_fence_(register_asymmetric_fence()),
      topology_({static_cast<int>(control_->shape[0]), static_cast<int>(control_->shape[1]),
          static_cast<int>(control_->shape[2])}),
      memory_(std::move(memory)),
      peer_pages_(std::make_unique<PeerPages>(base_, memory_->bytes()))
{
}

std::uint64_t Crossbar::exchange(int node, Offset at, std::uint64_t value) const
{
    if (!maps(node)) check_move(node, at, sizeof value);
    return word(at).exchange(value, std::memory_order_acq_rel);  // pairs with the other side's exchange
}

void Crossbar::ring(int node) const
{
    std::atomic<std::uint32_t>& doorbell = control_->nodes[node].doorbell;
    doorbell.fetch_add(1, std::memory_order_release);  // pairs with the acquire load in Waiter::sleep
    control_->nodes[node].waits_long.store(0, std::memory_order_relaxed);
    futex_wake(doorbell, 1);
}

// The moving engine: here it stands for a network in tests, so that no protocol comes to rely on addressing its peer.
// It reaches the same memory, by calls that know only node and offset and that refuse to leave the peer's arena and
// tables.

void Crossbar::check_move(int node, Offset at, std::size_t bytes) const
{
    const auto lies_in = [&](Offset first, std::size_t room) {
        return at >= first && bytes <= room && at - first <= room - bytes;
    };
    if (node < 0 || node >= nodes_ ||
        (!lies_in(memory_->arena_offset(node), memory_->constants().arena_bytes) &&
            !lies_in(memory_->tables_offset(node), memory_->tables_bytes(node)))) {
        fail(FMPL_ERR_INTERNAL, "remote access of {} bytes at offset {} leaves the arena of node {}", bytes, at, node);
    }
}

void Crossbar::move_write(int node, Offset to, const void* from, std::size_t bytes) const
{
    check_move(node, to, bytes);
    std::memcpy(base_ + to, from, bytes);
}

void Crossbar::move_flag(int node, Offset flag, std::uint64_t value) const
{
    check_move(node, flag, sizeof value);
    word(flag).store(value, std::memory_order_release);  // pairs with the acquire load of the polling node
}

void Crossbar::move_read(int node, Offset from, void* to, std::size_t bytes) const
{
    check_move(node, from, bytes);
    std::memcpy(to, base_ + from, bytes);
}

HardwareSupport Crossbar::hardware_support(std::span<const int> nodes) const
{
    HardwareSupport support;
    if (!mapped_) {
        support.reason = "the engine does not map the peers' memory";
        return support;
    }
    if (control_->profile == Profile::host) {
        support.barrier = support.broadcast = support.reduce = support.any_source_buffer = true;
        return support;
    }
    // Paper, section 3.2. That the nodes are distinct holds by construction: one rank sits on each.
    support.serialized = true;
    if (control_->partition_exclusive == 0 || control_->partition_global == 0) {
        support.reason = "the partition is not both exclusive and global";
    } else if (!topology_.is_rectangle(nodes)) {
        support.reason = "the nodes do not form a rectangle of the crossbar";
    } else {
        support.barrier = support.broadcast = true;
        support.reason = "the sr8000 profile has no hardware reduction";
    }
    return support;
}

int Crossbar::allocate_colour() const
{
    std::uint32_t used = control_->colours_in_use.load(std::memory_order_relaxed);
    for (;;) {
        int colour = 0;
        while (colour < kBarrierColours && (used >> colour & 1u) != 0) ++colour;
        if (colour == kBarrierColours) return -1;
        // acquire: pairs with the release in free_colour, so that the previous users' last barrier is over.
        if (control_->colours_in_use.compare_exchange_weak(
                used, used | 1u << colour, std::memory_order_acquire, std::memory_order_relaxed)) {
            return colour;
        }
    }
}

void Crossbar::free_colour(int colour) const
{
    control_->colours_in_use.fetch_and(~(1u << colour), std::memory_order_release);  // pairs with allocate_colour
}

}  // namespace fmpl
