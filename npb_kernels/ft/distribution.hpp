// Which rank has which part of the grid, before, within and after the transform.
//
// The ranks form a grid of xy_ranks by yz_ranks. What a rank has of the nx x ny x nz points:
//
//     form      x              y              z              transformed in it
//     physical  all            1 / xy_ranks   1 / yz_ranks   x
//     middle    1 / xy_ranks   all            1 / yz_ranks   y
//     spectral  1 / xy_ranks   1 / yz_ranks   all            z
//
// From form to form, the ranks of one of two groups exchange: those that share z planes (xy), those that share x
// columns (yz). With xy_ranks = 1, a rank has whole z planes (slab) and the first of the exchanges is none; otherwise
// lines (pencil).
//
// Storage is in rows of eight complex numbers (lanes.hpp). Lanes run along y in the physical form and along x in the
// others; eight such lines are a block. Slowest index first:
//
//     physical  [z][block of y][x]        spectral  [block of x][y][z]
#pragma once

#include "../common/problem_class.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace fmpl::npb::ft {

struct Grid {
    std::size_t nx;
    std::size_t ny;
    std::size_t nz;
    std::size_t points() const { return nx * ny * nz; }
};

enum class Layout { automatic, slab, pencil };

class Distribution {
public:
    // The part of `rank`. Automatic: slab while each rank can have a plane, pencil beyond.
    // Throws Refusal when the ranks cannot share the grid in that layout.
    Distribution(const Grid& grid, int ranks, Layout layout, int rank);

    const Grid& grid() const { return grid_; }
    std::size_t xy_ranks() const { return xy_ranks_; }
    std::size_t yz_ranks() const { return yz_ranks_; }
    bool slab() const { return xy_ranks_ == 1; }

    // Ranks of the job in the two groups of this rank, by their places there.
    std::vector<int> xy_group() const;
    std::vector<int> yz_group() const;

    // Physical form: planes from first_plane(), lines from first_physical_line() in each.
    std::size_t planes() const { return grid_.nz / yz_ranks_; }
    std::size_t first_plane() const { return yz_place_ * planes(); }
    std::size_t physical_lines() const { return grid_.ny / xy_ranks_; }
    std::size_t first_physical_line() const { return xy_place_ * physical_lines(); }
    std::size_t y_blocks() const { return physical_lines() / 8; }

    // Middle and spectral form.
    std::size_t columns() const { return grid_.nx / xy_ranks_; }
    std::size_t first_column() const { return xy_place_ * columns(); }
    std::size_t x_blocks() const { return columns() / 8; }

    // Spectral form.
    std::size_t spectral_lines() const { return grid_.ny / yz_ranks_; }
    std::size_t first_spectral_line() const { return yz_place_ * spectral_lines(); }

    // Points of this rank, in each form; those that one rank sends to another one in an xy exchange.
    std::size_t points() const { return grid_.nx * physical_lines() * planes(); }
    std::size_t xy_block_points() const { return points() / xy_ranks_; }

private:
    Grid grid_;
    std::size_t xy_ranks_;
    std::size_t yz_ranks_;
    std::size_t xy_place_;
    std::size_t yz_place_;
};

// The benchmark's (RNR-94-007; D by NPB 2.4).
Grid grid_of(ProblemClass problem_class);
int iterations_of(ProblemClass problem_class);

}  // namespace fmpl::npb::ft
