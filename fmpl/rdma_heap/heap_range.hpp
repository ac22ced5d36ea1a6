// The range of the rank's arena that holds the malloc heap: which of its addresses are taken, which pages have memory.
//
// Addresses are taken from the bottom up and never given back; jemalloc keeps what is freed and uses it again. Pages
// are backed when they are handed out (fmpl_heap_commit) and given back one by one (fmpl_heap_release); a bit for each
// page says whether it is backed. What is taken at the top is backed a little further, so that a growing heap asks the
// system seldom.
//
// A forked child makes its copy of the range private (copy_to_private) and then owns plain anonymous memory, in which
// backing and giving back are the system's business.
//
// Used inside malloc: nothing here allocates or throws. Any thread. Zero-initialized: no constructor runs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pthread.h>

namespace fmpl::rdma_heap {

class HeapRange {
public:
    // [begin, begin + bytes), page-aligned, holding no pages. false when there is no memory for the bits.
    bool start(std::byte* begin, std::size_t bytes);
    bool active() const { return begin_ != nullptr; }

    bool contains(const void* at) const
    {
        return reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(begin_) < bytes_;
    }

    // Takes `bytes` addresses, aligned to `alignment`, or those at `wanted` if they come next; nullptr when the range
    // has no room. The memory is zero once it is committed.
    std::byte* take(void* wanted, std::size_t bytes, std::size_t alignment);
    // Gives back what was taken last, if nothing was taken since.
    void untake(std::byte* at, std::size_t bytes);

    // REQUIRES: the caller owns [at, at + bytes). commit: false when memory is short, and then the pages that were not
    // backed are not backed. decommit: false when the system refuses.
    bool commit(std::byte* at, std::size_t bytes);
    bool decommit(std::byte* at, std::size_t bytes);

    // Around a fork, in this order. Between lock and unlock nothing is taken.
    void lock() { pthread_mutex_lock(&mutex_); }
    void unlock() { pthread_mutex_unlock(&mutex_); }
    void renew_lock() { pthread_mutex_init(&mutex_, nullptr); }  // in a forked child, whose only thread has it
    bool is_private() const { return private_; }
    // In the child, which has one thread and holds the lock; unlocks. Copies all backed pages. false when there is no
    // memory for the copy: the range is as it was, the parent's, and the child must not go on.
    bool copy_to_private();

private:
    using Word = std::atomic<std::uint64_t>;
    static constexpr std::size_t kWordBits = 64;

    std::size_t page_of(const std::byte* at) const { return static_cast<std::size_t>(at - begin_) / page_; }
    bool is_backed(std::size_t page) const;
    void mark(std::size_t first, std::size_t last, bool backed);  // pages [first, last)
    // The first page of [from, to) whose bit is `backed`; `to` when there is none.
    std::size_t find(std::size_t from, std::size_t to, bool backed) const;
    bool back(std::size_t first, std::size_t last);
    void back_ahead(const std::byte* taken);

    std::byte* begin_;
    std::size_t bytes_;
    std::size_t page_;
    Word* bits_;
    pthread_mutex_t mutex_;  // of next_ and ahead_
    std::size_t next_;       // bytes taken
    std::size_t ahead_;      // page; where backing ahead goes on
    bool private_;
};

}  // namespace fmpl::rdma_heap
