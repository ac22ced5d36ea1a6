// Ranks keys by counting: a key's rank is the number of smaller keys.
#pragma once

#include "sorting_problem.hpp"

#include "../common/work_array.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace fmpl::npb::is {

class Ranking {
public:
    // For key ranges of up to max_range values. Memory is taken as it is used.
    explicit Ranking(std::size_t max_range) : up_to_(max_range) {}

    // Ranks these keys, of which all are in [low, high). As fast as told where successive keys are of one bucket, whose
    // counts a first-level cache holds. REQUIRES: high - low <= max_range; fewer than 2^32 keys.
    void operator()(std::span<const Key> keys, Key low, Key high);

    // How many of the keys are smaller than `key`. REQUIRES: low <= key < high.
    std::uint32_t smaller_than(Key key) const { return key == low_ ? 0 : up_to_[key - low_ - 1]; }

    // sorted = the same keys, in order. Uses the ranks up. REQUIRES: as many elements as keys.
    void sort(std::span<const Key> keys, std::span<Key> sorted);

private:
    Key low_ = 0;
    WorkArray<std::uint32_t> up_to_;  // [i]: how many keys are at most low_ + i
};

}  // namespace fmpl::npb::is
