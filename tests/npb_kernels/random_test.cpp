// The random numbers of the benchmarks: steps and jumps against arithmetic in 128 bits.
#include "common/random.hpp"

#include "support/ranks_test.hpp"

#include <cstdint>
#include <random>

namespace {

using fmpl::npb::Random;

__extension__ using Wide = unsigned __int128;

std::uint64_t plain_product(std::uint64_t a, std::uint64_t b)
{
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % Random::kModulus);
}

// x a^count mod 2^46, by count products.
std::uint64_t plain_steps(std::uint64_t x, std::uint64_t a, std::uint64_t count)
{
    for (std::uint64_t step = 0; step < count; ++step) x = plain_product(x, a);
    return x;
}

TEST(Random, ValuesAreThoseOfPlainArithmetic)
{
    std::mt19937_64 seeds(fmpl_test::seed());
    for (int run = 0; run < 50; ++run) {
        const std::uint64_t seed = run == 0 ? Random::kDefaultSeed : seeds() % Random::kModulus | 1;
        const std::uint64_t multiplier = run % 2 == 0 ? Random::kMultiplier : seeds() % Random::kModulus | 1;
        Random random(seed, multiplier);
        std::uint64_t state = seed;
        for (int step = 0; step < 200; ++step) {
            state = plain_product(state, multiplier);
            const double value = random.next();
            ASSERT_EQ(random.state(), state);
            ASSERT_EQ(value, static_cast<double>(state) / static_cast<double>(Random::kModulus));
            ASSERT_GT(value, 0.0);
            ASSERT_LT(value, 1.0);
        }
    }
}

TEST(Random, AJumpIsAsManySteps)
{
    std::mt19937_64 counts(fmpl_test::seed());
    for (int run = 0; run < 300; ++run) {
        const std::uint64_t count = run < 40 ? static_cast<std::uint64_t>(run) : counts() % 5000;
        Random random;
        random.jump(count);
        ASSERT_EQ(random.state(), plain_steps(Random::kDefaultSeed, Random::kMultiplier, count)) << count << " steps";
    }
}

TEST(Random, JumpsAddUp)
{
    std::mt19937_64 counts(fmpl_test::seed());
    for (int run = 0; run < 1000; ++run) {
        const std::uint64_t first = counts() >> (20 + run % 40), second = counts() >> (20 + run % 37);
        Random both, one;
        both.jump(first);
        both.jump(second);
        one.jump(first + second);
        ASSERT_EQ(both.state(), one.state()) << first << " and " << second;
    }
}

// The multiplier is 5 mod 8, and the seed odd: the states are a cycle of 2^44 (Knuth, volume 2, section 3.2.1.2).
TEST(Random, StatesRepeatAfterTwoToThe44AndNotBefore)
{
    constexpr auto after = [](std::uint64_t count) {
        Random random;
        random.jump(count);
        return random.state();
    };
    static_assert(after(std::uint64_t{1} << 44) == Random::kDefaultSeed);
    static_assert(after(std::uint64_t{1} << 43) != Random::kDefaultSeed);
}

}  // namespace
