// Whose long private messages a rank asks for in pieces, through the ring, and does not read where they lie
// (docs/decisions/0057-long-messages-in-pieces.md).
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
    // So many messages in a row are at most not asked for.
    static constexpr std::uint32_t kMostUnasked = 63;

    explicit PieceChoice(int ranks) : of_(static_cast<std::size_t>(ranks)) {}

    // Once for each message of the source that might be asked for.
    bool prefers_pieces(int source)
    {
        Source& s = of(source);
        if (s.unasked == 0) return true;
        --s.unasked;
        return false;
    }
    // One that was asked for has come.
    void was_answered(int source) { of(source).silence = 0; }
    // One that was asked for has had to be read. Of several at once the first counts.
    void was_not_answered(int source)
    {
        Source& s = of(source);
        if (s.unasked > 0) return;
        s.silence = std::min(2 * s.silence + 1, kMostUnasked);
        s.unasked = s.silence;
    }

private:
    struct Source {
        std::uint32_t silence = 0;  // the last row of messages that were not asked for
        std::uint32_t unasked = 0;  // of it to come
    };
    Source& of(int source) { return of_[static_cast<std::size_t>(source)]; }

    std::vector<Source> of_;
};

}  // namespace fmpl::mpi
