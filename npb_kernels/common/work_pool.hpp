// Arrays of one rank that live as long as each other, one after the other in huge pages: small ones share a page of 2
// MiB, of which a WorkArray takes one for itself, which many ranks with many small arrays would not have.
#pragma once

#include "work_array.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace fmpl::npb {

class WorkPool {
public:
    // Aligned to a cache line; zero at first. Never moved, and freed with the pool. Throws std::bad_alloc.
    template <class T>
    std::span<T> take(std::size_t count)
    {
        constexpr std::size_t kLine = 64;
        const std::size_t bytes = (count * sizeof(T) + kLine - 1) / kLine * kLine;
        if (bytes > free_.size()) {
            blocks_.emplace_back(std::max(bytes, kBlockBytes));
            free_ = blocks_.back();
        }
        const std::span<std::byte> taken = free_.first(bytes);
        free_ = free_.subspan(bytes);
        return {reinterpret_cast<T*>(taken.data()), count};
    }

    // What a pool takes at most beside the arrays themselves, of which the longest has so many bytes.
    static constexpr std::size_t most_left_over(std::size_t longest) { return std::max(longest, kBlockBytes); }

private:
    static constexpr std::size_t kBlockBytes = std::size_t{2} << 20;

    std::vector<WorkArray<std::byte>> blocks_;
    std::span<std::byte> free_;  // of the last one
};

}  // namespace fmpl::npb
