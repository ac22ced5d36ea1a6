// What all protocols of one rank share: its crossbar, its way of waiting, its arena, and the transfers under way.
#pragma once

#include "crossbar/cpu_lending.hpp"
#include "crossbar/crossbar.hpp"
#include "crossbar/private_memory.hpp"
#include "crossbar/time_slice.hpp"
#include "crossbar/waiter.hpp"
#include "p2p/arena_allocator.hpp"
#include "p2p/table_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl {

// A transfer that needs this rank to go on while it waits for something else.
class Progressing {
public:
    virtual ~Progressing() = default;
    virtual void progress() = 0;

private:
    friend class Node;
    std::size_t place_ = 0;  // in the list of idle transfers
};

// A transfer that a call of Owner's is about: the owner goes on with it.
template <class Owner, class Transfer>
struct TransferOf final : Transfer {
    void progress() override { owner->progress(*this); }

    Owner* owner = nullptr;
};

// A private buffer travels through such a ring of pieces in the sender's arena (message kind piped): large enough that
// a piece's copy outweighs its two flags, small enough that the ring stays in a core's second-level cache.
inline constexpr std::size_t kPieceBytes = 32 * 1024;
inline constexpr std::size_t kRingPieces = 4;
inline constexpr std::size_t kRingBytes = kPieceBytes * kRingPieces;

class Node {
public:
    // one_process: as of PrivateMemory; shared_thread: as of Waiter.
    Node(std::shared_ptr<JobMemory> memory, int rank, bool one_process, WaitingPolicy policy,
        SharedThread* shared_thread = nullptr)
        : crossbar(memory, rank),
          private_memory(crossbar, one_process),
          lending(crossbar, private_memory),
          waiter(crossbar, policy, shared_thread, &lending),
          slice(shared_thread == nullptr),
          arena(memory.get(), memory->arena_offset(rank) + memory->arena_margin(rank),
              memory->arena(rank).size() - memory->arena_margin(rank)),
          tables(*memory, rank)
    {
        rings_.push_back(arena.allocate(kRingBytes));  // one beforehand, so that a send can always begin
    }
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    // Waits as Waiter::wait does, while the transfers under way go on.
    template <class Ready>
    bool wait(Ready&& ready, const WaitFor& what)
    {
        return wait(ready, what, [] {});
    }
    // yielding(): called when the rank is about to leave the CPU.
    template <class Ready, class Yielding>
    bool wait(Ready&& ready, const WaitFor& what, Yielding&& yielding)
    {
        std::uint32_t looks = 0;
        return waiter.spin(
                   [&] {
                       if (!busy_.empty()) [[unlikely]]
                           progress(busy_);
                       return ready();
                   },
                   what) ||
               waiter.yield_or_sleep(
                   [&] {
                       if (slice.is_set()) [[unlikely]]
                           slice.restore();  // it has counted
                       progress();
                       // Last, so that it sees what has come to an end: the wait may sleep without another look.
                       if (layer_ != nullptr && layer_is_due(++looks)) layer_->progress();
                       if (ready()) return true;
                       yielding();
                       return false;
                   },
                   what);
    }

    void progress()
    {
        progress(busy_);
        progress(idle_);
    }

    // For a call that is no wait, but may be made again and again until something has happened: the transfers that
    // need this rank go on, and the end of the job is seen (Error(ABORTED)). Not within a callback: the wait around
    // it does both. The ranks that share this one's CPU or thread run, too.
    void progress_in_passing()
    {
        if (in_callback) return;
        waiter.give_way();
        if (++passes_ % kPassesBetweenLooks == 0) {
            waiter.check_abort();
            progress();
        } else {
            progress(busy_);
        }
    }

    // Whether progress_in_passing() would do nothing now; then it has been called.
    bool passes_by()
    {
        if (in_callback || has_busy() || (passes_ + 1) % kPassesBetweenLooks == 0 || !waiter.keeps_cpu()) return false;
        ++passes_;
        return true;
    }

    // A transfer that needs this rank again and again (busy), or only seldom: that one is looked at when a wait is
    // long, so that thousands of posted receives cost a short wait nothing.
    bool has_busy() const { return !busy_.empty(); }
    void add_busy(Progressing& transfer) { busy_.push_back(&transfer); }
    void add_idle(Progressing& transfer)
    {
        transfer.place_ = idle_.size();
        idle_.push_back(&transfer);
    }
    void remove_busy(Progressing& transfer) { std::erase(busy_, &transfer); }
    void remove_idle(Progressing& transfer)
    {
        idle_.back()->place_ = transfer.place_;
        idle_[transfer.place_] = idle_.back();
        idle_.pop_back();
    }

    // What a layer above wants to be called by long waits; nullptr: nothing.
    void set_layer(Progressing* layer) { layer_ = layer; }

    // A ring for a piped message, or kNoOffset when there is no memory for one more; and back.
    Offset take_ring()
    {
        if (rings_.empty()) return arena.try_allocate(kRingBytes);
        const Offset ring = rings_.back();
        rings_.pop_back();
        return ring;
    }
    void return_ring(Offset ring)
    {
        rings_.push_back(ring);
        crossbar.wake(rank());  // another transfer of this rank, looked at before, may have missed a ring
    }

    int rank() const { return crossbar.node(); }

    // Then a rank that waits for a message helps to copy it. With fewer CPUs than ranks it would take the CPU from
    // others, and a chunk of a rank that is not running would hold the message up.
    bool each_has_a_cpu() const { return waiter.policy().cpus_suffice; }

    Crossbar crossbar;
    PrivateMemory private_memory;
    CpuLending lending;
    Waiter waiter;
    TimeSlice slice;
    ArenaAllocator arena;
    TableMemory tables;

    // The call that the rank is in, for "what is it blocked in".
    Call call = Call::none;
    // A function of the layer above runs, called from within FMPL: see p2p/layer_calls.hpp.
    bool in_callback = false;
    // The rank is in a wait of the layer's own, whose condition does what Progressing of the layer would.
    bool in_layers_wait = false;

private:
    static constexpr std::uint32_t kPassesBetweenLooks = 64;
    // Of one wait; and of all other looks, so that many short waits do not starve the layer.
    static constexpr std::uint32_t kLooksBetweenLayers = 4;
    static constexpr std::uint32_t kOtherLooksBetweenLayers = 64;

    // The layer's function looks at what every rank has sent: where many ranks share CPUs, and so wait by many looks,
    // at each of them it would cost more than what is waited for, and most of all in the first look of a barrier,
    // after which the rank goes on. But the last look before a sleep misses nothing. looks: of this wait.
    bool layer_is_due(std::uint32_t looks)
    {
        return looks % kLooksBetweenLayers == 0 || ++looks_ % kOtherLooksBetweenLayers == 0 ||
               crossbar.record(rank()).sleeping.load(std::memory_order_relaxed) != 0;
    }
    static void progress(std::vector<Progressing*>& transfers)
    {
        // By index: a step may end a transfer, which then leaves its list.
        for (std::size_t i = transfers.size(); i-- > 0;) {
            if (i < transfers.size()) transfers[i]->progress();
        }
    }

    std::vector<Progressing*> busy_;
    std::vector<Progressing*> idle_;
    std::vector<Offset> rings_;
    Progressing* layer_ = nullptr;
    std::uint32_t passes_ = 0;
    std::uint32_t looks_ = 0;
};

}  // namespace fmpl
