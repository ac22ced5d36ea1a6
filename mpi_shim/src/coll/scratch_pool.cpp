#include "coll/scratch_pool.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace fmpl::mpi {

ScratchPool::Block ScratchPool::take(std::size_t bytes)
{
    const int size_class =
        std::max(kSmallestClass, static_cast<int>(std::bit_width(std::max<std::size_t>(bytes, 1) - 1)));
    if (size_class > 62) throw std::bad_alloc();
    std::vector<Scratch>& kept = kept_[static_cast<std::size_t>(size_class)];
    if (kept.empty()) return {Scratch(std::size_t{1} << size_class), size_class};
    Block block{std::move(kept.back()), size_class};
    kept.pop_back();
    kept_bytes_ -= std::size_t{1} << size_class;
    return block;
}

void ScratchPool::give_back(Block block)
{
    const std::size_t bytes = std::size_t{1} << block.size_class;
    if (kept_bytes_ + bytes > kMostKept) return;
    kept_[static_cast<std::size_t>(block.size_class)].push_back(std::move(block.memory));
    kept_bytes_ += bytes;
}

void ScratchPool::clear()
{
    for (std::vector<Scratch>& kept : kept_) kept.clear();
    kept_bytes_ = 0;
}

}  // namespace fmpl::mpi
