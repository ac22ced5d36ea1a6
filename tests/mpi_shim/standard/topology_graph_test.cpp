// MPI-3.1, sections 7.5.3 to 7.5.5: graphs, general and distributed.
#include "mpi_test.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

using namespace mpi_test;

namespace {

using Numbers = std::vector<int>;

// A communicator, freed at the end of its scope.
class Owned {
public:
    Owned() = default;
    ~Owned()
    {
        if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;

    MPI_Comm get() const { return comm_; }
    MPI_Comm* out() { return &comm_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

int topology_of(MPI_Comm comm)
{
    int status = -9;
    MPI_Topo_test(comm, &status);
    return status;
}

// The example of section 7.5.3, 4 nodes.
const Numbers kIndex = {2, 3, 4, 6};
const Numbers kEdges = {1, 3, 0, 3, 0, 2};

// The neighbours of a rank with their weights, each pair as often as it is there.
using Weighted = std::multimap<int, int>;

Weighted weighted(const Numbers& neighbours, const Numbers& weights)
{
    Weighted all;
    for (std::size_t i = 0; i < neighbours.size(); ++i) all.emplace(neighbours[i], weights[i]);
    return all;
}

struct Neighbours {
    Numbers sources, source_weights, destinations, destination_weights;
    int is_weighted = -1;
};

Neighbours neighbours_of(MPI_Comm comm)
{
    Neighbours n;
    int in = -1;
    int out = -1;
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &n.is_weighted);
    n.sources.assign(static_cast<std::size_t>(in), -1);
    n.source_weights.assign(static_cast<std::size_t>(in), -1);
    n.destinations.assign(static_cast<std::size_t>(out), -1);
    n.destination_weights.assign(static_cast<std::size_t>(out), -1);
    if (n.is_weighted) {
        MPI_Dist_graph_neighbors(comm, in, n.sources.data(), n.source_weights.data(), out, n.destinations.data(),
            n.destination_weights.data());
    } else {
        MPI_Dist_graph_neighbors(
            comm, in, n.sources.data(), MPI_UNWEIGHTED, out, n.destinations.data(), MPI_UNWEIGHTED);
    }
    return n;
}

int weight_of(int from, int to)
{
    return from * 10 + to + 1;
}

}  // namespace

MPI_TEST_AT(Graph, GivesBackWhatItWasMadeOf, ({4, 7}))
{
    Owned graph;
    MPI_Graph_create(MPI_COMM_WORLD, 4, kIndex.data(), kEdges.data(), 0, graph.out());
    EXPECT_EQ(graph.get() != MPI_COMM_NULL, rank() < 4);
    if (graph.get() == MPI_COMM_NULL) return;
    EXPECT_EQ(topology_of(graph.get()), MPI_GRAPH);
    int nodes = 0;
    int edges = 0;
    MPI_Graphdims_get(graph.get(), &nodes, &edges);
    EXPECT_EQ(nodes, 4);
    EXPECT_EQ(edges, 6);
    Numbers index(4), all_edges(6);
    MPI_Graph_get(graph.get(), 4, 6, index.data(), all_edges.data());
    EXPECT_EQ(index, kIndex);
    EXPECT_EQ(all_edges, kEdges);
    const Numbers expected[4] = {{1, 3}, {0}, {3}, {0, 2}};
    for (int r = 0; r < 4; ++r) {
        int count = -1;
        MPI_Graph_neighbors_count(graph.get(), r, &count);
        Numbers neighbours(static_cast<std::size_t>(count));
        MPI_Graph_neighbors(graph.get(), r, count, neighbours.data());
        EXPECT_EQ(neighbours, expected[r]);
    }
    Owned copy;
    MPI_Comm_dup(graph.get(), copy.out());
    EXPECT_EQ(topology_of(copy.get()), MPI_GRAPH);
}

// Loops and edges that are there twice are allowed, and the graph need not be symmetric.
MPI_TEST_AT(Graph, MayHaveLoopsAndMultipleEdges, ({2, 3, 4}))
{
    const Numbers index = {3, 4};
    const Numbers edges = {0, 1, 1, 0};
    Owned graph;
    MPI_Graph_create(MPI_COMM_WORLD, 2, index.data(), edges.data(), 0, graph.out());
    if (graph.get() == MPI_COMM_NULL) return;
    Numbers neighbours(3);
    MPI_Graph_neighbors(graph.get(), 0, 3, neighbours.data());
    EXPECT_EQ(neighbours, (Numbers{0, 1, 1}));
}

MPI_TEST(Graph, WithoutNodesIsNone)
{
    MPI_Comm none = MPI_COMM_SELF;
    const int unused = 0;
    MPI_Graph_create(MPI_COMM_WORLD, 0, &unused, &unused, 0, &none);
    EXPECT_TRUE(none == MPI_COMM_NULL);
}

MPI_TEST(Graph, TooManyNodesAreAnError)
{
    const ReturnErrors guard;
    const Numbers index(static_cast<std::size_t>(size()) + 1, 0);
    const int unused = 0;
    MPI_Comm comm = MPI_COMM_NULL;
    EXPECT_NE(MPI_Graph_create(MPI_COMM_WORLD, size() + 1, index.data(), &unused, 0, &comm), MPI_SUCCESS);
}

MPI_TEST(Graph, MapGivesEachUsedRankAPlace)
{
    const Numbers index(1, 0);
    const int unused = 0;
    int place = -9;
    MPI_Graph_map(MPI_COMM_WORLD, 1, index.data(), &unused, &place);
    int has_place = place == MPI_UNDEFINED ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &has_place, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(has_place, 1);
}

// Each rank names its own edges: from every rank before it, to every rank after it.
MPI_TEST(DistributedGraph, AdjacentKeepsOrderAndWeights)
{
    Numbers sources, source_weights, destinations, destination_weights;
    for (int other = rank() - 1; other >= 0; --other) {
        sources.push_back(other);
        source_weights.push_back(weight_of(other, rank()));
    }
    for (int other = rank() + 1; other < size(); ++other) {
        destinations.push_back(other);
        destination_weights.push_back(weight_of(rank(), other));
    }
    const int* in_weights = sources.empty() ? MPI_WEIGHTS_EMPTY : source_weights.data();
    const int* out_weights = destinations.empty() ? MPI_WEIGHTS_EMPTY : destination_weights.data();
    Owned graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(), in_weights,
        static_cast<int>(destinations.size()), destinations.data(), out_weights, MPI_INFO_NULL, 0, graph.out());
    EXPECT_EQ(topology_of(graph.get()), MPI_DIST_GRAPH);
    const Neighbours n = neighbours_of(graph.get());
    EXPECT_TRUE(n.is_weighted);
    EXPECT_EQ(n.sources, sources);
    EXPECT_EQ(n.source_weights, source_weights);
    EXPECT_EQ(n.destinations, destinations);
    EXPECT_EQ(n.destination_weights, destination_weights);
    Owned copy;
    MPI_Comm_dup(graph.get(), copy.out());
    EXPECT_EQ(topology_of(copy.get()), MPI_DIST_GRAPH);
    EXPECT_EQ(neighbours_of(copy.get()).sources, sources);
}

MPI_TEST(DistributedGraph, AdjacentMayBeUnweighted)
{
    const Numbers around = {(rank() + 1) % size(), rank(), (rank() + size() - 1) % size()};
    const Numbers reversed = {(rank() + size() - 1) % size(), rank(), (rank() + 1) % size()};
    Owned graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, reversed.data(), MPI_UNWEIGHTED, 3, around.data(), MPI_UNWEIGHTED,
        MPI_INFO_NULL, 1, graph.out());
    const Neighbours n = neighbours_of(graph.get());
    EXPECT_FALSE(n.is_weighted);
    EXPECT_EQ(n.sources.size(), 3U);
    EXPECT_EQ(n.destinations.size(), 3U);
}

// One rank names all edges of a ring; the others name none.
MPI_TEST(DistributedGraph, OneRankMayNameAllEdges)
{
    Numbers sources, degrees, destinations, weights;
    if (rank() == size() - 1) {
        for (int r = 0; r < size(); ++r) {
            sources.push_back(r);
            degrees.push_back(2);
            for (const int step : {1, 2}) {
                destinations.push_back((r + step) % size());
                weights.push_back(weight_of(r, (r + step) % size()));
            }
        }
    }
    Owned graph;
    MPI_Dist_graph_create(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(), degrees.data(),
        destinations.data(), sources.empty() ? MPI_WEIGHTS_EMPTY : weights.data(), MPI_INFO_NULL, 0, graph.out());
    const Neighbours n = neighbours_of(graph.get());
    EXPECT_TRUE(n.is_weighted);
    Weighted in, out;
    for (const int step : {1, 2}) {
        const int next = (rank() + step) % size();
        const int previous = (rank() + 2 * size() - step) % size();
        out.emplace(next, weight_of(rank(), next));
        in.emplace(previous, weight_of(previous, rank()));
    }
    EXPECT_EQ(weighted(n.sources, n.source_weights), in);
    EXPECT_EQ(weighted(n.destinations, n.destination_weights), out);
}

// Each rank names edges between other ranks.
MPI_TEST(DistributedGraph, RanksMayNameTheEdgesOfOthers)
{
    const int from = (rank() + 1) % size();
    const int to = (rank() + 3) % size();
    const int degree = 1;
    Owned graph;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &from, &degree, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, graph.out());
    const Neighbours n = neighbours_of(graph.get());
    EXPECT_FALSE(n.is_weighted);
    EXPECT_EQ(n.sources, Numbers{(rank() + 2 * size() - 2) % size()});
    EXPECT_EQ(n.destinations, Numbers{(rank() + 2) % size()});
}

MPI_TEST(DistributedGraph, MayHaveNoEdgesAtAll)
{
    Owned graph;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 0, nullptr, nullptr, nullptr, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, graph.out());
    const Neighbours n = neighbours_of(graph.get());
    EXPECT_TRUE(n.sources.empty());
    EXPECT_TRUE(n.destinations.empty());
}

MPI_TEST(DistributedGraph, NeighboursMayBeAskedForInPart)
{
    const Numbers all = {rank(), (rank() + 1) % size()};
    const Numbers from = {rank(), (rank() + size() - 1) % size()};
    Owned graph;
    MPI_Dist_graph_create_adjacent(
        MPI_COMM_WORLD, 2, from.data(), MPI_UNWEIGHTED, 2, all.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, graph.out());
    Numbers sources(2, -5), destinations(2, -5);
    MPI_Dist_graph_neighbors(graph.get(), 1, sources.data(), MPI_UNWEIGHTED, 1, destinations.data(), MPI_UNWEIGHTED);
    EXPECT_EQ(sources[0], rank());
    EXPECT_EQ(sources[1], -5);
    EXPECT_EQ(destinations[0], rank());
    EXPECT_EQ(destinations[1], -5);
}

MPI_TEST(DistributedGraph, WrongRanksAreErrors)
{
    const ReturnErrors guard;
    const int beyond = size();
    MPI_Comm comm = MPI_COMM_NULL;
    EXPECT_NE(MPI_Dist_graph_create_adjacent(
                  MPI_COMM_WORLD, 1, &beyond, MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm),
        MPI_SUCCESS);
}
