// Process topologies (MPI-3.1, chapter 7). Ranks keep their order: on one host every place is as near as any other.
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "comm/creation.hpp"
#include "comm/exchange.hpp"
#include "environment/info.hpp"
#include "group/topology.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>

using namespace fmpl::mpi;

namespace {

void check_not_negative(int value, const char* argument)
{
    if (value < 0) fail(ErrorClass::argument, "{} = {} is negative; give 0 or more", argument, value);
}

std::vector<int> copy_of(const int* values, int count, const char* argument, const char* count_argument)
{
    check_not_negative(count, count_argument);
    if (count > 0) check_pointer(values, argument);
    return {values, values + count};
}

// Copies what a query found to where the user has room for it. Where the standard cuts it, is_cut is true.
void give_list(
    std::span<const int> found, int* to, int room, const char* argument, const char* room_argument, bool is_cut = false)
{
    check_not_negative(room, room_argument);
    const auto places = static_cast<std::size_t>(room);
    if (places < found.size() && !is_cut) {
        fail(ErrorClass::argument, "{} = {} is too little room for {}; there are {} numbers", room_argument, room,
            argument, found.size());
    }
    const std::span<const int> given = found.first(std::min(found.size(), places));
    if (!given.empty()) check_pointer(to, argument);
    std::copy(given.begin(), given.end(), to);
}

CommunicatorPtr intracommunicator(Process& process, MPI_Comm comm, const char* argument = "comm_old")
{
    const CommunicatorPtr& found = process.communicator(number_of(comm), argument);
    if (found->is_inter()) fail(ErrorClass::comm, "{} is an intercommunicator; give an intracommunicator", argument);
    return found;
}

void check_rank(const Communicator& comm, int rank, const char* argument = "rank")
{
    if (rank < 0 || rank >= comm.size()) {
        fail(ErrorClass::rank, "{} = {} is not a rank of the communicator; it has {}", argument, rank, comm.size());
    }
}

void check_fits(const Communicator& comm, int places, const char* what)
{
    if (places > comm.size()) {
        fail(ErrorClass::argument, "the {} has {} places, and the communicator only {} ranks", what, places,
            comm.size());
    }
}

std::shared_ptr<const CartesianTopology> grid_on(
    const Communicator& comm, const int* dims, const int* periods, int ndims)
{
    const std::vector<int> wraps = copy_of(periods, ndims, "periods", "ndims");
    auto grid = std::make_shared<const CartesianTopology>(
        copy_of(dims, ndims, "dims", "ndims"), std::vector<bool>(wraps.begin(), wraps.end()));
    check_fits(comm, grid->size(), "grid");
    return grid;
}

std::shared_ptr<const GraphTopology> graph_on(const Communicator& comm, int nnodes, const int* index, const int* edges)
{
    std::vector<int> ends = copy_of(index, nnodes, "index", "nnodes");
    check_fits(comm, nnodes, "graph");
    const int count = ends.empty() ? 0 : ends.back();
    return std::make_shared<const GraphTopology>(std::move(ends), copy_of(edges, count, "edges", "index[nnodes - 1]"));
}

// A communicator of the first `places` ranks, in their order; null on the others.
CommunicatorPtr with_topology(Process& process, Communicator& comm, int places, Topology topology)
{
    const std::vector<int>& all = comm.group()->world_ranks();
    const auto group = std::make_shared<Group>(std::vector<int>(all.begin(), all.begin() + places));
    const CommunicatorPtr made = create_from_group(process, comm, group);
    if (made != nullptr) made->topology = std::move(topology);
    return made;
}

void give_new(Process& process, const CommunicatorPtr& made, MPI_Comm* newcomm)
{
    *newcomm = handle_for<MPI_Comm>(made == nullptr ? kCommNull : process.add(made));
}

// A call that asks something of a communicator: body(comm).
template <class Body>
int ask(const char* name, MPI_Comm comm, Body&& body)
{
    return call_on(name, comm, [&](Process& process) { body(*process.communicator(number_of(comm))); });
}

// The weights of an argument; empty when it is MPI_UNWEIGHTED.
std::vector<int> weights_of(const int* weights, int count, const char* argument)
{
    if (weights == MPI_UNWEIGHTED || (weights == MPI_WEIGHTS_EMPTY && count == 0)) return {};
    std::vector<int> found = copy_of(weights == MPI_WEIGHTS_EMPTY ? nullptr : weights, count, argument, "degree");
    for (const int weight : found) {
        if (weight < 0) fail(ErrorClass::argument, "{} has {}, which is negative; give 0 or more", argument, weight);
    }
    return found;
}

void check_neighbours(const Communicator& comm, const std::vector<int>& ranks, const char* argument)
{
    for (const int rank : ranks) check_rank(comm, rank, argument);
}

DistributedGraphTopology::Edges edges_of(const Communicator& comm, const int* ranks, int degree, const int* weights,
    const char* ranks_argument, const char* degree_argument, const char* weights_argument)
{
    DistributedGraphTopology::Edges edges;
    edges.ranks = copy_of(ranks, degree, ranks_argument, degree_argument);
    check_neighbours(comm, edges.ranks, ranks_argument);
    edges.weights = weights_of(weights, degree, weights_argument);
    return edges;
}

// One edge of MPI_Dist_graph_create, which any rank may give.
struct Edge {
    int source;
    int destination;
    int weight;
};

std::vector<Edge> edges_given(const Communicator& comm, int n, const int* sources, const int* degrees,
    const int* destinations, const int* weights)
{
    const std::vector<int> from = copy_of(sources, n, "sources", "n");
    const std::vector<int> counts = copy_of(degrees, n, "degrees", "n");
    check_neighbours(comm, from, "sources");
    std::int64_t total = 0;
    for (const int count : counts) {
        check_not_negative(count, "degrees[i]");
        total += count;
    }
    if (total > std::numeric_limits<int>::max())
        fail(ErrorClass::argument, "degrees add up to {} edges, too many", total);
    const std::vector<int> to = copy_of(destinations, static_cast<int>(total), "destinations", "sum of degrees");
    check_neighbours(comm, to, "destinations");
    const std::vector<int> of_edges = weights_of(weights, static_cast<int>(total), "weights");

    std::vector<Edge> edges;
    for (std::size_t i = 0; i < from.size(); ++i) {
        for (int k = 0; k < counts[i]; ++k) {
            const std::size_t e = edges.size();
            edges.push_back({from[i], to[e], of_edges.empty() ? 1 : of_edges[e]});
        }
    }
    return edges;
}

void add_edge(DistributedGraphTopology::Edges& edges, int rank, int weight, bool weighted)
{
    edges.ranks.push_back(rank);
    if (weighted) edges.weights.push_back(weight);
}

CommunicatorPtr with_graph(Process& process, Communicator& comm, DistributedGraphTopology::Edges sources,
    DistributedGraphTopology::Edges destinations, bool weighted)
{
    return with_topology(process, comm, comm.size(),
        std::make_shared<const DistributedGraphTopology>(std::move(sources), std::move(destinations), weighted));
}

// What MPI_Dist_graph_neighbors gives of one direction.
void give_edges(const DistributedGraphTopology::Edges& edges, bool weighted, int room, int* ranks, int* weights,
    const char* room_argument, const char* ranks_argument, const char* weights_argument)
{
    give_list(edges.ranks, ranks, room, ranks_argument, room_argument, true);
    if (weighted && weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY) {
        give_list(edges.weights, weights, room, weights_argument, room_argument, true);
    }
}

}  // namespace

int PMPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int, MPI_Comm* comm_cart)
{
    return call_on("MPI_Cart_create", comm_old, [&](Process& process) {
        const CommunicatorPtr comm = intracommunicator(process, comm_old);
        check_pointer(comm_cart, "comm_cart");
        const auto grid = grid_on(*comm, dims, periods, ndims);
        give_new(process, with_topology(process, *comm, grid->size(), grid), comm_cart);
    });
}
FMPL_MPI_NAME(MPI_Cart_create)

int PMPI_Dims_create(int nnodes, int ndims, int dims[])
{
    return call("MPI_Dims_create", [&](Process&) {
        if (ndims < 0) fail(ErrorClass::dims, "ndims = {} is negative; give 0 or more", ndims);
        if (ndims > 0) check_pointer(dims, "dims");
        balance_dimensions(nnodes, {dims, static_cast<std::size_t>(ndims)});
    });
}
FMPL_MPI_NAME(MPI_Dims_create)

int PMPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int, MPI_Comm* comm_graph)
{
    return call_on("MPI_Graph_create", comm_old, [&](Process& process) {
        const CommunicatorPtr comm = intracommunicator(process, comm_old);
        check_pointer(comm_graph, "comm_graph");
        const auto graph = graph_on(*comm, nnodes, index, edges);
        give_new(process, with_topology(process, *comm, nnodes, graph), comm_graph);
    });
}
FMPL_MPI_NAME(MPI_Graph_create)

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
    int outdegree, const int destinations[], const int destweights[], MPI_Info info, int, MPI_Comm* comm_dist_graph)
{
    return call_on("MPI_Dist_graph_create_adjacent", comm_old, [&](Process& process) {
        const CommunicatorPtr comm = intracommunicator(process, comm_old);
        check_pointer(comm_dist_graph, "comm_dist_graph");
        check_hints(process.environment, number_of(info));
        if ((sourceweights == MPI_UNWEIGHTED) != (destweights == MPI_UNWEIGHTED)) {
            fail(ErrorClass::argument, "one of sourceweights and destweights is MPI_UNWEIGHTED; give both so, or none");
        }
        give_new(process,
            with_graph(process, *comm,
                edges_of(*comm, sources, indegree, sourceweights, "sources", "indegree", "sourceweights"),
                edges_of(*comm, destinations, outdegree, destweights, "destinations", "outdegree", "destweights"),
                sourceweights != MPI_UNWEIGHTED),
            comm_dist_graph);
    });
}
FMPL_MPI_NAME(MPI_Dist_graph_create_adjacent)

int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
    const int weights[], MPI_Info info, int, MPI_Comm* comm_dist_graph)
{
    return call_on("MPI_Dist_graph_create", comm_old, [&](Process& process) {
        const CommunicatorPtr comm = intracommunicator(process, comm_old);
        check_pointer(comm_dist_graph, "comm_dist_graph");
        check_hints(process.environment, number_of(info));
        const bool weighted = weights != MPI_UNWEIGHTED;
        const std::vector<Edge> given = edges_given(*comm, n, sources, degrees, destinations, weights);
        DistributedGraphTopology::Edges from;
        DistributedGraphTopology::Edges to;
        for (const Edge& edge : Exchange(process.messenger, *comm).all_gather(given)) {
            if (edge.destination == comm->rank()) add_edge(from, edge.source, edge.weight, weighted);
            if (edge.source == comm->rank()) add_edge(to, edge.destination, edge.weight, weighted);
        }
        give_new(process, with_graph(process, *comm, std::move(from), std::move(to), weighted), comm_dist_graph);
    });
}
FMPL_MPI_NAME(MPI_Dist_graph_create)

int PMPI_Topo_test(MPI_Comm comm, int* status)
{
    return ask("MPI_Topo_test", comm, [&](const Communicator& of) {
        check_pointer(status, "status");
        // In the order of the variant.
        constexpr int kinds[] = {MPI_UNDEFINED, MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
        *status = kinds[of.topology.index()];
    });
}
FMPL_MPI_NAME(MPI_Topo_test)

int PMPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges)
{
    return ask("MPI_Graphdims_get", comm, [&](const Communicator& of) {
        const GraphTopology& graph = graph_of(of);
        check_pointer(nnodes, "nnodes");
        check_pointer(nedges, "nedges");
        *nnodes = graph.nodes();
        *nedges = static_cast<int>(graph.edges().size());
    });
}
FMPL_MPI_NAME(MPI_Graphdims_get)

int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[])
{
    return ask("MPI_Graph_get", comm, [&](const Communicator& of) {
        const GraphTopology& graph = graph_of(of);
        give_list(graph.index(), index, maxindex, "index", "maxindex");
        give_list(graph.edges(), edges, maxedges, "edges", "maxedges");
    });
}
FMPL_MPI_NAME(MPI_Graph_get)

int PMPI_Cartdim_get(MPI_Comm comm, int* ndims)
{
    return ask("MPI_Cartdim_get", comm, [&](const Communicator& of) {
        const CartesianTopology& grid = cartesian_of(of);
        check_pointer(ndims, "ndims");
        *ndims = grid.dimensions();
    });
}
FMPL_MPI_NAME(MPI_Cartdim_get)

int PMPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
    return ask("MPI_Cart_get", comm, [&](const Communicator& of) {
        const CartesianTopology& grid = cartesian_of(of);
        give_list(grid.dims(), dims, maxdims, "dims", "maxdims");
        give_list(
            std::vector<int>(grid.periods().begin(), grid.periods().end()), periods, maxdims, "periods", "maxdims");
        give_list(grid.coordinates(of.rank()), coords, maxdims, "coords", "maxdims");
    });
}
FMPL_MPI_NAME(MPI_Cart_get)

int PMPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank)
{
    return ask("MPI_Cart_rank", comm, [&](const Communicator& of) {
        const CartesianTopology& grid = cartesian_of(of);
        check_pointer(rank, "rank");
        *rank = grid.rank_at(copy_of(coords, grid.dimensions(), "coords", "ndims"));
    });
}
FMPL_MPI_NAME(MPI_Cart_rank)

int PMPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[])
{
    return ask("MPI_Cart_coords", comm, [&](const Communicator& of) {
        const CartesianTopology& grid = cartesian_of(of);
        check_rank(of, rank);
        give_list(grid.coordinates(rank), coords, maxdims, "coords", "maxdims");
    });
}
FMPL_MPI_NAME(MPI_Cart_coords)

int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors)
{
    return ask("MPI_Graph_neighbors_count", comm, [&](const Communicator& of) {
        const GraphTopology& graph = graph_of(of);
        check_rank(of, rank);
        check_pointer(nneighbors, "nneighbors");
        *nneighbors = static_cast<int>(graph.neighbours(rank).size());
    });
}
FMPL_MPI_NAME(MPI_Graph_neighbors_count)

int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
    return ask("MPI_Graph_neighbors", comm, [&](const Communicator& of) {
        const GraphTopology& graph = graph_of(of);
        check_rank(of, rank);
        give_list(graph.neighbours(rank), neighbors, maxneighbors, "neighbors", "maxneighbors");
    });
}
FMPL_MPI_NAME(MPI_Graph_neighbors)

int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted)
{
    return ask("MPI_Dist_graph_neighbors_count", comm, [&](const Communicator& of) {
        const DistributedGraphTopology& graph = distributed_graph_of(of);
        check_pointer(indegree, "indegree");
        check_pointer(outdegree, "outdegree");
        check_pointer(weighted, "weighted");
        *indegree = static_cast<int>(graph.sources().ranks.size());
        *outdegree = static_cast<int>(graph.destinations().ranks.size());
        *weighted = graph.weighted() ? 1 : 0;
    });
}
FMPL_MPI_NAME(MPI_Dist_graph_neighbors_count)

int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
    int destinations[], int destweights[])
{
    return ask("MPI_Dist_graph_neighbors", comm, [&](const Communicator& of) {
        const DistributedGraphTopology& graph = distributed_graph_of(of);
        give_edges(graph.sources(), graph.weighted(), maxindegree, sources, sourceweights, "maxindegree", "sources",
            "sourceweights");
        give_edges(graph.destinations(), graph.weighted(), maxoutdegree, destinations, destweights, "maxoutdegree",
            "destinations", "destweights");
    });
}
FMPL_MPI_NAME(MPI_Dist_graph_neighbors)

int PMPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest)
{
    return ask("MPI_Cart_shift", comm, [&](const Communicator& of) {
        const CartesianTopology& grid = cartesian_of(of);
        if (direction < 0 || direction >= grid.dimensions()) {
            fail(ErrorClass::argument, "direction = {} is not a dimension of the grid; it has {}, counted from 0",
                direction, grid.dimensions());
        }
        check_pointer(rank_source, "rank_source");
        check_pointer(rank_dest, "rank_dest");
        *rank_source = rank_out(grid.shifted(of.rank(), direction, -std::int64_t{disp}));
        *rank_dest = rank_out(grid.shifted(of.rank(), direction, disp));
    });
}
FMPL_MPI_NAME(MPI_Cart_shift)

int PMPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm)
{
    return call_on("MPI_Cart_sub", comm, [&](Process& process) {
        const CommunicatorPtr from = process.communicator(number_of(comm));
        const CartesianTopology& grid = cartesian_of(*from);
        check_pointer(newcomm, "newcomm");
        const std::vector<int> remain = copy_of(remain_dims, grid.dimensions(), "remain_dims", "ndims");
        const std::vector<int> place = grid.coordinates(from->rank());
        // Which subgrid, and the place in it, both in row-major order.
        int color = 0;
        int key = 0;
        std::vector<int> dims;
        std::vector<bool> periods;
        for (std::size_t d = 0; d < remain.size(); ++d) {
            int& number = remain[d] != 0 ? key : color;
            number = number * grid.dims()[d] + place[d];
            if (remain[d] == 0) continue;
            dims.push_back(grid.dims()[d]);
            periods.push_back(grid.periods()[d]);
        }
        const CommunicatorPtr made = split(process, *from, color, key);
        made->topology = std::make_shared<const CartesianTopology>(std::move(dims), std::move(periods));
        give_new(process, made, newcomm);
    });
}
FMPL_MPI_NAME(MPI_Cart_sub)

int PMPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank)
{
    return call_on("MPI_Cart_map", comm, [&](Process& process) {
        const CommunicatorPtr of = intracommunicator(process, comm, "comm");
        check_pointer(newrank, "newrank");
        *newrank = of->rank() < grid_on(*of, dims, periods, ndims)->size() ? of->rank() : MPI_UNDEFINED;
    });
}
FMPL_MPI_NAME(MPI_Cart_map)

int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int* newrank)
{
    return call_on("MPI_Graph_map", comm, [&](Process& process) {
        const CommunicatorPtr of = intracommunicator(process, comm, "comm");
        check_pointer(newrank, "newrank");
        *newrank = of->rank() < graph_on(*of, nnodes, index, edges)->nodes() ? of->rank() : MPI_UNDEFINED;
    });
}
FMPL_MPI_NAME(MPI_Graph_map)
