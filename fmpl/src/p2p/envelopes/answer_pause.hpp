// How long after a question no look for its answer is worth it. A look too early takes the line from the core that is
// about to write the answer; one too late has made the answer wait. Which of the two costs more depends on how far
// apart the cores are and on what the other rank does before it answers, so it is tried
// (docs/decisions/0007-time-between-looks.md): each candidate for some answers, then the best for many, and again.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace fmpl {

class AnswerPause {
public:
    static constexpr std::size_t kCandidates = 5;  // nothing, quarters of the longest, the longest
    static constexpr std::uint32_t kTrial = 64;    // answers
    static constexpr std::uint32_t kUse = 16384;
    // An answer after so many times the longest pause, while the other rank did something else, says no more than one
    // after that.
    static constexpr std::uint64_t kLate = 4;

    // longest: in cycles; 0: no pauses, and no learning. fixed: the longest always.
    AnswerPause(std::uint64_t longest, bool fixed) : longest_(longest), pause_(fixed ? longest : 0), fixed_(fixed) {}

    bool is_used() const { return longest_ != 0; }
    std::uint64_t cycles() const { return pause_; }

    // An answer was found so many cycles after its question.
    void learn(std::uint64_t cycles)
    {
        if (fixed_) return;
        sum_ += std::min(cycles, kLate * longest_);
        if (--left_ == 0) next_phase();
    }

private:
    void next_phase()
    {
        if (trial_ < kCandidates) sums_[trial_++] = sum_;
        else trial_ = 0;
        sum_ = 0;
        left_ = trial_ < kCandidates ? kTrial : kUse;
        const auto best = static_cast<std::size_t>(std::min_element(sums_.begin(), sums_.end()) - sums_.begin());
        pause_ = pause_of(trial_ < kCandidates ? trial_ : best);
    }
    std::uint64_t pause_of(std::size_t candidate) const { return longest_ * candidate / (kCandidates - 1); }

    std::uint64_t longest_;
    std::uint64_t pause_;
    bool fixed_;
    std::uint32_t left_ = kTrial;  // answers of this phase
    std::uint64_t sum_ = 0;        // of their cycles
    std::size_t trial_ = 0;        // the candidate that is tried; kCandidates: the best is used
    std::array<std::uint64_t, kCandidates> sums_{};
};

}  // namespace fmpl
