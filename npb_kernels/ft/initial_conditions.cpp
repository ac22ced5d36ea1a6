#include "initial_conditions.hpp"

#include "lanes.hpp"

#include "../common/random.hpp"

namespace fmpl::npb::ft {

namespace {

inline Lanes value(const StateLanes& state)
{
    using Signed = std::int64_t __attribute__((vector_size(64)));  // processors convert these
    return __builtin_convertvector(reinterpret_cast<const Signed&>(state), Lanes) * 0x1p-46;
}

}  // namespace

InitialConditions::InitialConditions(const Grid& grid) : grid_(grid)
{
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        lane_jumps_[lane] = Random::power(Random::kMultiplier, 2 * grid.nx * lane);
    }
}

void InitialConditions::fill(std::size_t y, std::size_t z, double* rows) const
{
    constexpr std::uint64_t kMask = Random::kModulus - 1;
    constexpr std::uint64_t kTwoSteps = Random::times(Random::kMultiplier, Random::kMultiplier);
    Random first;
    first.jump(2 * grid_.nx * (y + grid_.ny * z));
    // Two sequences, the real and the imaginary parts, since a multiplication waits for the one before.
    StateLanes real, imaginary;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t state = Random::times(first.state(), lane_jumps_[lane]);
        real[lane] = Random::times(state, Random::kMultiplier);
        imaginary[lane] = Random::times(state, kTwoSteps);
    }
    for (double* const end = rows + grid_.nx * kRow; rows != end; rows += kRow) {
        store<false>(rows, {value(real), value(imaginary)});
        real = real * kTwoSteps & kMask;
        imaginary = imaginary * kTwoSteps & kMask;
    }
}

}  // namespace fmpl::npb::ft
