// What conjugate gradients do with vectors, each in one pass over memory.
#pragma once

#include <span>

namespace fmpl::npb::cg {

// a . b. REQUIRES: a.size() == b.size().
double dot(std::span<const double> a, std::span<const double> b);

// z += alpha p, next = r - alpha q; returns next . next. REQUIRES: equal sizes; next may be r, none of
// the others.
double advance(double alpha, std::span<const double> p, std::span<const double> q, std::span<double> z,
    std::span<const double> r, std::span<double> next);

// p = r + beta p. REQUIRES: equal sizes.
void turn(double beta, std::span<const double> r, std::span<double> p);

// |a - b|^2. REQUIRES: a.size() == b.size().
double distance_squared(std::span<const double> a, std::span<const double> b);

}  // namespace fmpl::npb::cg
