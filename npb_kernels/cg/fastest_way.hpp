// Of several ways to do the same work the one that takes least time on this machine, found while the work is done.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace fmpl::npb::cg {

// The first times, the ways are taken in turn, kRounds times each; from then on, the one whose shortest time was the
// shortest: what else the machine does makes a time longer, as a rule. Clock: as std::chrono::steady_clock.
template <class Clock = std::chrono::steady_clock>
class FastestWay {
public:
    static constexpr std::size_t kRounds = 5;

    // REQUIRES: ways > 0.
    explicit FastestWay(std::size_t ways) : shortest_(ways, Clock::duration::max()) {}

    // The way to take for the work that begins now.
    std::size_t begin()
    {
        if (trials_ == kRounds * shortest_.size()) return best_;
        begun_ = Clock::now();
        return trials_ % shortest_.size();
    }
    // The work has ended. REQUIRES: begin() came before it, once.
    void end()
    {
        if (trials_ == kRounds * shortest_.size()) return;
        typename Clock::duration& shortest = shortest_[trials_++ % shortest_.size()];
        shortest = std::min(shortest, Clock::now() - begun_);
        best_ = static_cast<std::size_t>(std::min_element(shortest_.begin(), shortest_.end()) - shortest_.begin());
    }

private:
    std::vector<typename Clock::duration> shortest_;  // of each way
    std::size_t trials_ = 0;
    std::size_t best_ = 0;
    typename Clock::time_point begun_;
};

}  // namespace fmpl::npb::cg
