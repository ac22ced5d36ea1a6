// The counters by which `breakdown` takes times within one call: the processor's own, or a clock where there is none
// that counts at one rate on all cores. Both have
//
//   kName   what the counter is
//   now()   its count, read when all instructions before it are done and before any after it starts. It does not wait
//           for stores to leave the core, so that a store counts as done when it has been issued, as when a call
//           returns.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace fmpl::bench {

struct SteadyClock {
    static constexpr const char* kName = "steady_clock in nanoseconds (no cycle counter of a constant rate)";
    static std::uint64_t now()
    {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    }
};

#if defined(__x86_64__)
struct TimeStampCounter {
    static constexpr const char* kName = "time-stamp counter";
    static std::uint64_t now()
    {
        unsigned processor = 0;
        const std::uint64_t count = __rdtscp(&processor);
        _mm_lfence();
        return count;
    }
};
#endif

// Whether the time-stamp counter counts at one rate whatever the cores do (constant_tsc, nonstop_tsc), and can be
// read by rdtscp.
bool has_cycle_counter();

// Counts of a second, by the clock.
template <class Counter>
double counts_per_second()
{
    struct Reading {
        std::uint64_t count, clock_ns;
    };
    // The clock between two counts that lie as close together as can be had.
    const auto read = [] {
        Reading best{};
        std::uint64_t least = ~std::uint64_t{0};
        for (int i = 0; i < 100; ++i) {
            const std::uint64_t before = Counter::now();
            const std::uint64_t clock_ns = SteadyClock::now();
            const std::uint64_t after = Counter::now();
            if (after - before < least) best = {before + (after - before) / 2, clock_ns};
            if (after - before < least) least = after - before;
        }
        return best;
    };
    constexpr std::uint64_t calibration_ns = 50'000'000;
    const Reading from = read();
    while (SteadyClock::now() - from.clock_ns < calibration_ns) continue;
    const Reading to = read();
    return static_cast<double>(to.count - from.count) / static_cast<double>(to.clock_ns - from.clock_ns) * 1e9;
}

}  // namespace fmpl::bench
