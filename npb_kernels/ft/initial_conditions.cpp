#include "initial_conditions.hpp"

#include "lanes.hpp"

#include "../common/random.hpp"

#include <bit>

namespace fmpl::npb::ft {

namespace {

// state / 2^46, exactly: the bits of 64 + state / 2^46 are those of 64 with the state in the last ones.
inline Vector value(const StateVector& state)
{
    const StateVector shifted = state | std::bit_cast<std::uint64_t>(64.0);
    return reinterpret_cast<const Vector&>(shifted) - 64.0;
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
    StateVector real[kParts], imaginary[kParts];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t state = Random::times(first.state(), lane_jumps_[lane]);
        real[lane / kWidth][lane % kWidth] = Random::times(state, Random::kMultiplier);
        imaginary[lane / kWidth][lane % kWidth] = Random::times(state, kTwoSteps);
    }
    for (double* const end = rows + grid_.nx * kRow; rows != end; rows += kRow) {
        for (std::size_t part = 0; part < kParts; ++part) {
            store(rows, part * kWidth, {value(real[part]), value(imaginary[part])});
            real[part] = real[part] * kTwoSteps & kMask;
            imaginary[part] = imaginary[part] * kTwoSteps & kMask;
        }
    }
}

}  // namespace fmpl::npb::ft
