// Which of two ways takes less time, of what is done again and again: both are tried, at first and again now and then,
// since what decides it may change (the distance of two CPUs of a virtual machine does).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace fmpl {

class FasterOfTwo {
public:
    // For the next time: the way to take, 0 or 1; and whether that is a try, which took() has to be told of. Tries of
    // both ways are spread evenly where every second or fourth time is another kind of thing.
    std::size_t way() const { return is_try() ? static_cast<std::size_t>(std::popcount(time_)) % 2 : faster_; }
    bool is_try() const { return time_ < kTries; }
    void took(std::uint64_t ticks, std::size_t bytes)
    {
        const double per_byte = static_cast<double>(ticks) / static_cast<double>(bytes);
        double& least = least_[way()];
        if (time_ < 2 || per_byte < least) least = per_byte;
    }
    // That time is over.
    void next()
    {
        if (++time_ == kTries) faster_ = least_[1] < least_[0] ? 1 : 0;
        if (time_ == kTimes) time_ = 0;
    }

private:
    static constexpr std::uint32_t kTries = 8, kTimes = 256;

    std::uint32_t time_ = 0;
    std::size_t faster_ = 0;
    std::array<double, 2> least_{};  // ticks of a byte, of the last tries
};

}  // namespace fmpl
