#include "heap_range.hpp"

#include "fmpl/heap.h"

#include <cerrno>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

// A program that is not linked with libfmpl has none of these; start() is then never called.
#pragma weak fmpl_heap_commit
#pragma weak fmpl_heap_release

namespace fmpl::rdma_heap {
namespace {

// What is taken at the top is backed up to the next multiple of this: little at first, so that a small program starts
// fast.
constexpr std::size_t kAheadAtFirst = std::size_t{128} << 10;
constexpr std::size_t kAhead = std::size_t{2} << 20;

std::size_t round_up(std::size_t n, std::size_t to)
{
    return (n + to - 1) / to * to;
}

void* private_memory(void* at, std::size_t bytes)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at != nullptr ? MAP_FIXED : 0);
    return mmap(at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
}

}  // namespace

bool HeapRange::start(std::byte* begin, std::size_t bytes)
{
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t words = bytes / page_ / kWordBits + 1;
    void* bits = private_memory(nullptr, words * sizeof(Word));
    if (bits == MAP_FAILED) return false;
    bits_ = static_cast<Word*>(bits);
    pthread_mutex_init(&mutex_, nullptr);
    bytes_ = bytes;
    begin_ = begin;
    return true;
}

std::byte* HeapRange::take(void* wanted, std::size_t bytes, std::size_t alignment)
{
    lock();
    // Alignment is one of addresses, whatever that of the range.
    const auto base = reinterpret_cast<std::uintptr_t>(begin_);
    const std::size_t at = round_up(base + next_, alignment) - base;
    const bool fits = at <= bytes_ && bytes <= bytes_ - at && (wanted == nullptr || wanted == begin_ + at);
    if (fits) {
        next_ = at + bytes;
        if (bytes <= kAhead && !private_) back_ahead(begin_ + at);
    }
    unlock();
    return fits ? begin_ + at : nullptr;
}

void HeapRange::untake(std::byte* at, std::size_t bytes)
{
    lock();
    if (at + bytes == begin_ + next_) next_ -= bytes;
    unlock();
}

// Under the lock. The pages from the block that was just taken on are the caller's, and above it nobody's, so that none
// of them is being backed by its owner at the same time.
void HeapRange::back_ahead(const std::byte* taken)
{
    const std::size_t end = next_ / page_;
    if (end <= ahead_) return;
    const std::size_t first = ahead_ > page_of(taken) ? ahead_ : page_of(taken);
    const std::size_t step = next_ < kAhead ? kAheadAtFirst : kAhead;
    const std::size_t goal = round_up(next_, step) < bytes_ ? round_up(next_, step) / page_ : bytes_ / page_;
    ahead_ = back(first, goal) ? goal : end;
}

bool HeapRange::back(std::size_t first, std::size_t last)
{
    if (first >= last) return true;
    if (fmpl_heap_commit(begin_ + first * page_, (last - first) * page_) != FMPL_SUCCESS) {
        fmpl_heap_release(begin_ + first * page_, (last - first) * page_);
        return false;
    }
    mark(first, last, true);
    return true;
}

bool HeapRange::commit(std::byte* at, std::size_t bytes)
{
    if (private_) return true;
    const std::size_t end = page_of(at) + bytes / page_;
    for (std::size_t page = page_of(at); page < end;) {
        const std::size_t first = find(page, end, false);
        const std::size_t last = find(first, end, true);
        if (!back(first, last)) return false;
        page = last;
    }
    return true;
}

bool HeapRange::decommit(std::byte* at, std::size_t bytes)
{
    if (private_) return madvise(at, bytes, MADV_DONTNEED) == 0;
    const std::size_t first = page_of(at);
    mark(first, first + bytes / page_, false);
    if (fmpl_heap_release(at, bytes) == FMPL_SUCCESS) return true;
    mark(first, first + bytes / page_, true);
    return false;
}

bool HeapRange::copy_to_private()
{
    // The copy is made elsewhere and moved here as a whole: until then the child has the parent's heap before its eyes.
    const std::size_t used_pages = next_ / page_ > ahead_ ? next_ / page_ : ahead_;
    const std::size_t used = used_pages * page_;
    if (used > 0) {
        void* mapped = private_memory(nullptr, used);
        if (mapped == MAP_FAILED) return false;
        auto* copy = static_cast<std::byte*>(mapped);
        for (std::size_t page = find(0, used_pages, true); page < used_pages;) {
            const std::size_t last = find(page, used_pages, false);
            std::memcpy(copy + page * page_, begin_ + page * page_, (last - page) * page_);
            page = find(last, used_pages, true);
        }
        if (mremap(copy, used, used, MREMAP_MAYMOVE | MREMAP_FIXED, begin_) == MAP_FAILED) return false;
    }
    if (used < bytes_ && private_memory(begin_ + used, bytes_ - used) == MAP_FAILED) return false;
    private_ = true;
    return true;
}

bool HeapRange::is_backed(std::size_t page) const
{
    // relaxed: the bits of a page are its owner's, or under the lock nobody's
    return (bits_[page / kWordBits].load(std::memory_order_relaxed) >> (page % kWordBits) & 1) != 0;
}

void HeapRange::mark(std::size_t first, std::size_t last, bool backed)
{
    for (std::size_t page = first; page < last;) {
        const std::size_t bit = page % kWordBits;
        const std::size_t count = last - page < kWordBits - bit ? last - page : kWordBits - bit;
        const std::uint64_t mask = (count == kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << bit;
        Word& word = bits_[page / kWordBits];
        if (backed) {
            word.fetch_or(mask, std::memory_order_relaxed);  // relaxed: see is_backed
        } else {
            word.fetch_and(~mask, std::memory_order_relaxed);
        }
        page += count;
    }
}

std::size_t HeapRange::find(std::size_t from, std::size_t to, bool backed) const
{
    const std::uint64_t none = backed ? 0 : ~std::uint64_t{0};
    for (std::size_t page = from; page < to;) {
        if (page % kWordBits == 0 && bits_[page / kWordBits].load(std::memory_order_relaxed) == none) {
            page += kWordBits;
        } else if (is_backed(page) == backed) {
            return page;
        } else {
            ++page;
        }
    }
    return to;
}

}  // namespace fmpl::rdma_heap
