// How a rank waits for a word that another core writes, without a library in between.
#pragma once

#include <atomic>
#include <cstdint>

#include <sched.h>

namespace fmpl::bench {

// Returns when the word has the value. yield: gives the CPU away in between, as it must be where ranks share CPUs.
// Acquire: what the other core wrote before its release of the value is there.
template <bool yield>
void wait_for(const std::atomic<std::uint64_t>& word, std::uint64_t value)
{
    constexpr int kLooksBeforeYield = 10;
    for (int looks = 0; word.load(std::memory_order_acquire) != value; ++looks) {
        if (yield && looks >= kLooksBeforeYield) sched_yield();
    }
}

inline void wait_for(const std::atomic<std::uint64_t>& word, std::uint64_t value, bool yield)
{
    if (yield) {
        wait_for<true>(word, value);
    } else {
        wait_for<false>(word, value);
    }
}

}  // namespace fmpl::bench
