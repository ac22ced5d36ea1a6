// How many keys belong to each bucket; bucket b has the keys from b * 2^shift to below (b + 1) * 2^shift.
#pragma once

#include "sorting_problem.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fmpl::npb::is {

class BucketCounts {
public:
    explicit BucketCounts(std::size_t buckets) : buckets_(buckets), counts_(kTables * buckets) {}

    // The counts of the keys, all below buckets * 2^shift; valid until the next call.
    std::span<const std::int32_t> operator()(std::span<const Key> keys, int shift);

private:
    // A count that is incremented twice in succession waits for its own store: keys take turns among several tables.
    // Together they are 16 KiB at most, which stays in the first-level cache.
    static constexpr std::size_t kTables = 4;

    std::size_t buckets_;
    std::vector<std::int32_t> counts_;  // [table][bucket]
};

}  // namespace fmpl::npb::is
