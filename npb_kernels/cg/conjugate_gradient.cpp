#include "conjugate_gradient.hpp"

#include "lanes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace fmpl::npb::cg {

namespace {

// Four sums at a time hide the latency of an addition.
constexpr std::size_t kSums = 4;
constexpr std::size_t kStep = kSums * kLanes;

double total(const Lanes (&lanes)[kSums])
{
    return sum_of((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
}

double dot(std::span<const double> a, std::span<const double> b)
{
    Lanes sums[kSums] = {};
    std::size_t i = 0;
    for (; i + kStep <= a.size(); i += kStep) {
        for (std::size_t s = 0; s < kSums; ++s) sums[s] += lanes_at(&a[i + s * kLanes]) * lanes_at(&b[i + s * kLanes]);
    }
    double rest = 0;
    for (; i < a.size(); ++i) rest += a[i] * b[i];
    return total(sums) + rest;
}

// z += alpha p, r -= alpha q; returns r . r.
double advance(
    double alpha, std::span<const double> p, std::span<const double> q, std::span<double> z, std::span<double> r)
{
    Lanes sums[kSums] = {};
    std::size_t i = 0;
    for (; i + kStep <= r.size(); i += kStep) {
        for (std::size_t s = 0; s < kSums; ++s) {
            const std::size_t at = i + s * kLanes;
            lanes_at(&z[at]) += alpha * lanes_at(&p[at]);
            const Lanes residual = lanes_at(&r[at]) - alpha * lanes_at(&q[at]);
            lanes_at(&r[at]) = residual;
            sums[s] += residual * residual;
        }
    }
    double rest = 0;
    for (; i < r.size(); ++i) {
        z[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        rest += r[i] * r[i];
    }
    return total(sums) + rest;
}

// p = r + beta p
void turn(double beta, std::span<const double> r, double* p)
{
    const double* const residual = r.data();
    for (std::size_t i = 0; i < r.size(); ++i) p[i] = residual[i] + beta * p[i];
}

double distance_squared(std::span<const double> a, std::span<double> b)
{
    for (std::size_t i = 0; i < a.size(); ++i) b[i] = a[i] - b[i];
    return dot(b, b);
}

}  // namespace

ConjugateGradient::ConjugateGradient(DistributedProduct& product, Group& world)
    : product_(product),
      world_(world),
      own_begin_(product.grid().piece(product.grid().own_piece()).begin - product.grid().column_block().begin)
{
    const std::size_t block = product.grid().column_block().size();
    const std::size_t piece = product.grid().piece(product.grid().own_piece()).size();
    // One after the other, each from a line of its own on, and not all at the same place of a page: a store would hold
    // up the loads of another vector behind it.
    constexpr std::size_t kLine = 8;
    const auto room = [](std::size_t size) { return (size / kLine + 8) * kLine; };
    memory_ = WorkArray<double>(2 * room(block) + 2 * room(piece));
    double* next = memory_.data();
    const auto take = [&](std::size_t size) {
        const std::span<double> vector(next, size);
        next += room(size);
        return vector;
    };
    p_ = take(block);
    z_ = take(block);
    q_ = take(piece);
    r_ = take(piece);
}

ConjugateGradient::Solution ConjugateGradient::solve(std::span<const double> x)
{
    std::copy(x.begin(), x.end(), p_.begin());
    std::copy_n(own(x).begin(), r_.size(), r_.begin());
    std::fill(z_.begin(), z_.end(), 0.0);
    double rho = world_.sum(dot(r_, r_));
    for (int iteration = 0; iteration < Problem::kInnerIterations; ++iteration) {
        product_.multiply(p_, q_);
        const double alpha = rho / world_.sum(dot(own(p_), q_));
        double rho_now = advance(alpha, own(p_), q_, own(z_), r_);
        product_.spread(r_, std::span(&rho_now, 1));
        const double beta = rho_now / rho;
        rho = rho_now;
        product_.visit_block(
            [&](std::size_t begin, std::span<const double> piece) { turn(beta, piece, p_.data() + begin); });
    }

    std::array sums{dot(own(x), own(z_)), dot(own(z_), own(z_))};
    product_.spread(own(z_), sums);
    product_.visit_block([&](std::size_t begin, std::span<const double> piece) {
        if (begin != own_begin_) std::copy(piece.begin(), piece.end(), z_.begin() + static_cast<std::ptrdiff_t>(begin));
    });
    product_.multiply(z_, q_);
    return {sums[0], sums[1], std::sqrt(world_.sum(distance_squared(own(x), q_)))};
}

}  // namespace fmpl::npb::cg
