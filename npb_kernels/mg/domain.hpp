// How the cubic grids of the multigrid hierarchy lie over the ranks.
//
// Level k has 2^k points in each of the three dimensions x (contiguous in memory), y, z, periodic in all. The process
// grid is one of powers of two, the same at all levels that are distributed; a rank owns a box of 2^k / processes
// points of each. The levels from gathered_level() down are computed by rank 0 alone: there a grid takes less time than
// its messages would.
#pragma once

#include <array>

namespace fmpl::npb::mg {

inline constexpr int kDimensions = 3;  // 0: x, 1: y, 2: z
using Triple = std::array<int, kDimensions>;

// A rank's box of one level's grid. In a dimension that is not cut the box is the whole period.
struct Box {
    Triple size{};
    Triple offset{};
    std::array<bool, kDimensions> cut{};
};

class Domain {
public:
    // Layers that a rank's finest grid must have in a dimension that is cut: its neighbour's halo comes from it alone.
    static constexpr int kFewestLayers = 4;

    // The process grid of the least communication for `ranks` ranks and 2^finest points a dimension, or {0, 0, 0} where
    // there is none: `ranks` is no power of two, or too many.
    static Triple choose_processes(int ranks, int finest);
    // Whether such a process grid can be used.
    static bool allows(const Triple& processes, int finest);
    static int most_ranks(int finest);

    // REQUIRES: allows(processes, finest), 0 <= rank < product of processes.
    Domain(int rank, const Triple& processes, int finest);

    int rank() const { return rank_; }
    int ranks() const { return processes_[0] * processes_[1] * processes_[2]; }
    const Triple& processes() const { return processes_; }
    int finest() const { return finest_; }
    int gathered_level() const { return gathered_; }

    // The box of a rank at a level >= gathered_level().
    Box box(int level, int rank) const;
    Box box(int level) const { return box(level, rank_); }

    // The rank next to this one in a dimension; direction: -1 or +1.
    int neighbour(int dimension, int direction) const;

private:
    Triple coordinates(int rank) const;

    int rank_;
    Triple processes_;
    int finest_;
    int gathered_;
};

}  // namespace fmpl::npb::mg
