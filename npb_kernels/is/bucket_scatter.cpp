#include "bucket_scatter.hpp"

#include "key_pair.hpp"
#include "line_store.hpp"

#include <algorithm>

namespace fmpl::npb::is {

namespace {

static_assert(kLineBytes == 16 * sizeof(Key));

// How many keys of the line before this place are not the bucket's.
std::size_t lead(const Key* place)
{
    return reinterpret_cast<std::uintptr_t>(place) % kLineBytes / sizeof(Key);
}

}  // namespace

BucketScatter::BucketScatter(std::size_t buckets) : lines_(buckets * kLineKeys), fills_(buckets) {}

void BucketScatter::operator()(std::span<const Key> keys, int shift, std::span<Key*> places)
{
    constexpr std::uint32_t kLast = kLineKeys - 1;
    Key* const lines = lines_.data();
    std::uint32_t* const fills = fills_.data();
    Key** const place = places.data();
    for (std::size_t bucket = 0; bucket < fills_.size(); ++bucket) {
        fills[bucket] = static_cast<std::uint32_t>(bucket * kLineKeys + lead(place[bucket]));
    }

    // The key that fills a line goes into it on the way out: read back from memory, it would have to wait for its own
    // store.
    const auto flush = [&](std::size_t bucket, std::uint32_t begin, Key last) {
        Key* const to = place[bucket];
        const std::size_t before = lead(to);
        place[bucket] = to + (kLineKeys - before);
        if (before == 0) [[likely]] {
            store_line(to, lines + begin, last);
            return;
        }
        std::copy(lines + begin + before, lines + begin + kLast, to);
        to[kLast - before] = last;
    };
    const auto put = [&](Key key) __attribute__((always_inline))
    {
        const std::size_t bucket = key >> shift;
        const std::uint32_t fill = fills[bucket];
        if (fill % kLineKeys != kLast) [[likely]] {
            lines[fill] = key;
            fills[bucket] = fill + 1;
        } else {
            fills[bucket] = fill - kLast;
            flush(bucket, fill - kLast, key);
        }
    };

    const Key* const key = keys.data();
    const std::size_t count = keys.size();
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const KeyPair even(key + i), odd(key + i + 2);
        put(even.first());
        put(even.second());
        put(odd.first());
        put(odd.second());
    }
    for (; i < count; ++i) put(key[i]);

    for (std::size_t bucket = 0; bucket < fills_.size(); ++bucket) {
        const Key* const line = lines + bucket * kLineKeys;
        std::copy(line + lead(place[bucket]), line + (fills[bucket] - bucket * kLineKeys), place[bucket]);
    }
    finish_stores();
}

}  // namespace fmpl::npb::is
