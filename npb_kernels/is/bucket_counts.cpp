#include "bucket_counts.hpp"

#include "key_pair.hpp"

#include <algorithm>

namespace fmpl::npb::is {

std::span<const std::int32_t> BucketCounts::operator()(std::span<const Key> keys, int shift)
{
    std::fill(counts_.begin(), counts_.end(), 0);
    std::int32_t* const first = counts_.data();
    std::int32_t* const second = first + buckets_;
    std::int32_t* const third = second + buckets_;
    std::int32_t* const fourth = third + buckets_;

    for_keys_in_fours(
        keys,
        [&](const Key* key) {
            const KeyPair even(key), odd(key + 2);
            ++first[even.first() >> shift];
            ++second[even.second() >> shift];
            ++third[odd.first() >> shift];
            ++fourth[odd.second() >> shift];
        },
        [&](Key key) { ++first[key >> shift]; });

    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
        first[bucket] += second[bucket] + third[bucket] + fourth[bucket];
    }
    return {first, buckets_};
}

}  // namespace fmpl::npb::is
