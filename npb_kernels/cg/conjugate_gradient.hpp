// Twenty-five iterations of conjugate gradients on A z = x (NPB report RNR-94-007, section 2.4.3), without
// preconditioner and without a test of convergence, as the benchmark prescribes.
//
// Each rank works on its own piece of r, z and q = A p, and has p as operand of the product. The ranks meet in the
// product, which also gives p . q, and in the sum r . r, with which the pieces of r are published: a rank forms its p
// from those of r itself. So an iteration has two meetings; where p . q takes one of its own
// (distributed_product.hpp) the first of three is of the ranks of a row alone.
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
    // x: the right-hand side, in the form of an operand of the product. Collective; every rank returns the same.
    Solution solve(std::span<const double> x);

    // z in that form, until the next solve().
    std::span<const double> solution() const { return z_; }

private:
    DistributedProduct& product_;
    Group& world_;
    WorkArray<double> memory_;
    std::span<double> p_;
    std::span<double> z_;  // the own piece alone until it is published
};

}  // namespace fmpl::npb::cg
