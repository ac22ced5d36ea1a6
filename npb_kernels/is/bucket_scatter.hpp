// Writes keys to their buckets, each in a place of its own.
//
// Keys come to a thousand places in random order, four bytes at a time. Written there at once, each line of memory
// would be read first and would come and go with its page's translation. Instead a bucket's keys gather in a line of
// the scatter's own, 64 bytes, and when it is full the line goes out past the caches: nothing is read, and whoever
// reads the keys is another processor or comes much later. The lines of 1024 buckets are 64 KiB; as the benchmark's
// keys lie, the half of them that stays in a first-level cache takes nine keys of ten.
#pragma once

#include "sorting_problem.hpp"

#include "../common/work_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fmpl::npb::is {

class BucketScatter {
public:
    explicit BucketScatter(std::size_t buckets);

    // Writes bucket b's keys to places[b] and on, in their order; changes `places`. What is written is there for every
    // rank that a message or an exchange tells so after this call.
    void operator()(std::span<const Key> keys, int shift, std::span<Key*> places);

private:
    static constexpr std::size_t kLineKeys = 16;

    WorkArray<Key> lines_;              // [bucket][key]; a key's place in the line is that of its destination in memory
    std::vector<std::uint32_t> fills_;  // for each bucket, where in lines_ its next key goes
};

}  // namespace fmpl::npb::is
