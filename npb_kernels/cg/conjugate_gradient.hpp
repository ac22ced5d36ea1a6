// Twenty-five iterations of conjugate gradients on A z = x (NPB report RNR-94-007, section 2.4.3), without
// preconditioner and without a test of convergence, as the benchmark prescribes.
//
// Each rank works on its own piece of r, z and q = A p, and on its column block of p, the operand of the product. An
// iteration has three meetings of the ranks: the product's, the sum p . q, and the sum r . r, with which the pieces of
// r spread in the columns: a rank forms its block of p from those of r itself.
#pragma once

#include "distributed_product.hpp"

#include "../common/communication.hpp"
#include "../common/work_array.hpp"

#include <span>

namespace fmpl::npb::cg {

class ConjugateGradient {
public:
    // Both must outlive it; world: the ranks of the product.
    ConjugateGradient(DistributedProduct& product, Group& world);

    struct Solution {
        double x_dot_z;
        double z_dot_z;
        double residual;  // |x - A z|
    };
    // x: the column block of the right-hand side. Collective; every rank returns the same.
    Solution solve(std::span<const double> x);

    // z in the column block, until the next solve().
    std::span<const double> solution() const { return z_; }

    // Elements of the column block, and which of them are the own piece.
    std::size_t block_size() const { return z_.size(); }

private:
    std::span<const double> own(std::span<const double> block) const { return block.subspan(own_begin_, r_.size()); }
    std::span<double> own(std::span<double> block) const { return block.subspan(own_begin_, r_.size()); }

    DistributedProduct& product_;
    Group& world_;
    WorkArray<double> memory_;
    std::size_t own_begin_;  // of the own piece in the column block
    std::span<double> p_;    // column block
    std::span<double> z_;    // column block, the own piece alone until it is spread
    std::span<double> q_;    // own piece, as r_
    std::span<double> r_;
};

}  // namespace fmpl::npb::cg
