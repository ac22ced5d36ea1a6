// The passes of a V-cycle over one level, each going once through the memory of the level's arrays.
//
// On the finest level, a cycle does u += Q z, r = v - A u, u += S r, and then r = v - A u again, of which the next
// cycle wants P r only (and the last one the norm). Operation by operation that moves twelve arrays between memory and
// processor. Here they follow each other plane by plane, each a plane behind the one before, over a strip of rows that
// is narrow enough for the planes under work to stay in the L2 cache: u and v are read, the new u is written, and no
// residual is ever stored.
//
// What an operation needs beyond the rank's box or the strip it computes again from the halo of u and v: each one less
// far out than the one before it. So a rank exchanges layers of u once in a cycle, as deep as that reaches
// (kSolutionHalo).
#pragma once

#include "common/work_array.hpp"
#include "grid.hpp"
#include "stencils.hpp"

#include <array>
#include <cstddef>

namespace fmpl::npb::mg {

// The halos that the passes read.
inline constexpr Halo kSolutionHalo{3, 4};        // u of the finest level
inline constexpr Halo kRightHandSideHalo{2, 3};   // v
inline constexpr Halo kCoarseSolutionHalo{2, 2};  // u of the others
inline constexpr Halo kCoarseResidualHalo{1, 1};  // their right-hand sides, which are residuals of the next finer level

class FusedSweep {
public:
    // finest: the largest box of the grids to come.
    FusedSweep(const Box& finest, const Coefficients& smoother);

    // What the finest level's pass makes.
    struct Finest {
        const Grid& u;
        const Grid& v;
        const Grid* coarse = nullptr;  // the coarser level's solution z; null: no correction, only the residual of u
        Grid* corrected = nullptr;     // the new u, another grid than u; where there is a correction
        Grid* restricted = nullptr;    // P r; null: not wanted
        bool norm = false;             // the sum of squares of r is wanted
    };
    // Returns the sum of squares of r = v - A u over the box, u as corrected, where it is wanted.
    double finest(const Finest& pass);

    // A coarser level: u = w + S (r - A w), where w = Q coarse; without coarse, on the coarsest level, w = 0.
    void coarse(const Grid& r, const Grid* coarse, Grid& u);

    // P r of a residual that is stored.
    void restrict_stored(const Grid& r, Grid& restricted);

    static std::size_t bytes(const Box& finest);

private:
    // Three planes of a strip, the rows of which are numbered as those of the grid.
    class Window {
    public:
        void reshape(double* memory, std::size_t pitch, int first_row, int rows);
        double* row(int y, int z)
        {
            return planes_[static_cast<std::size_t>((z + 3 * Grid::kReach) % 3)] +
                   static_cast<std::size_t>(y - first_row_) * pitch_;
        }

    private:
        std::array<double*, 3> planes_{};
        std::size_t pitch_ = 0;
        int first_row_ = 0;
    };
    static Neighbours around(Window& window, int y, int z);

    // The points of a row that an operation computes: those of the box, and `low` and `high` more where x is cut.
    static Range points(const Grid& grid, int low, int high);
    // Where x is not cut, a row's neighbours beyond its ends are the points of the other end.
    static void close(double* row, const Grid& grid);

    void interpolate(double* w, const double* u, const Grid& coarse, int y, int z, Range range);
    // Takes the rows of r in the order of y within each plane, from first_row on, and the planes in the order of z.
    void restrict_to(Grid& restricted, const double* row, double beyond, int y, int z, int first_row);

    Coefficients smoother_;
    WorkArray<double> memory_;
    std::array<Window, 3> windows_;
    WorkArray<double> lines_;
    double *mean_, *residual_, *half_, *quarter_, *zero_;  // rows in lines_, from their point 0
};

}  // namespace fmpl::npb::mg
