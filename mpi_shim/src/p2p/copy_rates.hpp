// How fast other ranks read long messages of this rank's private memory (DirectPacking), and which had better go
// through the ring instead.
//
// What lies in the caches of both cores, since nobody writes it, the kernel copies faster than it goes through a ring,
// by two copies. But what the source has just written is read at a third of that rate, and the ring is faster. Which of
// the two a message is only its copy tells, so the receiver reports how long that took (`taken`).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl::mpi {

class CopyRates {
public:
    // The messages that this is about are longer than the one and no longer than the other.
    static constexpr std::size_t kShortest = 16 * 1024;
    static constexpr std::size_t kLongest = 64 * 1024;
    // A slower copy is one of data that has just been written: bytes per nanosecond, beside the kernel's calls.
    static constexpr double kSlow = 14;
    static constexpr double kCallNs = 600;
    // After so many more slow ones messages go through the ring; a fast one weighs as much as several. The first copies
    // of each buffer of a window are slow anyway.
    static constexpr int kMany = 256;
    static constexpr int kWeightOfFast = 4;
    // Then the first ones of so many are still read where they lie, to see: several, since it is by being read that
    // lines come into both caches.
    static constexpr int kPeriod = 256;
    static constexpr int kProbes = 4;

    explicit CopyRates(int ranks) : of_(static_cast<std::size_t>(ranks)) {}

    // The rank has read so many bytes in this time, without the calls.
    void was_read(int destination, std::uint64_t bytes, std::uint64_t nanoseconds)
    {
        Rate& rate = of_[static_cast<std::size_t>(destination)];
        const bool slow = static_cast<double>(bytes) < kSlow * static_cast<double>(nanoseconds);
        rate.slow = slow ? std::min(rate.slow + 1, kMany) : std::max(rate.slow - kWeightOfFast, 0);
    }
    bool are_slow(int destination) const { return of_[static_cast<std::size_t>(destination)].slow == kMany; }
    // Where they are, once a message: whether the next one to the rank is to go through the ring.
    bool prefer_ring(int destination)
    {
        Rate& rate = of_[static_cast<std::size_t>(destination)];
        rate.in_period = (rate.in_period + 1) % kPeriod;
        return rate.in_period >= kProbes;
    }

private:
    struct Rate {
        int slow = 0;
        int in_period = kProbes;
    };
    std::vector<Rate> of_;
};

}  // namespace fmpl::mpi
