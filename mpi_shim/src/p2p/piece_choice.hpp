// Which long private messages a rank had better ask for in pieces, through the ring, and not read where they lie
// (docs/decisions/0057-long-messages-in-pieces.md).
//
// Those that the ring has room for four of are faster so. Longer ones mostly are not; but what a core behind another
// third-level cache has just written, the kernel reads at 1 to 2.6 bytes a nanosecond, from a near one at 4 to 13, and
// through a ring both pass 10 and more. Only a copy tells, so each is timed.
//
// A source that computes does not answer. Its message is read after a while, and the next ones without asking: one,
// then three, seven, and so on, until it answers again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmpl::mpi {

class PieceChoice {
public:
    static constexpr std::uint64_t kSlowRate = 3;  // bytes a nanosecond
    // So many slow reads, one after the other, tell of the next; a fast one weighs as two.
    static constexpr std::uint8_t kMany = 4;
    static constexpr std::uint8_t kWeightOfFast = 2;
    // Then one of so many messages is still read where it lies, to see.
    static constexpr std::uint32_t kOneReadOf = 128;
    // So many messages in a row are at most not asked for.
    static constexpr std::uint32_t kMostUnasked = 63;

    // slow_rate: reads at less are slow, in bytes a nanosecond.
    PieceChoice(int ranks, std::uint64_t slow_rate)
        : slow_rate_(static_cast<double>(slow_rate)),
          of_(static_cast<std::size_t>(ranks))
    {
    }

    // Once for each long message of the source. fits: it is at most a quarter of the ring.
    bool prefers_pieces(int source, bool fits)
    {
        Source& s = of(source);
        if (s.unasked > 0) {
            --s.unasked;
            return false;
        }
        return fits || (s.is_slow && ++s.slow_messages % kOneReadOf != 0);
    }
    // So many bytes of such a message have been read in this time.
    void was_read(int source, std::uint64_t bytes, double seconds)
    {
        Source& s = of(source);
        if (static_cast<double>(bytes) < slow_rate_ * 1e9 * seconds) {
            if (s.slow_reads < kMany) ++s.slow_reads;
            s.is_slow = s.is_slow || s.slow_reads == kMany;
        } else {
            s.slow_reads -= std::min(s.slow_reads, kWeightOfFast);
            s.is_slow = s.is_slow && s.slow_reads > 0;
        }
    }
    // One that was asked for has come, or had to be read after all.
    void was_answered(int source) { of(source).silence = 0; }
    void was_not_answered(int source)
    {
        Source& s = of(source);
        s.silence = std::min(2 * s.silence + 1, kMostUnasked);
        s.unasked = s.silence;
    }

private:
    struct Source {
        std::uint8_t slow_reads = 0;
        bool is_slow = false;
        std::uint32_t slow_messages = 0;
        std::uint32_t silence = 0;  // the last row of messages that were not asked for
        std::uint32_t unasked = 0;  // of it to come
    };
    Source& of(int source) { return of_[static_cast<std::size_t>(source)]; }

    double slow_rate_;
    std::vector<Source> of_;
};

}  // namespace fmpl::mpi
