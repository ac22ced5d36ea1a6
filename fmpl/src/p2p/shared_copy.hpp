// A message that both of its ranks copy at once, chunk by chunk: the source takes chunks from the front, the
// destination from the back, until they meet. So each core touches the same part of a buffer that is used again and
// again, and whichever is alone or faster does more; the source or the destination alone does it all.
//
// Two words of the message's HeadBody hold the state; both ranks map it. `work`: chunks taken from the front (low half)
// and from the back (high half). `done`: chunks copied. The words are read and written again only for the next message
// of the channel, which the source begins when this one has been consumed; so a rank that looks at them late finds
// nothing left to take.
#pragma once

#include "p2p/records.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fmpl {

// From this size on, between buffers in remote-DMA memory: below, one rank has copied it before the other has taken
// part.
inline constexpr std::size_t kSharedBytes = 64 * 1024;
// The same when a buffer is private: below, the pipe is as fast as the kernel's calls.
inline constexpr std::size_t kSharedPrivateBytes = 4 * 1024;

class SharedCopy {
public:
    // Values of HeadBody::work. Until a rank opens the copy there is nothing to take; who opens it has taken its first
    // chunk already.
    static constexpr std::uint64_t kClosed = std::uint64_t{1} << 30;
    static constexpr std::uint64_t kOpenedInFront = 1;
    static constexpr std::uint64_t kOpenedBehind = std::uint64_t{1} << 32;

    // least_chunk: the same on both sides. The default suits copies by the kernel, whose calls cost a microsecond.
    SharedCopy(HeadBody& body, std::size_t bytes, std::size_t least_chunk = 16 * 1024)
        : work_(body.work),
          done_(body.done),
          bytes_(bytes),
          chunk_(chunk_bytes(bytes, least_chunk)),
          chunks_((bytes + chunk_ - 1) / chunk_)
    {
    }

    // Opens the copy from behind. The message's addresses have been published before, or are by what follows.
    void open_behind() { work_.store(kOpenedBehind, std::memory_order_release); }  // pairs with take()

    // Calls copy(begin, bytes) for chunk after chunk until none is left to take. opened: by this side, just now.
    // Whether this call has copied the last of all chunks, so that the other side, which may be waiting for it, must be
    // woken.
    template <class Copy>
    bool copy_from_front(Copy&& copy, bool opened)
    {
        bool last = opened && copy_one(copy, 0);
        for (std::uint64_t chunk = 0; take(kFromFront, chunk);) last = copy_one(copy, chunk) || last;
        return last;
    }
    template <class Copy>
    bool copy_from_back(Copy&& copy, bool opened)
    {
        bool last = opened && copy_one(copy, chunks_ - 1);
        for (std::uint64_t chunk = 0; take(kFromBack, chunk);) last = copy_one(copy, chunks_ - 1 - chunk) || last;
        return last;
    }

    bool done() const { return done_.load(std::memory_order_acquire) == chunks_; }  // pairs with copy_one

private:
    // Two chunks of a short message, eight of a longer one; none so small that taking it weighs.
    static constexpr std::size_t chunk_bytes(std::size_t bytes, std::size_t least)
    {
        const std::size_t half = std::clamp<std::size_t>((bytes + 1) / 2, least, 32 * 1024);
        return std::clamp<std::size_t>(bytes / 8, half, 256 * 1024) / kLine * kLine;
    }

    static constexpr std::uint64_t kFromFront = 1;
    static constexpr std::uint64_t kFromBack = std::uint64_t{1} << 32;

    bool is_left(std::uint64_t work) const { return (work & 0xffff'ffff) + (work >> 32) < chunks_; }

    // One more chunk for this side: its place, counted from this side's end.
    bool take(std::uint64_t side, std::uint64_t& place)
    {
        if (!is_left(work_.load(std::memory_order_acquire))) return false;              // pairs with open_behind
        const std::uint64_t before = work_.fetch_add(side, std::memory_order_acq_rel);  // likewise
        place = side == kFromFront ? before & 0xffff'ffff : before >> 32;
        return is_left(before);
    }

    template <class Copy>
    bool copy_one(Copy& copy, std::uint64_t chunk)
    {
        const std::size_t begin = chunk * chunk_;
        copy(begin, std::min(chunk_, bytes_ - begin));
        // acq_rel: who sees all chunks done sees what both sides wrote, and the buffers are free for their owners
        return done_.fetch_add(1, std::memory_order_acq_rel) + 1 == chunks_;
    }

    std::atomic_ref<std::uint64_t> work_;
    std::atomic_ref<std::uint64_t> done_;
    std::size_t bytes_;
    std::size_t chunk_;
    std::uint64_t chunks_;
};

}  // namespace fmpl
