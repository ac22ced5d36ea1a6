#include "conjugate_gradient.hpp"

#include "problem.hpp"
#include "vector_operations.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace fmpl::npb::cg {

ConjugateGradient::ConjugateGradient(DistributedProduct& product, Group& world) : product_(product), world_(world)
{
    // One after the other, each from a line of its own on, and not all at the same place of a page: a store would hold
    // up the loads of another vector behind it.
    constexpr std::size_t kLine = 8;
    const std::size_t size = product.operand_size();
    const std::size_t room = (size / kLine + 8) * kLine;
    memory_ = WorkArray<double>(2 * room);
    p_ = std::span<double>(memory_).subspan(0, size);
    z_ = std::span<double>(memory_).subspan(room, size);
}

ConjugateGradient::Solution ConjugateGradient::solve(std::span<const double> x)
{
    const std::span<const double> own_x = product_.own_piece(x);
    const std::span<const double> own_p = product_.own_piece(std::span<const double>(p_));
    const std::span<double> own_z = product_.own_piece(z_);
    std::copy(x.begin(), x.end(), p_.begin());
    std::fill(own_z.begin(), own_z.end(), 0.0);
    std::span<const double> r = own_x;
    double rho = world_.sum(dot(r, r));
    for (int iteration = 0; iteration < Problem::kInnerIterations; ++iteration) {
        const double alpha = rho / product_.multiply_and_dot(p_);
        const std::span<double> next_r = product_.piece_to_publish();
        double next_rho = 0;
        product_.visit_product([&](std::size_t begin, std::span<const double> q) {
            const auto part = [&](auto piece) { return piece.subspan(begin, q.size()); };
            next_rho += advance(alpha, part(own_p), q, part(own_z), part(r), part(next_r));
        });
        product_.publish(std::span(&next_rho, 1));
        r = product_.published_piece();
        const double beta = next_rho / rho;
        rho = next_rho;
        product_.visit_published([&](std::size_t begin, std::span<const double> piece) {
            turn(beta, piece, p_.subspan(begin, piece.size()));
        });
    }

    std::array sums{dot(own_x, own_z), dot(own_z, own_z)};
    world_.sum(sums);
    std::copy(own_z.begin(), own_z.end(), product_.piece_to_publish().begin());
    product_.publish();
    product_.visit_published([&](std::size_t begin, std::span<const double> piece) {
        std::copy(piece.begin(), piece.end(), z_.subspan(begin).begin());
    });
    product_.multiply(z_);
    double residual = 0;
    product_.visit_product([&](std::size_t begin, std::span<const double> a_z) {
        residual += distance_squared(own_x.subspan(begin, a_z.size()), a_z);
    });
    return {sums[0], sums[1], std::sqrt(world_.sum(residual))};
}

}  // namespace fmpl::npb::cg
