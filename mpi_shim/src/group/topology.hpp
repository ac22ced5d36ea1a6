// The virtual topologies that a communicator may have (MPI-3.1, chapter 7). Immutable; communicators share them.
// Ranks are those of the communicator. Nothing here communicates. Errors: Error with the class of the standard.
#pragma once

#include "group/communicator.hpp"

#include <span>
#include <vector>

namespace fmpl::mpi {

// A grid, its ranks in row-major order.
class CartesianTopology {
public:
    // dims: at least 1 each (MPI_ERR_DIMS), with a product that an int can say.
    CartesianTopology(std::vector<int> dims, std::vector<bool> periods);

    int dimensions() const { return static_cast<int>(dims_.size()); }
    const std::vector<int>& dims() const { return dims_; }
    const std::vector<bool>& periods() const { return periods_; }
    // Number of places; 1 without dimensions.
    int size() const { return size_; }

    // Requires 0 <= rank < size().
    std::vector<int> coordinates(int rank) const;
    // Coordinates beyond a periodic dimension are wrapped; beyond another one they are an error (MPI_ERR_ARG).
    int rank_at(std::span<const int> coordinates) const;
    // The rank that is `displacement` away along a dimension; MPI_PROC_NULL beyond the end of one that is not periodic.
    int shifted(int rank, int dimension, std::int64_t displacement) const;

private:
    std::vector<int> dims_;
    std::vector<bool> periods_;
    int size_ = 1;
};

// A graph that every rank knows whole.
class GraphTopology {
public:
    // index[i]: number of neighbours of the nodes 0 .. i together; edges: their neighbours (MPI_ERR_ARG, MPI_ERR_RANK).
    GraphTopology(std::vector<int> index, std::vector<int> edges);

    int nodes() const { return static_cast<int>(index_.size()); }
    const std::vector<int>& index() const { return index_; }
    const std::vector<int>& edges() const { return edges_; }
    // Requires 0 <= node < nodes().
    std::span<const int> neighbours(int node) const;

private:
    std::vector<int> index_;
    std::vector<int> edges_;
};

// A graph of which each rank knows its own edges.
class DistributedGraphTopology {
public:
    struct Edges {
        std::vector<int> ranks;
        std::vector<int> weights;  // one a rank; empty without weights
    };

    DistributedGraphTopology(Edges sources, Edges destinations, bool weighted)
        : sources_(std::move(sources)),
          destinations_(std::move(destinations)),
          weighted_(weighted)
    {
    }

    const Edges& sources() const { return sources_; }
    const Edges& destinations() const { return destinations_; }
    bool weighted() const { return weighted_; }

private:
    Edges sources_;
    Edges destinations_;
    bool weighted_;
};

// The neighbours of the calling rank in the order in which the neighbourhood collectives have their blocks (section
// 7.6): of a grid per dimension the one below and the one above, MPI_PROC_NULL where there is none. MPI_ERR_TOPOLOGY
// when the communicator has no topology.
struct Neighbours {
    std::vector<int> sources;
    std::vector<int> destinations;
    // Places in `sources`, so that the edges from one rank come in the order in which that rank has them. In a periodic
    // dimension of one or two ranks it is both neighbours, and what it sends downwards comes from above.
    std::vector<int> by_arrival{};
    // For each of these: how many edges from the same rank come before it.
    std::vector<int> before{};
};
// Kept with the communicator.
const Neighbours& neighbours_of(const Communicator& comm);

// The topology of one kind; MPI_ERR_TOPOLOGY when the communicator has none or another one.
const CartesianTopology& cartesian_of(const Communicator& comm);
const GraphTopology& graph_of(const Communicator& comm);
const DistributedGraphTopology& distributed_graph_of(const Communicator& comm);

// MPI_Dims_create: sets the entries of dims that are 0, so that the product is `nodes` and those set are as close to
// each other as possible, in non-increasing order. MPI_ERR_DIMS when the entries given do not divide `nodes`.
void balance_dimensions(int nodes, std::span<int> dims);

}  // namespace fmpl::mpi
