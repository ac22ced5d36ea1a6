// The operators of the benchmark, a row of points at a time (NPB report RNR-94-007, section 2.4; the operators' names
// there: A the residual's, S the smoother, P the restriction, Q the interpolation).
//
// A and S have one coefficient for each distance class of the 27 points: centre, face, edge, corner. A row's four face
// neighbours in y and z are summed once, so are its four edge neighbours, and the sums serve three points of the row.
//
// Rows are pointers to point 0. Rows of one call do not overlap where one of them is written.
#pragma once

#include <array>

namespace fmpl::npb::mg {

using Coefficients = std::array<double, 4>;

inline constexpr Coefficients kResidual{-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0};
inline constexpr Coefficients kSmootherA{-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0};
inline constexpr Coefficients kSmootherB{-3.0 / 17.0, 1.0 / 33.0, -1.0 / 61.0, 0.0};

// Points begin <= x < end.
struct Range {
    int begin;
    int end;
};

// The nine rows at and around a row: row[1 + dz][1 + dy].
using Neighbours = std::array<std::array<const double*, 3>, 3>;

// ahead: null, or a row that will be read soon. It is brought from memory meanwhile, a line every few points, so that
// memory and arithmetic are busy at the same time.

// r = v - A u over the range. Reads u one point beyond it on both sides, v where r is written; r may be v.
void residual_row(double* r, const double* v, const Neighbours& u, Range range, const double* ahead = nullptr);

// u = w + S r over the range, where S has no corners. Reads r one point beyond it on both sides; u may be w.
void smooth_row(double* u, const double* w, const Neighbours& r, const Coefficients& smoother, Range range,
    const double* ahead = nullptr);

// The mean of the coarse rows, of which there are 1, 2 or 4: a row of the fine grid in y and z, coarse in x.
void mean_of_rows(double* mean, const std::array<const double*, 4>& rows, int count, Range range);

// w = u + Q coarse along x, over the range of fine points: point 2 x + 1 lies on the coarse point x, point 2 x between
// the coarse ones x - 1 and x. u null: w = Q coarse.
void interpolate_row(double* w, const double* u, const double* coarse, Range range);

// P along x: half[x] = r[2 x + 1] + (r[2 x] + r[2 x + 2]) / 2 for 0 <= x < size; `beyond` stands for r[2 size].
void restrict_row(double* half, const double* r, double beyond, int size);

// P along y or z: sum += factor * row.
void add_row(double* sum, const double* row, double factor, int size);
void set_row(double* sum, const double* row, double factor, int size);

// Copies past the caches; what is written will not be read soon. REQUIRES: `to` aligned to 64 bytes.
void stream_row(double* to, const double* from, int size);
// Before what was written so is read by another rank.
void finish_streams();

double sum_of_squares(const double* row, int size);

}  // namespace fmpl::npb::mg
