// The problem of NPB CG (NPB report RNR-94-007, section 2.4; sizes of NPB 3.4): an estimate of the largest eigenvalue
// of a sparse symmetric matrix with a random pattern, by inverse iteration with a shift. What is verified is the
// estimate, zeta.
#pragma once

#include "../common/problem_class.hpp"

#include <cstdint>

namespace fmpl::npb::cg {

// The matrix is the sum over k < order of size(k) v(k) v(k)^T, plus (condition - shift) on the diagonal. v(k) is a
// random sparse vector of `nonzeros` elements, one of them at k or one more there; size(k) falls geometrically from 1
// to `condition`.
struct Problem {
    std::uint32_t order;
    int nonzeros;
    double shift;
    int iterations;
    double zeta;  // the reference value

    static constexpr double kCondition = 0.1;
    static constexpr int kInnerIterations = 25;
    static constexpr double kTolerance = 1e-10;  // relative, on zeta

    // Operations of the timed part, by the benchmark's count.
    constexpr double operations() const
    {
        const double row = static_cast<double>(nonzeros) * (nonzeros + 1);
        return 2.0 * iterations * order * (3 + row + kInnerIterations * (5 + row) + 3);
    }
};

constexpr Problem problem_of(ProblemClass problem_class)
{
    return by_class<Problem>(problem_class, {1400, 7, 10, 15, 8.5971775078648}, {7000, 8, 12, 15, 10.362595087124},
        {14000, 11, 20, 15, 17.130235054029}, {75000, 13, 60, 75, 22.712745482631},
        {150000, 15, 110, 75, 28.973605592845}, {1500000, 21, 500, 100, 52.514532105794});
}

}  // namespace fmpl::npb::cg
