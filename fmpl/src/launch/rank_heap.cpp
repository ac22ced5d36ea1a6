#include "launch/rank_heap.hpp"

#include "crossbar/host.hpp"
#include "crossbar/memcheck.hpp"
#include "crossbar/populate.hpp"
#include "error.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>

#include <pthread.h>
#include <unistd.h>

namespace fmpl {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
// As in JobMemory::commit: ranks that commit at the same time look again at what is left.
constexpr std::size_t kCommitPiece = std::size_t{256} << 20;

// malloc is no cancellation point, though the calls below are.
class NoCancellation {
public:
    NoCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }
    NoCancellation(const NoCancellation&) = delete;
    NoCancellation& operator=(const NoCancellation&) = delete;

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace

RankHeap::RankHeap(std::shared_ptr<JobMemory> memory, std::span<std::byte> range)
    : memory_(std::move(memory)),
      range_(range)
{
}

std::unique_ptr<RankHeap> RankHeap::claim(std::shared_ptr<JobMemory> memory, int rank)
{
    const std::span<std::byte> arena = memory->arena(rank);
    const std::size_t lower = (arena.size() / 2 + kHugePage - 1) / kHugePage * kHugePage;
    const std::size_t page = page_bytes();
    if (lower >= arena.size() || arena.size() - lower <= page) {
        fail(FMPL_ERR_MEMORY, "the arena of {} bytes is too small for a heap in it", arena.size());
    }
    const Offset begin = memory->arena_offset(rank) + lower;
    memory->commit(begin, page);
    auto& owner = *reinterpret_cast<std::atomic<std::int32_t>*>(memory->base() + begin);
    std::int32_t taken_by = 0;
    if (!owner.compare_exchange_strong(taken_by, static_cast<std::int32_t>(getpid()), std::memory_order_relaxed)) {
        fail(FMPL_ERR_ALREADY_INITIALIZED, "the heap of rank {} belongs to process {}", rank, taken_by);
    }
    memory->set_apart(begin, arena.size() - lower);
    const std::span<std::byte> range = arena.subspan(lower + page);
    return std::unique_ptr<RankHeap>(new RankHeap(std::move(memory), range));
}

bool RankHeap::contains(const std::byte* at, std::size_t bytes) const noexcept
{
    const auto from = reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(range_.data());
    return from <= range_.size() && bytes <= range_.size() - from;
}

Offset RankHeap::offset_of(const std::byte* at) const noexcept
{
    return static_cast<Offset>(at - memory_->base());
}

bool RankHeap::commit(std::byte* at, std::size_t bytes) const noexcept
{
    if (!contains(at, bytes)) return false;
    const NoCancellation no_cancellation;
    const int saved_errno = errno;
    std::size_t done = 0;
    while (done < bytes) {
        // A sixty-fourth stays free, as in JobMemory::commit.
        const std::size_t left = headroom_.bytes();
        if (bytes - done > left - left / 64) break;
        const std::size_t piece = std::min(kCommitPiece, bytes - done);
        const int failed = populate(at + done, piece, memory_->fd(), offset_of(at) + done);
        if (failed != 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (failed != 0) break;
        done += piece;
    }
    memcheck::backed(at, done);
    errno = saved_errno;
    return done == bytes;
}

bool RankHeap::release(std::byte* at, std::size_t bytes) const noexcept
{
    if (!contains(at, bytes)) return false;
    const NoCancellation no_cancellation;
    const int saved_errno = errno;
    const bool released = depopulate(at, bytes, memory_->fd(), offset_of(at)) == 0;
    if (released) memcheck::released(at, bytes);
    errno = saved_errno;
    return released;
}

}  // namespace fmpl
