// Whether something that may be in vain is worth trying again: an offer that costs its source a wait if nobody takes
// it, a question that a rank which computes does not answer. After each try in vain twice as many occasions are left
// out before the next, after each that succeeded half as many.
#pragma once

#include <algorithm>
#include <cstdint>

namespace fmpl {

// At most 2^kMostLevel occasions are left out, and none for the first kForgiven tries in a row that are in vain. All
// zeros at first.
template <std::uint32_t kMostLevel, std::uint32_t kForgiven = 0>
class BackOff {
public:
    // Once for each occasion.
    bool is_worth_it()
    {
        if (left_out_ == 0) return true;
        --left_out_;
        return false;
    }
    // How a try has ended. Of several at once the first that was in vain counts.
    void has_succeeded() { level_ = level_ > kForgiven ? level_ - 1 : 0; }
    void was_in_vain()
    {
        if (left_out_ > 0) return;
        level_ = std::min(level_ + 1, kForgiven + kMostLevel);
        if (level_ > kForgiven) left_out_ = std::uint32_t{1} << (level_ - kForgiven);
    }

private:
    std::uint32_t left_out_ = 0;  // occasions to come, before the next try
    std::uint32_t level_ = 0;     // tries in vain, less those that succeeded
};

}  // namespace fmpl
