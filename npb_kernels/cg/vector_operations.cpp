#include "vector_operations.hpp"

#include "lanes.hpp"

#include <cstddef>

namespace fmpl::npb::cg {

namespace {

// Four sums at a time hide the latency of an addition.
constexpr std::size_t kSums = 4;
constexpr std::size_t kStep = kSums * kLanes;

// The sum of terms(i), as many lanes as a register has, and term(i) of what is left.
template <class Terms, class Term>
double sum_over(std::size_t size, const Terms& terms, const Term& term)
{
    Lanes sums[kSums] = {};
    std::size_t i = 0;
    for (; i + kStep <= size; i += kStep) {
        for (std::size_t s = 0; s < kSums; ++s) sums[s] += terms(i + s * kLanes);
    }
    double rest = 0;
    for (; i < size; ++i) rest += term(i);
    return sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
}

}  // namespace

double dot(std::span<const double> a, std::span<const double> b)
{
    return sum_over(
        a.size(), [&](std::size_t i) { return lanes_at(&a[i]) * lanes_at(&b[i]); },
        [&](std::size_t i) { return a[i] * b[i]; });
}

double advance(double alpha, std::span<const double> p, std::span<const double> q, std::span<double> z,
    std::span<const double> r, std::span<double> next)
{
    return sum_over(
        r.size(),
        [&](std::size_t i) {
            lanes_at(&z[i]) += alpha * lanes_at(&p[i]);
            const Lanes residual = lanes_at(&r[i]) - alpha * lanes_at(&q[i]);
            lanes_at(&next[i]) = residual;
            return residual * residual;
        },
        [&](std::size_t i) {
            z[i] += alpha * p[i];
            next[i] = r[i] - alpha * q[i];
            return next[i] * next[i];
        });
}

void turn(double beta, std::span<const double> r, std::span<double> p)
{
    const double* const residual = r.data();
    double* const direction = p.data();
    for (std::size_t i = 0; i < r.size(); ++i) direction[i] = residual[i] + beta * direction[i];
}

double distance_squared(std::span<const double> a, std::span<const double> b)
{
    return sum_over(
        a.size(),
        [&](std::size_t i) {
            const Lanes difference = lanes_at(&a[i]) - lanes_at(&b[i]);
            return difference * difference;
        },
        [&](std::size_t i) { return (a[i] - b[i]) * (a[i] - b[i]); });
}

}  // namespace fmpl::npb::cg
