// Fills the halo of a grid with the neighbours' layers, in the dimensions that are cut.
//
// The dimensions follow each other, x, y, z, and each one's messages carry the halo that the earlier ones have filled,
// so that edges and corners come without messages of their own: six messages a rank at most. A message leaves the grid
// without being packed. Along z it arrives in place; what arrives along x and y is copied from the memory of messages.
#pragma once

#include "common/communication.hpp"
#include "domain.hpp"
#include "grid.hpp"

#include <array>
#include <span>

namespace fmpl::npb::mg {

class HaloExchange {
public:
    // Messages take the matching indices `index` and `index` + 1 between each two neighbours: exchanges whose receives
    // are posted at the same time need different ones. The grid and the communication must outlive the object.
    static constexpr int kIndices = 2;
    HaloExchange(Communication& communication, const Domain& domain, Grid& grid, int index);

    // Posts the receives: from now on the neighbours may write to the halo. To be called by all ranks ahead of
    // exchange().
    void post();
    // Sends the rank's own layers and waits for those of its neighbours.
    void exchange();

    // Bytes of the memory of messages that it takes beside the grid's.
    static std::size_t bytes(const Box& box, Halo halo);

private:
    // What travels across one dimension.
    struct Crossing {
        bool cut = false;
        int below = 0, above = 0;       // neighbours
        Pieces to_above{}, to_below{};  // the layers that they want
        double* from_below = nullptr;   // where theirs arrive
        double* from_above = nullptr;
    };
    void copy_to_halo(int dimension, const double* layers, bool low);

    Group& group_;
    Grid& grid_;
    int index_;
    std::array<Crossing, kDimensions> crossings_;
};

}  // namespace fmpl::npb::mg
