#include "p2p/arena_allocator.hpp"

#include "error.hpp"

#include <algorithm>
#include <bit>

namespace fmpl {
namespace {

constexpr std::size_t kPage = 4096;
// An arena grows by huge pages. In a job of many ranks, of which most need little, it begins with less, and doubles
// until it has one.
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLeastGrowth = std::size_t{128} << 10;
constexpr int kManyRanks = 17;

constexpr std::size_t round_up(std::size_t n, std::size_t to)
{
    return (n + to - 1) / to * to;
}

}  // namespace

ArenaAllocator::ArenaAllocator(const JobMemory* memory, Offset begin, std::size_t bytes)
    : memory_(memory),
      begin_(begin),
      bytes_(bytes),
      backed_end_(begin)
{
    if (memory_ == nullptr && bytes_ > 0) {
        backed_end_ = begin_ + bytes_;
        insert_free(begin_, bytes_);
    }
}

Offset ArenaAllocator::allocate(std::size_t bytes)
{
    if (bytes > bytes_) {
        fail(FMPL_ERR_MEMORY,
            "{} bytes of remote-DMA memory wanted, but the arena has {} bytes ({} in use); give the ranks larger "
            "arenas "
            "with FMPL_ARENA_SIZE, or use more ranks",
            bytes, bytes_, used_bytes_);
    }
    const std::size_t wanted = round_up(std::max<std::size_t>(bytes, 1), kAlignment);
    const std::size_t alignment = memory_ != nullptr && wanted >= kPageAlignedFrom ? kPage : kAlignment;
    Offset at = take(wanted, alignment);
    if (at == kNoOffset && memory_ != nullptr && grow(wanted, alignment, true)) at = take(wanted, alignment);
    if (at == kNoOffset) {
        fail(FMPL_ERR_MEMORY,
            "{} bytes of remote-DMA memory wanted, {} of {} bytes are in use and no gap is large enough; "
            "free some, or give the ranks larger arenas with FMPL_ARENA_SIZE",
            bytes, used_bytes_, bytes_);
    }
    return at;
}

Offset ArenaAllocator::try_allocate(std::size_t bytes)
{
    if (bytes > bytes_) return kNoOffset;
    const std::size_t wanted = round_up(std::max<std::size_t>(bytes, 1), kAlignment);
    const std::size_t alignment = memory_ != nullptr && wanted >= kPageAlignedFrom ? kPage : kAlignment;
    Offset at = take(wanted, alignment);
    if (at == kNoOffset && memory_ != nullptr && grow(wanted, alignment, false)) at = take(wanted, alignment);
    return at;
}

bool ArenaAllocator::grow(std::size_t wanted, std::size_t alignment, bool throwing)
{
    const std::size_t left = begin_ + bytes_ - backed_end_;
    // The last free block, if it touches the end of the backed part, need not be backed again.
    std::size_t at_end = 0;
    if (!free_.empty() && free_.rbegin()->first + free_.rbegin()->second == backed_end_)
        at_end = free_.rbegin()->second;
    if (at_end + left < wanted) return false;  // backing the rest would not help
    const std::size_t lacking = wanted + alignment - std::min(wanted + alignment - 1, at_end);
    // To the end of a huge page: where the arena is cut short (launch/rank_heap.hpp), it ends with one.
    const std::size_t unit = memory_->ranks() < kManyRanks
                                 ? kHugePage
                                 : std::clamp(std::bit_floor(backed_end_ - begin_), kLeastGrowth, kHugePage);
    const std::size_t more = std::min(round_up(backed_end_ + lacking, unit) - backed_end_, left);
    if (more == 0) return false;
    try {
        memory_->commit(backed_end_, more);
    } catch (const Error& error) {
        if (throwing) fail(FMPL_ERR_MEMORY, "{} bytes of remote-DMA memory wanted: {}", wanted, error.what());
        return false;
    }
    const Offset at = backed_end_;
    backed_end_ += more;
    insert_free(at, more);
    return true;
}

Offset ArenaAllocator::take(std::size_t bytes, std::size_t alignment)
{
    for (auto it = free_by_size_.lower_bound({bytes, 0}); it != free_by_size_.end(); ++it) {
        const Offset block = it->second;
        const std::size_t size = it->first;
        const Offset at = round_up(block, alignment);
        if (at + bytes > block + size) continue;  // the alignment does not fit
        erase_free(free_.find(block));
        if (at > block) insert_free(block, at - block);
        if (at + bytes < block + size) insert_free(at + bytes, block + size - at - bytes);
        used_.emplace(at, bytes);
        used_bytes_ += bytes;
        return at;
    }
    return kNoOffset;
}

bool ArenaAllocator::free(Offset at)
{
    const auto block = used_.find(at);
    if (block == used_.end()) return false;
    const std::size_t bytes = block->second;
    used_bytes_ -= bytes;
    used_.erase(block);
    insert_free(at, bytes);
    return true;
}

std::size_t ArenaAllocator::block_bytes(Offset at) const
{
    const auto block = used_.find(at);
    return block == used_.end() ? 0 : block->second;
}

std::size_t ArenaAllocator::bytes_from(Offset at) const
{
    auto block = used_.upper_bound(at);
    if (block == used_.begin()) return 0;
    --block;
    return at < block->first + block->second ? block->first + block->second - at : 0;
}

void ArenaAllocator::insert_free(Offset at, std::size_t bytes)
{
    auto next = free_.lower_bound(at);
    if (next != free_.end() && at + bytes == next->first) {
        bytes += next->second;
        auto merged = next++;
        erase_free(merged);
    }
    if (next != free_.begin()) {
        auto previous = std::prev(next);
        if (previous->first + previous->second == at) {
            at = previous->first;
            bytes += previous->second;
            erase_free(previous);
        }
    }
    free_.emplace(at, bytes);
    free_by_size_.emplace(bytes, at);
}

void ArenaAllocator::erase_free(std::pmr::map<Offset, std::size_t>::iterator block)
{
    free_by_size_.erase({block->second, block->first});
    free_.erase(block);
}

}  // namespace fmpl
