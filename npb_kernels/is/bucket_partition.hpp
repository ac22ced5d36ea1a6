// Which rank sorts which buckets: successive ones, so that the ranks have about equal numbers of keys.
//
// A bucket goes to the rank whose equal share of all keys, in their order, holds the bucket's middle. A rank's keys
// exceed the equal share by less than the largest bucket. A rank gets no bucket where one is larger than a share, which
// the benchmark's keys are with more than 384 ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fmpl::npb::is {

class BucketPartition {
public:
    // For buckets_sizes of all ranks together.
    BucketPartition(std::span<const std::int32_t> bucket_sizes, int ranks);

    // The buckets of a rank: [first_bucket(rank), first_bucket(rank + 1)).
    std::size_t first_bucket(int rank) const { return first_buckets_[static_cast<std::size_t>(rank)]; }
    // How many keys are in the buckets of the ranks before this one.
    std::int64_t keys_before(int rank) const { return keys_before_[static_cast<std::size_t>(rank)]; }
    std::int64_t keys_of(int rank) const { return keys_before(rank + 1) - keys_before(rank); }
    std::int64_t most_keys() const;

    // What no rank's number of keys exceeds, for any sizes of buckets that sum up to `keys`, up to largest_bucket each.
    static std::int64_t bound(std::int64_t keys, std::int64_t largest_bucket, int ranks)
    {
        return (keys + ranks - 1) / ranks + largest_bucket;
    }

private:
    std::vector<std::size_t> first_buckets_;  // by rank, and the end
    std::vector<std::int64_t> keys_before_;
};

}  // namespace fmpl::npb::is
