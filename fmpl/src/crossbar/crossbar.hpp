// The emulated crossbar as one node sees it: remote write, write then flag, remote read, atomic exchange, wake-up.
//
// Protocol code is written against these operations. An engine *maps* the memory of a peer, and an operation is then
// loads and stores after one branch, or it *moves* the bytes itself (a network would). Protocols poll words in their
// own node's arena only, so that they are correct for both. What each operation orders:
//
//   write        no order among the writes of one origin to one target, but see write_flag
//   write_flag   a release: visible to the target after all earlier writes of this origin to this target; pairs with
//                the target's acquire load of the flag
//   read         complete when it returns; ordered after the acquire load that made its source known
//   exchange     atomic against every other exchange of the word, and acquire and release
//
// A Crossbar belongs to one rank; one thread at a time uses it. Rank r sits on node r.
#pragma once

#include "crossbar/control_block.hpp"
#include "crossbar/copy_across.hpp"
#include "crossbar/cycle_clock.hpp"
#include "crossbar/job_memory.hpp"
#include "crossbar/peer_pages.hpp"
#include "crossbar/topology.hpp"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

namespace fmpl {

// The hardware forms of collectives that a set of nodes may use, as the machine profile says.
struct HardwareSupport {
    bool barrier = false;
    bool broadcast = false;
    bool reduce = false;
    bool any_source_buffer = false;  // a broadcast may start from the user's buffer (offsets need not be equal)
    bool serialized = false;         // one hardware broadcast at a time in the whole job
    const char* reason = "";         // why something is missing, for fmpl_info
};

class Crossbar {
public:
    Crossbar(std::shared_ptr<JobMemory> memory, int node);

    int node() const { return node_; }
    int nodes() const { return nodes_; }
    const Topology& topology() const { return topology_; }
    ControlBlock& control() const { return *control_; }
    NodeRecord& record(int node) const { return control_->nodes[node]; }
    JobMemory& memory() const { return *memory_; }

    // Whether this engine maps the peer's memory.
    bool maps(int node) const { return mapped_ || node == node_; }

    // The peer's memory at an offset, or nullptr when the engine does not map it.
    std::byte* mapped(int node, Offset at) const { return maps(node) ? base_ + at : nullptr; }
    // This node's own memory at an offset.
    std::byte* local(Offset at) const { return base_ + at; }

    // Whether all of [p, p + bytes) lies in this node's arena, and its offset then.
    bool contains(const void* p, std::size_t bytes) const
    {
        const auto begin = reinterpret_cast<std::uintptr_t>(p) - arena_begin_;
        return begin < arena_bytes_ && bytes <= arena_bytes_ - begin;
    }
    Offset offset_of(const void* p) const { return static_cast<Offset>(static_cast<const std::byte*>(p) - base_); }

    // The peer's memory at an offset that somebody else has named: nullptr also where not all of it lies in its arena.
    std::byte* room(int node, Offset at, std::size_t bytes) const
    {
        const Offset arena = memory().arena_offset(node);
        const std::size_t arena_bytes = control().arena_bytes;
        if (at < arena || at - arena > arena_bytes || bytes > arena_bytes - (at - arena)) return nullptr;
        return mapped(node, at);
    }

    // Before a copy to or from what mapped() gave: maps the pages of a long one, all at once. Does nothing about
    // other memory.
    void map_pages(const std::byte* at, std::size_t bytes) const
    {
        if (bytes >= PeerPages::kLeastBytes && !contains(at, bytes)) peer_pages_->map(at, bytes);
    }

    void write(int node, Offset to, const void* from, std::size_t bytes) const
    {
        if (maps(node)) [[likely]] {
            map_pages(base_ + to, bytes);
            copy_across(base_ + to, from, bytes);
        } else {
            move_write(node, to, from, bytes);
        }
    }

    // A few words, each written whole: for headers that the target may look at while they change.
    void write_words(int node, Offset to, std::span<const std::uint64_t> words) const
    {
        if (!maps(node)) check_move(node, to, words.size_bytes());
        for (std::size_t i = 0; i < words.size(); ++i) {
            word(to + i * sizeof(std::uint64_t)).store(words[i], std::memory_order_relaxed);  // published by a flag
        }
    }

    void write_flag(int node, Offset flag, std::uint64_t value) const
    {
        if (maps(node)) [[likely]] {
            word(flag).store(value, std::memory_order_release);  // pairs with the acquire load of the polling node
        } else {
            move_flag(node, flag, value);
        }
    }

    void read(int node, Offset from, void* to, std::size_t bytes) const
    {
        if (maps(node)) [[likely]] {
            map_pages(base_ + from, bytes);
            copy_from_across(to, base_ + from, bytes);
        } else {
            move_read(node, from, to, bytes);
        }
    }

    // Reads one flag word that the node writes itself; an acquire load.
    std::uint64_t read_flag(int node, Offset flag) const
    {
        if (!maps(node)) check_move(node, flag, sizeof(std::uint64_t));
        return word(flag).load(std::memory_order_acquire);  // pairs with the node's release store
    }

    // The word's value before.
    std::uint64_t exchange(int node, Offset at, std::uint64_t value) const;

    // Wakes the node if it sleeps in Waiter. Called after the flag that ends its wait has been written. Costs one load
    // of a line that rarely changes: the sleeper's membarrier orders the flag before this load (see Waiter).
    void wake(int node) const
    {
        if (news_ != nullptr) news_[node].at.store(read_clock(clock_), std::memory_order_relaxed);
        wake_only(node);
    }
    // For collective calls, which are not noted (note_news): a broadcast of 8 B would take a quarter longer, and a
    // member that combines operands is best left where they are.
    void wake_only(int node) const
    {
        if (node != node_) asked_ = node;
        order_before_wake();
        ring_if_asleep(node);
    }
    // This node may be among them, of two it is.
    void wake_only(std::span<const int> nodes) const
    {
        asked_ = nodes.size() == 2 ? nodes[0] + nodes[1] - node_ : -1;
        order_before_wake();
        for (const int node : nodes) ring_if_asleep(node);
    }
    // Between the flag and a load of one's own that tells whether anybody is to be woken, as in wake(): what a waiting
    // node wrote before it went to sleep, or the flag, is seen by the other one.
    void order_before_wake() const
    {
        if (asymmetric_fence_) [[likely]] {
            std::atomic_signal_fence(std::memory_order_seq_cst);
        } else {
            std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the fence in Waiter::sleep
        }
    }
    bool asymmetric_fence() const { return asymmetric_fence_; }

    // What a communicator on these nodes may use.
    HardwareSupport hardware_support(std::span<const int> nodes) const;

    // A colour of the hardware barrier for a communicator, or -1 when all eight are taken; and back.
    int allocate_colour() const;
    void free_colour(int colour) const;

    // Whether this rank has woken nobody since it woke that node: what it waits for from there is an answer then. True
    // once for each time. Waking several at once asks nobody; waking itself and another asks that one.
    bool take_question(int node) const
    {
        if (asked_ != node || node < 0) return false;
        asked_ = -1;
        return true;
    }
    // From now on each wake() is noted there, too, by rank.
    void note_news(NewsOfRank* news, ClockKind clock)
    {
        news_ = news;
        clock_ = clock;
    }

private:
    std::atomic<std::uint64_t>& word(Offset at) const
    {
        return *reinterpret_cast<std::atomic<std::uint64_t>*>(base_ + at);
    }
    void ring_if_asleep(int node) const
    {
        if (control_->nodes[node].sleeping.load(std::memory_order_relaxed) != 0) [[unlikely]]
            ring(node);
    }
    void ring(int node) const;
    void move_write(int node, Offset to, const void* from, std::size_t bytes) const;
    void move_flag(int node, Offset flag, std::uint64_t value) const;
    void move_read(int node, Offset from, void* to, std::size_t bytes) const;
    void check_move(int node, Offset at, std::size_t bytes) const;

    std::byte* base_;
    ControlBlock* control_;
    NewsOfRank* news_ = nullptr;
    mutable int asked_ = -1;  // see take_question()
    ClockKind clock_ = ClockKind::monotonic;
    std::uintptr_t arena_begin_;
    std::size_t arena_bytes_;
    int node_;
    int nodes_;
    bool mapped_;
    bool asymmetric_fence_;
    Topology topology_;
    std::shared_ptr<JobMemory> memory_;
    std::unique_ptr<PeerPages> peer_pages_;
};

// Tells the kernel that this process takes part in asymmetric fences; false where it cannot.
bool register_asymmetric_fence();

}  // namespace fmpl
