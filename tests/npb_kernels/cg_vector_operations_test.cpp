// Each operation against a plain loop, at lengths about those of registers, from any double on.
#include "cg/vector_operations.hpp"

#include "support/ranks_test.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace {

using namespace fmpl::npb::cg;

constexpr std::size_t kLongest = 200;
constexpr int kAround = 9;  // elements before and behind a vector
constexpr double kGuard = 1e9;

class CgVectorOperations : public ::testing::Test {
protected:
    // Elements of a vector of its own that begins at any place.
    std::span<double> vector(std::size_t size)
    {
        std::vector<double>& memory = memory_.emplace_back(size + std::size_t{kAround}, kGuard);
        const std::span<double> elements = std::span(memory).subspan(1 + random_() % (kAround - 1), size);
        for (double& value : elements) value = number_(random_);
        return elements;
    }
    double number() { return number_(random_); }

    template <class Check>
    void for_each_length(const Check& check)
    {
        for (std::size_t size = 0; size <= kLongest; ++size) {
            check(size);
            for (const std::vector<double>& memory : memory_) {
                EXPECT_EQ(std::count(memory.begin(), memory.end(), kGuard), kAround) << size;
            }
            memory_.clear();
        }
    }

private:
    std::mt19937_64 random_{fmpl_test::seed()};
    std::uniform_real_distribution<double> number_{-1, 1};
    std::vector<std::vector<double>> memory_;
};

constexpr double kRounding = 1e-13;

TEST_F(CgVectorOperations, DotAndDistanceAgreeWithAPlainLoop)
{
    for_each_length([&](std::size_t size) {
        const std::span<double> a = vector(size), b = vector(size);
        double product = 0, distance = 0;
        for (std::size_t i = 0; i < size; ++i) {
            product += a[i] * b[i];
            distance += (a[i] - b[i]) * (a[i] - b[i]);
        }
        EXPECT_NEAR(dot(a, b), product, kRounding * kLongest) << size;
        EXPECT_NEAR(distance_squared(a, b), distance, kRounding * kLongest) << size;
    });
}

TEST_F(CgVectorOperations, AdvanceAgreesWithAPlainLoop)
{
    for_each_length([&](std::size_t size) {
        const double alpha = number();
        const std::span<double> p = vector(size), q = vector(size), z = vector(size), r = vector(size);
        const std::span<double> next = size % 3 == 0 ? r : vector(size);
        const std::vector<double> old_z(z.begin(), z.end()), old_r(r.begin(), r.end());
        const double result = advance(alpha, p, q, z, r, next);
        double expected = 0;
        for (std::size_t i = 0; i < size; ++i) {
            EXPECT_NEAR(z[i], old_z[i] + alpha * p[i], kRounding) << size;
            EXPECT_NEAR(next[i], old_r[i] - alpha * q[i], kRounding) << size;
            expected += next[i] * next[i];
        }
        EXPECT_NEAR(result, expected, kRounding * kLongest) << size;
    });
}

TEST_F(CgVectorOperations, TurnAgreesWithAPlainLoop)
{
    for_each_length([&](std::size_t size) {
        const double beta = number();
        const std::span<double> r = vector(size), p = vector(size);
        const std::vector<double> old_p(p.begin(), p.end());
        turn(beta, r, p);
        for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(p[i], r[i] + beta * old_p[i], kRounding) << size;
    });
}

}  // namespace
