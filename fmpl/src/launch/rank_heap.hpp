// The part of a rank's arena that is its program's malloc heap: the upper half (fmplrun --rdma heap).
//
// libfmpl gives the range and backs its pages; which of them are in use is the business of the allocator above
// (fmpl/rdma_heap). The heap has one owner, the process that claims it first: two processes of one rank, a wrapper and
// its program, must not write into the same heap. The first word of the range holds the owner's pid.
#pragma once

#include "crossbar/job_memory.hpp"
#include "launch/memory_headroom.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace fmpl {

class RankHeap {
public:
    // Claims the heap of `rank` for this process and sets the range apart from the rest of the arena. Throws
    // Error(ALREADY_INITIALIZED) when another process has it, Error(MEMORY) when the arena is too small for two halves.
    static std::unique_ptr<RankHeap> claim(std::shared_ptr<JobMemory> memory, int rank);

    // Page-aligned; holds no pages yet. Stays mapped to the end of the process.
    std::span<std::byte> range() const { return range_; }

    // Backs [at, at + bytes) of the range with memory, so that an access cannot fail; false when there is too little.
    // On false some of the pages may be backed. Page-aligned. Any thread; never allocates, never throws.
    bool commit(std::byte* at, std::size_t bytes) const noexcept;

    // Gives pages back to the system, which then read as zero once they are committed again; false when it refuses.
    bool release(std::byte* at, std::size_t bytes) const noexcept;

private:
    RankHeap(std::shared_ptr<JobMemory> memory, std::span<std::byte> range);
    bool contains(const std::byte* at, std::size_t bytes) const noexcept;
    Offset offset_of(const std::byte* at) const noexcept;

    std::shared_ptr<JobMemory> memory_;
    std::span<std::byte> range_;
    MemoryHeadroom headroom_;
};

}  // namespace fmpl
