#include "bucket_partition.hpp"

#include <algorithm>
#include <numeric>

namespace fmpl::npb::is {

BucketPartition::BucketPartition(std::span<const std::int32_t> bucket_sizes, int ranks)
    : first_buckets_(static_cast<std::size_t>(ranks) + 1),
      keys_before_(static_cast<std::size_t>(ranks) + 1)
{
    const std::int64_t keys = std::accumulate(bucket_sizes.begin(), bucket_sizes.end(), std::int64_t{0});
    std::size_t rank = 0;  // has no bucket yet, nor have those behind it
    std::int64_t before = 0;
    for (std::size_t bucket = 0; bucket < bucket_sizes.size(); ++bucket) {
        // The middle lies in the share of rank r from keys * r / ranks on. Doubled, since it may be half a key.
        const std::int64_t middle = 2 * before + bucket_sizes[bucket];
        while (rank < static_cast<std::size_t>(ranks) && middle * ranks >= 2 * keys * static_cast<std::int64_t>(rank)) {
            first_buckets_[rank] = bucket;
            keys_before_[rank++] = before;
        }
        before += bucket_sizes[bucket];
    }
    for (; rank < first_buckets_.size(); ++rank) {
        first_buckets_[rank] = bucket_sizes.size();
        keys_before_[rank] = before;
    }
}

std::int64_t BucketPartition::most_keys() const
{
    std::int64_t most = 0;
    for (std::size_t rank = 1; rank < keys_before_.size(); ++rank) {
        most = std::max(most, keys_before_[rank] - keys_before_[rank - 1]);
    }
    return most;
}

}  // namespace fmpl::npb::is
