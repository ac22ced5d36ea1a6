// Whether X solves A X = B, computed with Eigen on one process.
#pragma once

#include <Eigen/Core>

// Prints what it finds. The residual must be at most 16 times what rounding makes of a system of this order; with
// `verify`, X must also be as near to Eigen's own solution as the condition of A lets one expect.
bool solves(const Eigen::MatrixXd& a, const Eigen::MatrixXd& x, const Eigen::MatrixXd& b, bool verify);
