// The distribution of one dimension of a matrix over one dimension of a process grid, block by block.
//
// Global indices 0 .. size-1 are cut into a first block of `first_block` elements and further blocks of `block`
// elements (the last one may be short). Block 0 belongs to process `source`, block 1 to the next one, and so on
// around the `processes`. A process stores its blocks one after the other, so a *local index* counts its elements in
// global order.
//
// With first_block = block this is ScaLAPACK's descriptor of type 1. The separate first block makes a contiguous range
// of such a dimension again such a distribution (window()), wherever the range begins.
//
// REQUIRES: size >= 0, first_block >= 1, block >= 1, processes >= 1, 0 <= source < processes; indices in range.
// A value: no call blocks, allocates or fails.
#pragma once

#include <algorithm>
#include <cstdint>

namespace fmpl::pdgemm {

class BlockCyclic {
public:
    BlockCyclic(int size, int first_block, int block, int source, int processes)
        : size_(size),
          first_block_(first_block),
          block_(block),
          source_(source),
          processes_(processes)
    {
    }

    int size() const { return size_; }
    int block() const { return block_; }
    int processes() const { return processes_; }

    int owner(int global) const
    {
        return static_cast<int>((source_ + static_cast<std::int64_t>(block_number(global))) % processes_);
    }

    // The elements of `process` among the global indices 0 .. global-1; 0 <= global <= size.
    int local_count_before(int process, int global) const
    {
        const int distance = (process - source_ + processes_) % processes_;
        int count = distance == 0 ? std::min(global, first_block_) : 0;
        if (global > first_block_) {
            const int rest = global - first_block_;
            const int full_blocks = rest / block_;
            // Among the blocks after the first one, the process owns those with this remainder.
            const int remainder = (distance - 1 + processes_) % processes_;
            count += full_blocks / processes_ * block_;
            if (full_blocks % processes_ > remainder) {
                count += block_;
            } else if (full_blocks % processes_ == remainder) {
                count += rest % block_;
            }
        }
        return count;
    }

    int local_count(int process) const { return local_count_before(process, size_); }

    // The place of a global index in its owner's storage.
    int local_index(int global) const { return local_count_before(owner(global), global); }

    // The inverse of local_index; 0 <= local < local_count(process).
    int global_index(int process, int local) const
    {
        const int distance = (process - source_ + processes_) % processes_;
        if (distance == 0) {
            if (local < first_block_) return local;
            local -= first_block_;
        }
        const int first_own = (distance - 1 + processes_) % processes_;
        return first_block_ + (local / block_ * processes_ + first_own) * block_ + local % block_;
    }

    // One past the last global index of the block that holds `global`.
    int block_end(int global) const
    {
        return static_cast<int>(std::min<std::int64_t>(size_, unclipped_block_end(global)));
    }

    // Whether one process owns all of it.
    bool has_one_owner() const { return processes_ == 1 || size_ <= first_block_; }

    // The distribution of the range begin .. begin+count-1, renumbered from 0. A process stores it from the local index
    // local_count_before(process, begin) on.
    BlockCyclic window(int begin, int count) const
    {
        if (count == 0) return {0, block_, block_, source_, processes_};
        const std::int64_t first = std::min<std::int64_t>(count, unclipped_block_end(begin) - begin);
        return {count, static_cast<int>(first), block_, owner(begin), processes_};
    }

    // Calls f(owner, begin, end) for each piece of one block in begin .. end-1, in global order.
    template <class Function>
    void for_each_interval(int begin, int end, Function f) const
    {
        while (begin < end) {
            const int stop = std::min(end, block_end(begin));
            f(owner(begin), begin, stop);
            begin = stop;
        }
    }

    // Whether every global index has the same owner in both, and so the same local index. Takes O(number of blocks).
    bool same_layout(const BlockCyclic& other) const
    {
        if (size_ != other.size_ || processes_ != other.processes_) return false;
        if (processes_ == 1) return true;
        for (int global = 0; global < size_; global = std::min(block_end(global), other.block_end(global))) {
            if (owner(global) != other.owner(global)) return false;
        }
        return true;
    }

private:
    int block_number(int global) const { return global < first_block_ ? 0 : 1 + (global - first_block_) / block_; }
    std::int64_t unclipped_block_end(int global) const
    {
        return first_block_ + static_cast<std::int64_t>(block_number(global)) * block_;
    }

    int size_;
    int first_block_;
    int block_;
    int source_;
    int processes_;
};

}  // namespace fmpl::pdgemm
