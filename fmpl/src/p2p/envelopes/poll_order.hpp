// In which order a poll looks at the sources: it begins where the last one ended, and each has its turn.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fmpl {

class PollOrder {
public:
    // Where to look, among so many sources as the calls below are told of.
    std::size_t place() const { return place_; }

    void go_on(std::size_t sources)
    {
        if (++place_ == sources) place_ = 0;
        ended_here_ = 0;
    }
    // The handler has had enough: the same source first next time, which may send many in a row; but after `most` polls
    // the next one has its turn.
    void end_here(std::size_t sources, std::uint32_t most)
    {
        if (++ended_here_ >= most) go_on(sources);
    }
    void restart() { place_ = 0; }

private:
    std::size_t place_ = 0;
    std::uint32_t ended_here_ = 0;  // polls in a row that envelopes of this place have ended
};

}  // namespace fmpl
