// Whose long messages this rank had better not read where they lie.
//
// What a core behind another third-level cache has just written, the kernel reads at 1 to 2.6 bytes a nanosecond, from
// a near one at 4 to 13; through a ring both cores pass 10 and more (docs/decisions/0057-long-messages-in-pieces.md).
// Only a copy tells: after slow ones of a source the first kilobytes of each message are read, and the rest goes the
// way that they were found to call for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl::mpi {

class SlowReads {
public:
    static constexpr std::uint64_t kSlowRate = 3;  // bytes a nanosecond
    // So many are read first of a message that is in doubt.
    static constexpr std::size_t kProbe = 16 * 1024;
    // So many slow ones, one after the other, raise doubts; a fast one weighs as two.
    static constexpr std::uint8_t kFar = 4;
    static constexpr std::uint8_t kWeightOfFast = 2;

    // slow_rate: reads at less are slow, in bytes a nanosecond.
    SlowReads(int ranks, std::uint64_t slow_rate)
        : slow_rate_(static_cast<double>(slow_rate)),
          of_(static_cast<std::size_t>(ranks))
    {
    }

    bool is_in_doubt(int source) const { return of_[static_cast<std::size_t>(source)].in_doubt; }
    // Of a long message so many bytes have been read in this time; whether that was slow.
    bool was_read(int source, std::uint64_t bytes, double seconds)
    {
        Reads& reads = of_[static_cast<std::size_t>(source)];
        const bool is_slow = static_cast<double>(bytes) < slow_rate_ * 1e9 * seconds;
        if (is_slow) {
            if (reads.slow < kFar) ++reads.slow;
            reads.in_doubt = reads.in_doubt || reads.slow == kFar;
        } else {
            reads.slow = reads.slow > kWeightOfFast ? static_cast<std::uint8_t>(reads.slow - kWeightOfFast) : 0;
            reads.in_doubt = reads.in_doubt && reads.slow > 0;
        }
        return is_slow;
    }

private:
    struct Reads {
        std::uint8_t slow = 0;
        bool in_doubt = false;
    };
    double slow_rate_;
    std::vector<Reads> of_;  // of each source
};

}  // namespace fmpl::mpi
