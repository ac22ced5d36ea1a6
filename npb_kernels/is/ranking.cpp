#include "ranking.hpp"

#include "key_pair.hpp"

#include <algorithm>

namespace fmpl::npb::is {

void Ranking::operator()(std::span<const Key> keys, Key low, Key high)
{
    low_ = low;
    std::uint32_t* const counts = up_to_.data();
    std::fill(counts, counts + (high - low), 0);

    for_keys_in_fours(
        keys,
        [&](const Key* key) {
            const KeyPair even(key), odd(key + 2);
            ++counts[even.first() - low];
            ++counts[even.second() - low];
            ++counts[odd.first() - low];
            ++counts[odd.second() - low];
        },
        [&](Key key) { ++counts[key - low]; });

    std::uint32_t sum = 0;
    for (Key place = 0; place < high - low; ++place) {
        sum += counts[place];
        counts[place] = sum;
    }
}

void Ranking::sort(std::span<const Key> keys, std::span<Key> sorted)
{
    for (const Key key : keys) sorted[--up_to_[key - low_]] = key;
}

}  // namespace fmpl::npb::is
