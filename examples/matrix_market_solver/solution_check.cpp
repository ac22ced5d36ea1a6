#include "solution_check.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace {

constexpr double limit = 16;  // as for LINPACK
constexpr double epsilon = std::numeric_limits<double>::epsilon() / 2;

double norm(const Eigen::MatrixXd& matrix)  // largest sum of a row
{
    return matrix.cwiseAbs().rowwise().sum().maxCoeff();
}

double ratio(double part, double whole)
{
    return part == 0 ? 0 : part / whole;
}

}  // namespace

bool solves(const Eigen::MatrixXd& a, const Eigen::MatrixXd& x, const Eigen::MatrixXd& b, bool verify)
{
    if (!x.allFinite()) {
        std::puts("residual  none: elements of the solution are not finite");
        return false;
    }
    const double rounding = static_cast<double>(x.rows()) * epsilon;
    const double norm_a = norm(a);
    const Eigen::MatrixXd difference = a * x - b;
    double residual = 0;
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
        residual = std::max(residual, ratio(norm(difference.col(j)), norm_a * norm(x.col(j)) * rounding));
    }
    std::printf("residual  |Ax-b| / (|A| |x| n eps) = %.3g, at most %g\n", residual, limit);
    if (!verify) return residual <= limit;

    // Two good solutions differ by the residual's limit times the condition number. From 1 on they say nothing, and the
    // matrix is singular to working precision.
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(a);
    const Eigen::MatrixXd y = lu.solve(b);
    const double found = ratio(norm(x - y), norm(y));
    const double allowed = limit * rounding / lu.rcond();
    std::printf("verify    |x-y| / |y| = %.3g, y by Eigen; at most %.3g, and that below 1\n", found, allowed);
    return residual <= limit && found <= allowed && allowed < 1;
}
