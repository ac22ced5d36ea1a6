// Whether a rank that waits for an answer had better keep its CPU: if several answers in a row come so before it gives
// the CPU away. Where it has to do that soon all the same, as in a ring of ranks, another rank could run meanwhile.
#pragma once

#include <fmpl/back_off.hpp>

#include <cstdint>

namespace fmpl {

class KeepingCpu {
public:
    // Once for each answer that is not there yet.
    bool is_worth_it() { return tries_.is_worth_it(); }
    void begins() { has_begun_ = true; }
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
    bool has_begun_ = false;      // since the CPU was given away
    std::uint32_t in_a_row_ = 0;  // answers that have come since
};

}  // namespace fmpl
