// Blocks of one range of remote-DMA memory: the rank's arena, or a send buffer within it.
//
// All bookkeeping is in private memory, so that a stray write by any rank cannot break it; its nodes are recycled, so
// that taking and freeing blocks of the send buffer again and again calls no malloc. Best fit, neighbours merged;
// O(log blocks). Memory of an arena is backed before it is handed out, and stays with the arena until the job ends.
// Used by one thread at a time. Not for hot paths: protocols take their blocks beforehand.
#pragma once

#include "crossbar/job_memory.hpp"

#include <cstddef>
#include <map>
#include <memory_resource>
#include <set>
#include <utility>

namespace fmpl {

class ArenaAllocator {
public:
    static constexpr std::size_t kAlignment = 64;
    // Blocks of an arena from this size on begin with a page.
    static constexpr std::size_t kPageAlignedFrom = 4096;

    // The range [begin, begin + bytes) of the job's memory. memory != nullptr: back pages as needed; nullptr: the range
    // is backed already.
    ArenaAllocator(const JobMemory* memory, Offset begin, std::size_t bytes);
    ArenaAllocator(const ArenaAllocator&) = delete;
    ArenaAllocator& operator=(const ArenaAllocator&) = delete;

    // Offset of a block of at least `bytes`, aligned to kAlignment (in an arena to 4096 from kPageAlignedFrom on).
    // Throws Error(MEMORY).
    Offset allocate(std::size_t bytes);
    // The same, or kNoOffset when the range has no room or the memory is short.
    Offset try_allocate(std::size_t bytes);

    // false when no block begins there.
    bool free(Offset at);

    // Size of the block that begins at `at`, 0 when none does.
    std::size_t block_bytes(Offset at) const;
    // Size from `at` to the end of the block that contains it, 0 when none does.
    std::size_t bytes_from(Offset at) const;

    std::size_t bytes() const { return bytes_; }
    std::size_t used_bytes() const { return used_bytes_; }
    std::size_t blocks() const { return used_.size(); }

private:
    void insert_free(Offset at, std::size_t bytes);
    void erase_free(std::pmr::map<Offset, std::size_t>::iterator block);
    Offset take(std::size_t bytes, std::size_t alignment);
    bool grow(std::size_t wanted, std::size_t alignment, bool throwing);

    const JobMemory* memory_;
    Offset begin_;
    std::size_t bytes_;
    Offset backed_end_;  // [begin_, backed_end_) is backed by memory and managed below
    std::size_t used_bytes_ = 0;
    std::pmr::unsynchronized_pool_resource nodes_;
    std::pmr::map<Offset, std::size_t> free_{&nodes_};
    std::pmr::set<std::pair<std::size_t, Offset>> free_by_size_{&nodes_};
    std::pmr::map<Offset, std::size_t> used_{&nodes_};
};

}  // namespace fmpl
