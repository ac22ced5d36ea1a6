// The random numbers of the NAS Parallel Benchmarks: x' = a x mod 2^46, value x / 2^46 (NPB report RNR-94-007,
// section 2.3).
#pragma once

#include <cstdint>

namespace fmpl::npb {

class Random {
public:
    static constexpr std::uint64_t kMultiplier = 1220703125;  // 5^13
    static constexpr std::uint64_t kDefaultSeed = 314159265;
    static constexpr std::uint64_t kModulus = std::uint64_t{1} << 46;

    explicit constexpr Random(std::uint64_t seed = kDefaultSeed, std::uint64_t multiplier = kMultiplier)
        : state_(seed),
          multiplier_(multiplier)
    {
    }

    // The next value, 0 < value < 1.
    constexpr double next()
    {
        state_ = times(state_, multiplier_);
        return value(state_);
    }

    // As `count` calls of next().
    constexpr void jump(std::uint64_t count) { state_ = times(state_, power(multiplier_, count)); }

    constexpr std::uint64_t state() const { return state_; }

    // a * b mod 2^46. The product's upper bits overflow out of 64, which does no harm: 2^46 divides 2^64.
    static constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) { return (a * b) & (kModulus - 1); }
    static constexpr std::uint64_t power(std::uint64_t base, std::uint64_t exponent)
    {
        std::uint64_t result = 1;
        for (; exponent != 0; exponent >>= 1, base = times(base, base)) {
            if ((exponent & 1) != 0) result = times(result, base);
        }
        return result;
    }
    static constexpr double value(std::uint64_t state) { return static_cast<double>(state) * 0x1p-46; }

private:
    std::uint64_t state_;
    std::uint64_t multiplier_;
};

}  // namespace fmpl::npb
