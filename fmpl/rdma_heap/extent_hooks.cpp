#include "extent_hooks.hpp"

#include "heap_range.hpp"

#include <cstdint>

#include <sys/mman.h>

namespace fmpl::rdma_heap {

HeapRange heap;

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::byte* at_of(void* extent, std::size_t offset = 0)
{
    return static_cast<std::byte*>(extent) + offset;
}

void* ordinary_memory(std::size_t bytes, std::size_t alignment)
{
    const std::size_t more = alignment > 4096 ? alignment : 0;
    if (bytes + more < bytes) return nullptr;
    void* mapped =
        mmap(nullptr, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    if (more == 0) return mapped;
    const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
    const std::uintptr_t aligned = (begin + alignment - 1) / alignment * alignment;
    if (aligned > begin) munmap(mapped, aligned - begin);
    if (begin + more > aligned) munmap(at_of(mapped, aligned - begin + bytes), begin + more - aligned);
    return at_of(mapped, aligned - begin);
}

// jemalloc's own records: blocks of whole huge pages, aligned to them and wanted as zero. They belong in private
// memory, where no other rank's stray write can break them.
bool is_bookkeeping(std::size_t bytes, std::size_t alignment, bool zero)
{
    return zero && alignment >= kHugePage && bytes % kHugePage == 0;
}

// The hooks return false for success where jemalloc says so.

void* alloc(
    extent_hooks_t*, void* new_addr, std::size_t bytes, std::size_t alignment, bool* zero, bool* commit, unsigned)
{
    if (!is_bookkeeping(bytes, alignment, *zero)) {
        if (std::byte* at = heap.take(new_addr, bytes, alignment)) {
            // Fresh pages are zero.
            *zero = true;
            if (!*commit || heap.commit(at, bytes)) return at;
            heap.untake(at, bytes);
            return nullptr;  // short of memory, which ordinary memory would only find out when it is touched
        }
    }
    if (new_addr != nullptr) return nullptr;
    *zero = *commit = true;
    return ordinary_memory(bytes, alignment);
}

// jemalloc keeps extents of the range, for the next allocation, and gives back their pages.
bool dalloc(extent_hooks_t*, void* extent, std::size_t bytes, bool, unsigned)
{
    return heap.contains(extent) || munmap(extent, bytes) != 0;
}

void destroy(extent_hooks_t*, void* extent, std::size_t bytes, bool, unsigned)
{
    if (heap.contains(extent)) {
        heap.decommit(at_of(extent), bytes);
    } else {
        munmap(extent, bytes);
    }
}

bool commit(extent_hooks_t*, void* extent, std::size_t, std::size_t offset, std::size_t bytes, unsigned)
{
    return heap.contains(extent) && !heap.commit(at_of(extent, offset), bytes);
}

bool decommit(extent_hooks_t*, void* extent, std::size_t, std::size_t offset, std::size_t bytes, unsigned)
{
    return !heap.contains(extent) || !heap.decommit(at_of(extent, offset), bytes);
}

// Purged pages come back when they are touched, without a commit. In the range that could fail.
bool purge(extent_hooks_t*, void* extent, std::size_t, std::size_t offset, std::size_t bytes, unsigned)
{
    return heap.contains(extent) || madvise(at_of(extent, offset), bytes, MADV_DONTNEED) != 0;
}

bool split(extent_hooks_t*, void*, std::size_t, std::size_t, std::size_t, bool, unsigned)
{
    return false;
}

bool merge(extent_hooks_t*, void* lower, std::size_t, void* upper, std::size_t, bool, unsigned)
{
    return heap.contains(lower) != heap.contains(upper);
}

}  // namespace

extent_hooks_t extent_hooks = {alloc, dalloc, destroy, commit, decommit, nullptr, purge, split, merge};

}  // namespace fmpl::rdma_heap
