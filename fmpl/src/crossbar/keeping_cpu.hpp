// Whether a rank that waits for an answer keeps its CPU: while answers come one soon after the other, but no longer
// than others may wait for the CPU, and only where several come so in a row. Where the rank must give its CPU away
// soon, as in a ring of ranks, another one could run meanwhile.
#pragma once

#include <fmpl/back_off.hpp>

#include <cstdint>

namespace fmpl {

class KeepingCpu {
public:
    // Once for each answer that is not there yet.
    bool is_worth_it() { return tries_.is_worth_it(); }
    // Then, at `now`: whether it may. most: for how long, from the first such answer after it gave its CPU away.
    bool may_begin(std::uint64_t now, std::uint64_t most)
    {
        if (!has_begun_) began_at_ = now;
        has_begun_ = true;
        return now - began_at_ < most;
    }
    void has_come() { ++in_a_row_; }
    void gives_cpu_away()
    {
        if (!has_begun_) return;
        in_a_row_ >= kWorthIt ? tries_.has_succeeded() : tries_.was_in_vain();
        has_begun_ = false;
        in_a_row_ = 0;
    }

private:
    static constexpr std::uint32_t kWorthIt = 2;

    BackOff<8> tries_;
    bool has_begun_ = false;  // since it gave its CPU away
    std::uint64_t began_at_ = 0;
    std::uint32_t in_a_row_ = 0;  // answers that have come since
};

}  // namespace fmpl
