#include "group/topology.hpp"

#include "error.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

namespace fmpl::mpi {
namespace {

template <class Kind>
const Kind& topology_of(const Communicator& comm, const char* kind, const char* constructors)
{
    const auto* found = std::get_if<std::shared_ptr<const Kind>>(&comm.topology);
    if (found == nullptr) {
        fail(ErrorClass::topology, "comm has no {} topology; give a communicator made by {}", kind, constructors);
    }
    return **found;
}

// The factors of a number, in non-increasing order, with the least difference between the first and the last; among
// equals those whose first ones are smallest.
class ClosestFactors {
public:
    // factors.size() >= 1.
    static std::vector<int> of(int number, std::size_t count)
    {
        ClosestFactors search(number, count);
        search.extend(number, std::numeric_limits<int>::max());
        return search.best_;
    }

private:
    ClosestFactors(int number, std::size_t count) : count_(count)
    {
        for (std::int64_t d = 1; d * d <= number; ++d) {
            if (number % d != 0) continue;
            divisors_.push_back(static_cast<int>(d));
            if (d * d != number) divisors_.push_back(static_cast<int>(number / d));
        }
        std::sort(divisors_.begin(), divisors_.end());
    }

    // Whether base to the power of `exponent` reaches `target`.
    static bool reaches(std::int64_t base, std::size_t exponent, std::int64_t target)
    {
        std::int64_t power = 1;
        for (std::size_t i = 0; i < exponent && power < target; ++i) {
            if (base == 1) break;
            power *= base;
        }
        return power >= target;
    }

    // Splits `rest` into the factors that are missing, none above `limit`.
    void extend(int rest, int limit)
    {
        const std::size_t missing = count_ - factors_.size();
        if (missing == 0) {
            if (rest != 1) return;
            const int difference = factors_.front() - factors_.back();
            if (difference < best_difference_) {
                best_difference_ = difference;
                best_ = factors_;
            }
            return;
        }
        for (const int d : divisors_) {
            if (d > limit || d > rest) break;
            if (rest % d != 0 || !reaches(d, missing, rest)) continue;
            // The last factor is not above this one, nor is the product of those missing below rest.
            if (!factors_.empty() && factors_.front() - d >= best_difference_) continue;
            if (factors_.empty() && !best_.empty() && !can_be_better(d, rest)) break;
            factors_.push_back(d);
            extend(rest / d, d);
            factors_.pop_back();
        }
    }

    // With `first` as the largest factor the smallest one would have to be above first - best_difference_.
    bool can_be_better(int first, int number) const
    {
        const std::int64_t least = std::int64_t{first} - best_difference_ + 1;
        return least <= 1 || !reaches(least, count_, std::int64_t{number} + 1);
    }

    std::size_t count_;
    std::vector<int> divisors_;
    std::vector<int> factors_;
    std::vector<int> best_;
    int best_difference_ = std::numeric_limits<int>::max();
};

}  // namespace

CartesianTopology::CartesianTopology(std::vector<int> dims, std::vector<bool> periods)
    : dims_(std::move(dims)),
      periods_(std::move(periods))
{
    std::int64_t size = 1;
    for (std::size_t i = 0; i < dims_.size(); ++i) {
        if (dims_[i] < 1)
            fail(ErrorClass::dims, "dims[{}] = {} is less than 1; give the extent of each dimension", i, dims_[i]);
        size *= dims_[i];
        if (size > std::numeric_limits<int>::max()) {
            fail(ErrorClass::dims,
                "the product of dims[0] to dims[{}] is more than there can be ranks; give smaller extents", i);
        }
    }
    size_ = static_cast<int>(size);
}

std::vector<int> CartesianTopology::coordinates(int rank) const
{
    std::vector<int> found(dims_.size());
    for (std::size_t i = dims_.size(); i-- > 0;) {
        found[i] = rank % dims_[i];
        rank /= dims_[i];
    }
    return found;
}

int CartesianTopology::rank_at(std::span<const int> coordinates) const
{
    int rank = 0;
    for (std::size_t i = 0; i < dims_.size(); ++i) {
        int place = coordinates[i];
        if (place < 0 || place >= dims_[i]) {
            if (!periods_[i]) {
                fail(ErrorClass::argument,
                    "coords[{}] = {} lies outside dimension {}, which has {} places and is not periodic", i, place, i,
                    dims_[i]);
            }
            place %= dims_[i];
            if (place < 0) place += dims_[i];
        }
        rank = rank * dims_[i] + place;
    }
    return rank;
}

int CartesianTopology::shifted(int rank, int dimension, std::int64_t displacement) const
{
    const auto d = static_cast<std::size_t>(dimension);
    std::vector<int> place = coordinates(rank);
    std::int64_t moved = place[d] + displacement;
    if (moved < 0 || moved >= dims_[d]) {
        if (!periods_[d]) return kProcNull;
        moved %= dims_[d];
        if (moved < 0) moved += dims_[d];
    }
    place[d] = static_cast<int>(moved);
    return rank_at(place);
}

GraphTopology::GraphTopology(std::vector<int> index, std::vector<int> edges)
    : index_(std::move(index)),
      edges_(std::move(edges))
{
    int before = 0;
    for (std::size_t i = 0; i < index_.size(); ++i) {
        if (index_[i] < before) {
            fail(ErrorClass::argument, "index[{}] = {} is less than {}, the number of edges before; index adds them up",
                i, index_[i], before);
        }
        before = index_[i];
    }
    for (std::size_t i = 0; i < edges_.size(); ++i) {
        if (edges_[i] < 0 || edges_[i] >= nodes()) {
            fail(ErrorClass::rank, "edges[{}] = {} is not a node of the graph; it has {}", i, edges_[i], nodes());
        }
    }
}

std::span<const int> GraphTopology::neighbours(int node) const
{
    const auto n = static_cast<std::size_t>(node);
    const auto begin = static_cast<std::size_t>(n == 0 ? 0 : index_[n - 1]);
    return std::span(edges_).subspan(begin, static_cast<std::size_t>(index_[n]) - begin);
}

namespace {

Neighbours find_neighbours(const Communicator& comm)
{
    if (const auto* cart = std::get_if<std::shared_ptr<const CartesianTopology>>(&comm.topology)) {
        std::vector<int> both;
        for (int d = 0; d < (*cart)->dimensions(); ++d) {
            both.push_back((*cart)->shifted(comm.rank(), d, -1));
            both.push_back((*cart)->shifted(comm.rank(), d, 1));
        }
        return {both, both};
    }
    if (const auto* graph = std::get_if<std::shared_ptr<const GraphTopology>>(&comm.topology)) {
        const auto found = (*graph)->neighbours(comm.rank());
        const std::vector<int> both(found.begin(), found.end());
        return {both, both};
    }
    if (const auto* graph = std::get_if<std::shared_ptr<const DistributedGraphTopology>>(&comm.topology)) {
        return {(*graph)->sources().ranks, (*graph)->destinations().ranks};
    }
    fail(ErrorClass::topology,
        "comm has no topology, so nobody is a neighbour; give a communicator made by MPI_Cart_create, MPI_Graph_create "
        "or "
        "MPI_Dist_graph_create");
}

}  // namespace

const Neighbours& neighbours_of(const Communicator& comm)
{
    if (comm.neighbours == nullptr) {
        auto found = std::make_shared<Neighbours>(find_neighbours(comm));
        const bool cartesian = std::holds_alternative<std::shared_ptr<const CartesianTopology>>(comm.topology);
        std::map<int, int> edges_from;
        for (int i = 0; i < static_cast<int>(found->sources.size()); ++i) {
            const int place = cartesian ? i ^ 1 : i;
            found->by_arrival.push_back(place);
            found->before.push_back(edges_from[found->sources[static_cast<std::size_t>(place)]]++);
        }
        comm.neighbours = std::move(found);
    }
    return *comm.neighbours;
}

const CartesianTopology& cartesian_of(const Communicator& comm)
{
    return topology_of<CartesianTopology>(comm, "Cartesian", "MPI_Cart_create");
}

const GraphTopology& graph_of(const Communicator& comm)
{
    return topology_of<GraphTopology>(comm, "graph", "MPI_Graph_create");
}

const DistributedGraphTopology& distributed_graph_of(const Communicator& comm)
{
    return topology_of<DistributedGraphTopology>(
        comm, "distributed graph", "MPI_Dist_graph_create or MPI_Dist_graph_create_adjacent");
}

void balance_dimensions(int nodes, std::span<int> dims)
{
    if (nodes < 1)
        fail(ErrorClass::argument, "nnodes = {} is less than 1; give the number of ranks of the grid", nodes);
    std::int64_t given = 1;
    std::size_t open = 0;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] < 0) {
            fail(ErrorClass::dims, "dims[{}] = {} is negative; give an extent, or 0 to have one chosen", i, dims[i]);
        }
        if (dims[i] == 0) {
            ++open;
        } else if (given <= nodes) {
            given *= dims[i];
        }
    }
    if (given > nodes || nodes % given != 0 || (open == 0 && !dims.empty() && given != nodes)) {
        fail(ErrorClass::dims, "the extents given in dims come to {}{}, which {} nnodes = {}", given,
            given > nodes ? " or more" : "", open == 0 ? "is not" : "does not divide", nodes);
    }
    if (open == 0) return;
    const std::vector<int> factors = ClosestFactors::of(nodes / static_cast<int>(given), open);
    auto next = factors.begin();
    for (int& extent : dims) {
        if (extent == 0) extent = *next++;
    }
}

}  // namespace fmpl::mpi
