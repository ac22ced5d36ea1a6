#include "crossbar/cycle_clock.hpp"

#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace fmpl {

ClockKind best_clock()
{
#if defined(__x86_64__)
    constexpr unsigned kPowerManagement = 0x80000007;
    constexpr unsigned kInvariant = 1u << 8;  // of edx: the counter's rate never changes and it never stops
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (__get_cpuid(kPowerManagement, &eax, &ebx, &ecx, &edx) != 0 && (edx & kInvariant) != 0) return ClockKind::cycles;
#endif
    return ClockKind::monotonic;
}

std::uint64_t monotonic_clock_ns()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

ClockReading read_both_clocks(ClockKind kind)
{
    if (kind == ClockKind::monotonic) {
        const std::uint64_t now = monotonic_clock_ns();
        return {now, now};
    }
    // Of several tries the one that took the least time: nobody took the CPU away within it.
    constexpr int kTries = 5;
    ClockReading best{};
    std::uint64_t least = ~std::uint64_t{0};
    for (int i = 0; i < kTries; ++i) {
        const std::uint64_t before = read_clock(kind);
        const std::uint64_t ns = monotonic_clock_ns();
        const std::uint64_t after = read_clock(kind);
        if (after - before >= least) continue;
        least = after - before;
        best = {before + (after - before) / 2, ns};
    }
    return best;
}

ClockScale::ClockScale(ClockKind kind, const ClockReading& begin, const ClockReading& end) : begin_(begin.ticks)
{
    if (kind == ClockKind::monotonic || end.ticks <= begin.ticks || end.ns <= begin.ns) return;
    ns_per_tick_ = static_cast<double>(end.ns - begin.ns) / static_cast<double>(end.ticks - begin.ticks);
}

}  // namespace fmpl
