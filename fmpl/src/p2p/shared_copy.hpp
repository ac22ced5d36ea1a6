// A message that both of its ranks copy at once, chunk by chunk: the lower of the two takes chunks from the front, the
// other from the back, until they meet. So each core touches the same part of a buffer that is used again and again,
// in whichever direction (docs/decisions/0005-both-sides-copy.md), and whichever is alone or faster does more; the
// source or the destination alone does it all.
//
// Two words of the message's HeadBody hold the state; both ranks map it. `work`: chunks taken from the front (low half)
// and from the back (high half). `done`: chunks copied, or passed on (api/calls/joint_copy.cpp). The words are written
// again only for the next message, when this one has been consumed; so a rank that looks at them late finds nothing
// left to take. In a broadcast, where the next source may be the other rank, they are written again when that is known
// to have left the call (BroadcastState::left).
#pragma once

#include "p2p/records.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fmpl {

class SharedCopy {
public:
    // Where a side takes its chunks.
    enum class End { front, back };
    static constexpr End end_of(int node, int other) { return node < other ? End::front : End::back; }

    // Values of HeadBody::work. Until a rank opens the copy there is nothing to take; who opens it has taken its first
    // chunk already, but by open_for_any().
    static constexpr std::uint64_t kClosed = std::uint64_t{1} << 30;
    // Of one that either side may take for itself, once: the one opens it, or the other withdraws it.
    static constexpr std::uint64_t kOpening = kClosed + 1;
    static constexpr std::uint64_t kWithdrawn = kClosed + 2;
    static bool take_closed(HeadBody& body, std::uint64_t for_what)
    {
        std::uint64_t expected = kClosed;
        return std::atomic_ref(body.work).compare_exchange_strong(  // acq_rel: pairs with the same by the other side
            expected, for_what, std::memory_order_acq_rel, std::memory_order_acquire);
    }
    static bool is_open(std::uint64_t work) { return (work & kFrontMask) < kClosed; }
    static constexpr std::uint64_t opened_at(End end) { return end == End::front ? kOneInFront : kOneBehind; }

    // least_chunk: the same on both sides. The default suits copies by the kernel, whose calls cost a microsecond.
    SharedCopy(HeadBody& body, std::size_t bytes, End mine, std::size_t least_chunk = 16 * 1024)
        : SharedCopy(body, bytes, mine, Chunk{chunk_bytes(bytes, least_chunk)})
    {
    }
    // In chunks of so many bytes, a multiple of a line, the same on both sides.
    struct Chunk {
        std::size_t bytes;
    };
    SharedCopy(HeadBody& body, std::size_t bytes, End mine, Chunk chunk)
        : work_(body.work),
          done_(body.done),
          bytes_(bytes),
          mine_(mine),
          chunk_(chunk.bytes),
          chunks_((bytes + chunk_ - 1) / chunk_)
    {
    }

    // Opens the copy at this side's end. The message's addresses have been published before, or are by what follows.
    void open() { work_.store(opened_at(mine_), std::memory_order_release); }  // pairs with take()
    // The same, with nothing taken.
    void open_for_any()
    {
        done_.store(0, std::memory_order_relaxed);
        work_.store(0, std::memory_order_release);  // pairs with take()
    }
    // The same, with the other side's first chunk kept for it: it waits for this moment, and is to find work. It has
    // to be woken, since the copy does not end without it. Nothing has been copied of the message that the words are
    // for.
    void open_for_both()
    {
        done_.store(0, std::memory_order_relaxed);  // before the other side learns of the message
        work_.store(chunks_ > 1 ? kOneInFront + kOneBehind : opened_at(mine_), std::memory_order_release);  // likewise
    }
    // Whether open_for_both() by the other side has kept a chunk for this one.
    bool has_kept_chunk() const { return chunks_ > 1; }

    // Calls copy(begin, bytes) for chunk after chunk until none is left to take. has_one: this side's first is taken
    // already, since it has just opened the copy, or since it was kept. Whether this call has copied the last of all
    // chunks, so that the other side, which may be waiting for it, must be woken.
    template <class Copy>
    bool copy(Copy&& copy, bool has_one)
    {
        bool last = has_one && copy_one(copy, 0);
        for (std::uint64_t place = 0; take(place);) last = copy_one(copy, place) || last;
        return last;
    }

    // The same for all that is left, in one piece: where the other side has something else to do, and a piece more is a
    // call of the kernel more.
    template <class Copy>
    bool copy_rest(Copy&& copy)
    {
        std::uint64_t before = work_.load(std::memory_order_acquire);  // pairs with open()
        std::uint64_t rest;
        do {
            if (!is_left(before)) return false;
            rest = chunks_ - taken(before);
        } while (!work_.compare_exchange_weak(  // likewise
            before, before + rest * opened_at(mine_), std::memory_order_acq_rel, std::memory_order_acquire));
        // Between what was taken from the front and what from the back, whichever end is this side's.
        const std::size_t begin = (before & kFrontMask) * chunk_;
        copy(begin, std::min(rest * chunk_, bytes_ - begin));
        return done_.fetch_add(rest, std::memory_order_acq_rel) + rest == chunks_;  // as in copy_one
    }

    // For who passes a chunk on: the next one that nobody has taken. false: there is none.
    bool claim(std::size_t& begin, std::size_t& bytes)
    {
        std::uint64_t place;
        if (!take(place)) return false;
        begin = begin_of(place);
        bytes = std::min(chunk_, bytes_ - begin);
        return true;
    }
    bool is_any_left() const { return is_left(work_.load(std::memory_order_relaxed)); }
    // It counts as copied.
    void count_done() { done_.fetch_add(1, std::memory_order_acq_rel); }  // as in copy_one

    bool done() const { return done_.load(std::memory_order_acquire) == chunks_; }  // pairs with copy_one

private:
    // Two chunks of a short message, eight of a longer one; none so small that taking it weighs.
    static constexpr std::size_t chunk_bytes(std::size_t bytes, std::size_t least)
    {
        const std::size_t half = std::clamp<std::size_t>((bytes + 1) / 2, least, 32 * 1024);
        return (std::clamp<std::size_t>(bytes / 8, half, 256 * 1024) + kLine - 1) / kLine * kLine;
    }

    static constexpr std::uint64_t kOneInFront = 1;
    static constexpr std::uint64_t kOneBehind = std::uint64_t{1} << 32;
    static constexpr std::uint64_t kFrontMask = kOneBehind - 1;

    static constexpr std::uint64_t taken(std::uint64_t work) { return (work & kFrontMask) + (work >> 32); }
    bool is_left(std::uint64_t work) const { return taken(work) < chunks_; }

    // One more chunk for this side: its place, counted from this side's end.
    bool take(std::uint64_t& place)
    {
        if (!is_left(work_.load(std::memory_order_acquire))) return false;                          // pairs with open()
        const std::uint64_t before = work_.fetch_add(opened_at(mine_), std::memory_order_acq_rel);  // likewise
        place = mine_ == End::front ? before & kFrontMask : before >> 32;
        return is_left(before);
    }

    // Where the chunk of this place is in the message.
    std::size_t begin_of(std::uint64_t place) const
    {
        return (mine_ == End::front ? place : chunks_ - 1 - place) * chunk_;
    }

    template <class Copy>
    bool copy_one(Copy& copy, std::uint64_t place)
    {
        const std::size_t begin = begin_of(place);
        copy(begin, std::min(chunk_, bytes_ - begin));
        // acq_rel: pairs with done() and with the other side here. Who sees all chunks done sees what both sides wrote,
        // and the buffers are free for their owners.
        return done_.fetch_add(1, std::memory_order_acq_rel) + 1 == chunks_;
    }

    std::atomic_ref<std::uint64_t> work_;
    std::atomic_ref<std::uint64_t> done_;
    std::size_t bytes_;
    End mine_;
    std::size_t chunk_;
    std::uint64_t chunks_;
};

}  // namespace fmpl
