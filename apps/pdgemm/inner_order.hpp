// The order in which a product takes the indices of k, and its cuts into chunks that are multiplied at once.
//
// The sum over k may be taken in any order. So indices come together that have the same owner in A and the same in B,
// and are neighbours in the memory of both or of one, however the blocks deal them out: first those of one pair of
// owners, then those of the next. A chunk consists of *runs*, each contiguous at both owners. A run that is wide enough
// for a local product of its own is a chunk; narrower ones share a chunk, for which one operand or both have to be
// gathered. What a pair of owners has less than `least` of is gathered with indices of the next pair.
//
// Local, and the same on every process. Takes O(k / block) time and memory.
#pragma once

#include "block_cyclic.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace fmpl::pdgemm {

struct InnerPlace {
    int owner;  // process along the dimension of the grid over which k is distributed
    int local;  // the first index there
};

struct Run {
    int width;
    InnerPlace a;
    InnerPlace b;
};

using Chunk = std::span<const Run>;

inline int width_of(Chunk chunk)
{
    int width = 0;
    for (const Run& run : chunk) width += run.width;
    return width;
}

struct ChunkRule {
    int widest;       // indices of a chunk, at most; at least 1
    int least_alone;  // a run of at least this width is not gathered with others
    int least;        // what is gathered is at least this wide, unless k ends; at most half of the widest
};

class InnerOrder {
public:
    // a, b: the distributions of k in op(A) and op(B), of the same size.
    InnerOrder(const BlockCyclic& a, const BlockCyclic& b, const ChunkRule& rule);

    std::size_t size() const { return ends_.size(); }
    Chunk operator[](std::size_t chunk) const
    {
        const std::size_t begin = chunk == 0 ? 0 : ends_[chunk - 1];
        return {runs_.data() + begin, ends_[chunk] - begin};
    }
    // Of all chunks.
    int widest() const { return widest_; }

private:
    std::vector<Run> runs_;
    std::vector<std::size_t> ends_;  // of the chunks, in runs_
    int widest_ = 0;
};

}  // namespace fmpl::pdgemm
