// How fast long messages between this rank and others are read where they lie, and which had better go by the ring.
//
// What lies in the caches of both cores, since nobody writes it, is read faster than it goes through a ring, by two
// copies. But what the source has just written is read at a third of that rate or less, and the ring is faster. Which
// of the two a message is only its copy tells, so the receiver reports how long that took. The reads of both directions
// of a pair count as one: of two ranks that exchange messages, the one whose messages are read does so faster if the
// other's go through a ring, and so both would stay, more slowly than by either way alone.
#pragma once

#include <fmpl/envelopes.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl::mpi {

class CopyRates {
public:
    // Where a body may be so long, messages of up to kShort go through the ring; longer ones, up to kLongest, where it
    // may be twice as long as they (docs/decisions/0056-long-bodies-in-steps.md).
    static constexpr std::size_t kShort = 64 * 1024;
    static constexpr std::size_t kLongest = 256 * 1024;
    static std::size_t longest()
    {
        const std::size_t limit = fmpl_envelope_body_limit();
        return std::min({limit, std::max(kShort, limit / 2), kLongest});
    }
    // Bytes per nanosecond of a slow copy of a longer one, with the kernel's calls; a ring that takes those passes 30.
    static constexpr double kSlowRateOfLong = 20;
    // After slow copies of so many more messages they go through the ring; a fast one weighs as much as several. The
    // first copies of each buffer of a window are slow anyway.
    static constexpr int kMany = 256;
    static constexpr int kWeightOfFast = 4;
    // Then the first ones of so many are still read where they lie, and timed: several, since it is by being read that
    // lines come into both caches, and since messages may take turns.
    static constexpr int kPeriod = 256;
    static constexpr int kProbes = 4;

    // slow: a slower copy is one of data that has just been written, in bytes per nanosecond. one_of: of so many
    // messages one is timed, since that takes time itself; odd, since messages may take turns.
    CopyRates(int ranks, double slow, int one_of)
        : slow_(slow),
          one_of_(one_of),
          many_(kMany / one_of),
          of_(static_cast<std::size_t>(ranks))
    {
    }

    // The rank has read so many bytes of this one in this time, or this one of it.
    void was_read(int destination, std::uint64_t bytes, std::uint64_t nanoseconds)
    {
        Rate& rate = of(destination);
        const double slow_rate = bytes > kShort ? kSlowRateOfLong : slow_;
        const bool slow = static_cast<double>(bytes) < slow_rate * static_cast<double>(nanoseconds);
        rate.slow = slow ? std::min(rate.slow + 1, many_) : std::max(rate.slow - kWeightOfFast, 0);
    }
    // Nobody knows how fast the rank has read a message that it was to time: it counts as fast.
    void was_read_untimed(int destination) { of(destination).slow = std::max(of(destination).slow - kWeightOfFast, 0); }
    bool are_slow(int destination) const { return of_[static_cast<std::size_t>(destination)].slow == many_; }
    // Once a message to the rank: whether it is to go through the ring.
    bool prefer_ring(int destination)
    {
        Rate& rate = of(destination);
        rate.in_period = (rate.in_period + 1) % kPeriod;
        return rate.slow == many_ && rate.in_period >= kProbes;
    }
    // Whether that message, if it is read where it lies, is to be timed; and whether the next one is.
    bool is_timed(int destination) const { return times(destination, 0); }
    bool will_be_timed(int destination) const { return times(destination, 1); }

private:
    struct Rate {
        int slow = 0;
        int in_period = kProbes;
    };

    Rate& of(int destination) { return of_[static_cast<std::size_t>(destination)]; }
    bool times(int destination, int later) const
    {
        const Rate& rate = of_[static_cast<std::size_t>(destination)];
        const int message = (rate.in_period + later) % kPeriod;
        return rate.slow == many_ ? message < kProbes : message % one_of_ == 0;
    }

    double slow_;
    int one_of_;
    int many_;
    std::vector<Rate> of_;
};

}  // namespace fmpl::mpi
