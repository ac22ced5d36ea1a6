// The clock of statistics and traces: the processor's cycle counter where it counts at one rate on all cores and never
// stops (Linux: constant_tsc, nonstop_tsc), else CLOCK_MONOTONIC. A reading of the counter costs a third of the other.
//
// A counter's rate is not told by anybody; two readings of both clocks give it (ClockScale).
#pragma once

#include <cstdint>

namespace fmpl {

enum class ClockKind : std::uint32_t {
    monotonic = 0,  // ticks are nanoseconds
    cycles = 1,     // of the processor's time-stamp counter
};

// The better one that this processor has.
ClockKind best_clock();

// CLOCK_MONOTONIC in nanoseconds.
std::uint64_t monotonic_clock_ns();

inline std::uint64_t read_clock(ClockKind kind)
{
#if defined(__x86_64__)
    if (kind == ClockKind::cycles) [[likely]]
        return __builtin_ia32_rdtsc();
#endif
    return monotonic_clock_ns();
}

// Both clocks at one moment.
struct ClockReading {
    std::uint64_t ticks;
    std::uint64_t ns;
};
ClockReading read_both_clocks(ClockKind kind);

// From ticks to CLOCK_MONOTONIC, by two readings of both.
class ClockScale {
public:
    // Requires that `end` is not before `begin`.
    ClockScale(ClockKind kind, const ClockReading& begin, const ClockReading& end);

    double ns_per_tick() const { return ns_per_tick_; }
    double seconds(std::uint64_t ticks) const { return static_cast<double>(ticks) * ns_per_tick_ * 1e-9; }
    // Nanoseconds from the first reading to the moment `ticks`, negative before it.
    double ns_since_begin(std::uint64_t ticks) const
    {
        return static_cast<double>(static_cast<std::int64_t>(ticks - begin_)) * ns_per_tick_;
    }

private:
    std::uint64_t begin_;
    double ns_per_tick_ = 1;
};

}  // namespace fmpl
