// MPI-3.1, sections 7.5.1, 7.5.2 and 7.5.5 to 7.5.8: Cartesian topologies.
#include "mpi_test.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

using namespace mpi_test;

namespace {

using Numbers = std::vector<int>;

Numbers dims_for(int nodes, Numbers dims)
{
    MPI_Dims_create(nodes, static_cast<int>(dims.size()), dims.data());
    return dims;
}

// A Cartesian communicator of all ranks, freed at the end of its scope.
class Grid {
public:
    Grid(MPI_Comm from, const Numbers& dims, const Numbers& periods, bool reorder = false)
    {
        MPI_Cart_create(from, static_cast<int>(dims.size()), dims.data(), periods.data(), reorder ? 1 : 0, &comm_);
    }
    ~Grid()
    {
        if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    }
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;

    MPI_Comm get() const { return comm_; }

    int rank_at(const Numbers& coords) const
    {
        int result = -9;
        MPI_Cart_rank(comm_, coords.data(), &result);
        return result;
    }
    Numbers coords_of(int rank, std::size_t dims) const
    {
        Numbers coords(dims, -9);
        MPI_Cart_coords(comm_, rank, static_cast<int>(dims), coords.data());
        return coords;
    }
    // {source, destination}
    Numbers shift(int dimension, int displacement) const
    {
        Numbers both(2, -9);
        MPI_Cart_shift(comm_, dimension, displacement, &both[0], &both[1]);
        return both;
    }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace

MPI_TEST_AT(DimsCreate, BalancesInDescendingOrder, ({1}))
{
    EXPECT_EQ(dims_for(6, {0, 0}), (Numbers{3, 2}));
    EXPECT_EQ(dims_for(7, {0, 0}), (Numbers{7, 1}));
    EXPECT_EQ(dims_for(1, {0, 0, 0}), (Numbers{1, 1, 1}));
    EXPECT_EQ(dims_for(8, {0, 0, 0}), (Numbers{2, 2, 2}));
    EXPECT_EQ(dims_for(12, {0, 0}), (Numbers{4, 3}));
    EXPECT_EQ(dims_for(16, {0, 0}), (Numbers{4, 4}));
    EXPECT_EQ(dims_for(24, {0, 0, 0}), (Numbers{4, 3, 2}));
    EXPECT_EQ(dims_for(1000, {0, 0, 0}), (Numbers{10, 10, 10}));
    EXPECT_EQ(dims_for(17, {0}), (Numbers{17}));
}

MPI_TEST_AT(DimsCreate, KeepsTheGivenOnes, ({1}))
{
    EXPECT_EQ(dims_for(6, {0, 3, 0}), (Numbers{2, 3, 1}));
    EXPECT_EQ(dims_for(12, {2, 3, 2}), (Numbers{2, 3, 2}));
    EXPECT_EQ(dims_for(24, {0, 2, 0}), (Numbers{4, 2, 3}));
    EXPECT_EQ(dims_for(5, {1, 0, 1}), (Numbers{1, 5, 1}));
}

// Whatever the number: the product is right, the free dimensions descend.
MPI_TEST_AT(DimsCreate, EveryNumberOfNodes, ({1}))
{
    for (int nodes = 1; nodes <= 300; ++nodes) {
        for (std::size_t n = 1; n <= 4; ++n) {
            const Numbers dims = dims_for(nodes, Numbers(n, 0));
            EXPECT_EQ(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()), nodes);
            EXPECT_TRUE(std::is_sorted(dims.rbegin(), dims.rend())) << nodes << " nodes, " << n << " dimensions";
        }
    }
}

MPI_TEST_AT(DimsCreate, WhatDoesNotDivideIsAnError, ({1}))
{
    const ReturnErrors guard;
    Numbers dims{0, 4};
    EXPECT_CLASS(MPI_ERR_DIMS, MPI_Dims_create(6, 2, dims.data()));
    dims = {-1, 0};
    EXPECT_CLASS(MPI_ERR_DIMS, MPI_Dims_create(6, 2, dims.data()));
    if (excepted("MPI_Dims_create with all dimensions given, and wrong")) return;
    dims = {2, 2};
    EXPECT_CLASS(MPI_ERR_DIMS, MPI_Dims_create(6, 2, dims.data()));
}

MPI_TEST(Cartesian, RanksAndCoordinatesAreRowMajor)
{
    const Numbers dims = dims_for(size(), {0, 0, 0});
    const Grid grid(MPI_COMM_WORLD, dims, {0, 1, 0});
    int status = -1;
    MPI_Topo_test(grid.get(), &status);
    EXPECT_EQ(status, MPI_CART);
    int n = 0;
    MPI_Cartdim_get(grid.get(), &n);
    EXPECT_EQ(n, 3);
    int got_dims[3], got_periods[3], got_coords[3];
    MPI_Cart_get(grid.get(), 3, got_dims, got_periods, got_coords);
    EXPECT_EQ(Numbers(got_dims, got_dims + 3), dims);
    EXPECT_FALSE(got_periods[0]);
    EXPECT_TRUE(got_periods[1]);
    EXPECT_FALSE(got_periods[2]);
    EXPECT_EQ(Numbers(got_coords, got_coords + 3), grid.coords_of(rank(), 3));
    int expected = 0;
    for (int x = 0; x < dims[0]; ++x) {
        for (int y = 0; y < dims[1]; ++y) {
            for (int z = 0; z < dims[2]; ++z) {
                EXPECT_EQ(grid.rank_at({x, y, z}), expected);
                EXPECT_EQ(grid.coords_of(expected, 3), (Numbers{x, y, z}));
                ++expected;
            }
        }
    }
    EXPECT_EQ(expected, size());
}

MPI_TEST(Cartesian, PeriodicCoordinatesWrap)
{
    const Grid ring(MPI_COMM_WORLD, {size()}, {1});
    for (int x = -2 * size(); x <= 2 * size(); ++x) EXPECT_EQ(ring.rank_at({x}), (x + 2 * size()) % size());
}

MPI_TEST(Cartesian, CoordinatesBeyondAnEdgeAreErrors)
{
    const Grid line(MPI_COMM_WORLD, {size()}, {0});
    const ReturnErrors guard(line.get());
    int result = 0;
    for (const int beyond : {-1, size()}) {
        const int coords[1] = {beyond};
        EXPECT_NE(MPI_Cart_rank(line.get(), coords, &result), MPI_SUCCESS);
    }
    if (excepted("MPI_Cart_coords of a rank that is not there")) return;
    int coords[1] = {0};
    EXPECT_CLASS(MPI_ERR_RANK, MPI_Cart_coords(line.get(), size(), 1, coords));
    EXPECT_CLASS(MPI_ERR_RANK, MPI_Cart_coords(line.get(), -1, 1, coords));
}

MPI_TEST(Cartesian, FewerThanTheCommunicatorLeaveTheRestWithoutOne)
{
    const int used = (size() + 1) / 2;
    const Grid part(MPI_COMM_WORLD, {used}, {0});
    EXPECT_EQ(part.get() != MPI_COMM_NULL, rank() < used);
    if (part.get() == MPI_COMM_NULL) return;
    int n = 0;
    MPI_Comm_size(part.get(), &n);
    EXPECT_EQ(n, used);
    int sum = 0;
    const int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part.get());
    EXPECT_EQ(sum, used);
}

MPI_TEST(Cartesian, ReorderingKeepsTheSetOfRanks)
{
    const Grid grid(MPI_COMM_WORLD, {size(), 1}, {1, 0}, true);
    int comparison = -1;
    MPI_Comm_compare(MPI_COMM_WORLD, grid.get(), &comparison);
    EXPECT_TRUE(comparison == MPI_CONGRUENT || comparison == MPI_SIMILAR);
    int own = -1;
    MPI_Comm_rank(grid.get(), &own);
    EXPECT_EQ(grid.coords_of(own, 2), (Numbers{own, 0}));
}

MPI_TEST(Cartesian, TooManyOrNegativeNodesAreAnError)
{
    const ReturnErrors guard;
    const int dims[2] = {size(), 2};
    const int periods[2] = {0, 0};
    MPI_Comm comm = MPI_COMM_NULL;
    EXPECT_NE(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm), MPI_SUCCESS);
    if (excepted("MPI_Cart_create with negative dimensions")) return;
    const int negative[2] = {-1, 1};
    EXPECT_NE(MPI_Cart_create(MPI_COMM_WORLD, 2, negative, periods, 0, &comm), MPI_SUCCESS);
}

MPI_TEST(Cartesian, WithoutDimensionsIsOneNode)
{
    MPI_Comm point = MPI_COMM_NULL;
    const int unused = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 0, &unused, &unused, 0, &point);
    EXPECT_EQ(point != MPI_COMM_NULL, rank() == 0);
    if (point == MPI_COMM_NULL) return;
    int n = -1;
    MPI_Cartdim_get(point, &n);
    EXPECT_EQ(n, 0);
    int at = -1;
    MPI_Cart_rank(point, &unused, &at);
    EXPECT_EQ(at, 0);
    MPI_Comm_free(&point);
}

MPI_TEST(Cartesian, ShiftsAlongALineEndAtTheEdges)
{
    const Grid line(MPI_COMM_WORLD, {size()}, {0});
    const auto at = [](int r) { return r >= 0 && r < size() ? r : MPI_PROC_NULL; };
    for (const int by : {-2, -1, 1, 2, 100}) {
        EXPECT_EQ(line.shift(0, by), (Numbers{at(rank() - by), at(rank() + by)})) << "by " << by;
    }
}

MPI_TEST(Cartesian, ShiftsAlongARingWrap)
{
    const Grid ring(MPI_COMM_WORLD, {size()}, {1});
    const auto at = [](int r) { return ((r % size()) + size()) % size(); };
    for (int by = -2 * size() - 1; by <= 2 * size() + 1; ++by) {
        EXPECT_EQ(ring.shift(0, by), (Numbers{at(rank() - by), at(rank() + by)})) << "by " << by;
    }
}

MPI_TEST_AT(Cartesian, ShiftsInEachDimension, ({4}))
{
    const Grid grid(MPI_COMM_WORLD, {2, 2}, {1, 0});
    const int row = rank() / 2;
    const int column = rank() % 2;
    const int other_row = (1 - row) * 2 + column;
    EXPECT_EQ(grid.shift(0, 1), (Numbers{other_row, other_row}));
    EXPECT_EQ(grid.shift(1, 1),
        (Numbers{column == 1 ? rank() - 1 : MPI_PROC_NULL, column == 0 ? rank() + 1 : MPI_PROC_NULL}));
    if (excepted("MPI_Cart_shift in a dimension that is not there")) return;
    const ReturnErrors guard(grid.get());
    int source = 0;
    int destination = 0;
    EXPECT_NE(MPI_Cart_shift(grid.get(), 2, 1, &source, &destination), MPI_SUCCESS);
    EXPECT_NE(MPI_Cart_shift(grid.get(), -1, 1, &source, &destination), MPI_SUCCESS);
}

MPI_TEST(Cartesian, ShiftsCarryMessages)
{
    const Grid line(MPI_COMM_WORLD, {size()}, {0});
    const Numbers both = line.shift(0, 1);
    const int mine = rank();
    int received = -5;
    MPI_Sendrecv(&mine, 1, MPI_INT, both[1], 0, &received, 1, MPI_INT, both[0], 0, line.get(), MPI_STATUS_IGNORE);
    EXPECT_EQ(received, rank() == 0 ? -5 : rank() - 1);
}

MPI_TEST_AT(Cartesian, SubKeepsTheNamedDimensions, ({4, 7}))
{
    const int columns = size() == 4 ? 2 : 3;
    const Grid grid(MPI_COMM_WORLD, {2, columns, 1}, {0, 1, 1});
    if (grid.get() == MPI_COMM_NULL) return;
    const int row = rank() / columns;
    const int column = rank() % columns;
    const int keep_columns[3] = {0, 1, 0};
    MPI_Comm one_row = MPI_COMM_NULL;
    MPI_Cart_sub(grid.get(), keep_columns, &one_row);
    int dims[1], periods[1], coords[1];
    MPI_Cart_get(one_row, 1, dims, periods, coords);
    EXPECT_EQ(dims[0], columns);
    EXPECT_TRUE(periods[0]);
    EXPECT_EQ(coords[0], column);
    int sum = 0;
    MPI_Allreduce(&row, &sum, 1, MPI_INT, MPI_SUM, one_row);
    EXPECT_EQ(sum, row * columns);
    MPI_Comm_free(&one_row);

    const int keep_two[3] = {1, 0, 1};
    MPI_Comm one_column = MPI_COMM_NULL;
    MPI_Cart_sub(grid.get(), keep_two, &one_column);
    int n = 0;
    MPI_Cartdim_get(one_column, &n);
    EXPECT_EQ(n, 2);
    MPI_Comm_size(one_column, &n);
    EXPECT_EQ(n, 2);
    MPI_Comm_rank(one_column, &n);
    EXPECT_EQ(n, row);
    MPI_Comm_free(&one_column);
}

MPI_TEST(Cartesian, SubOfNothingIsEachRankAlone)
{
    const Grid grid(MPI_COMM_WORLD, {size(), 1}, {0, 0});
    const int keep_none[2] = {0, 0};
    MPI_Comm alone = MPI_COMM_NULL;
    MPI_Cart_sub(grid.get(), keep_none, &alone);
    int n = 0;
    MPI_Comm_size(alone, &n);
    EXPECT_EQ(n, 1);
    MPI_Cartdim_get(alone, &n);
    EXPECT_EQ(n, 0);
    MPI_Comm_free(&alone);
}

MPI_TEST(Cartesian, MapGivesEachUsedRankAPlace)
{
    const int used = (size() + 1) / 2;
    const int dims[1] = {used};
    const int periods[1] = {0};
    int place = -9;
    MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &place);
    EXPECT_TRUE(place == MPI_UNDEFINED || (place >= 0 && place < used));
    int has_place = place == MPI_UNDEFINED ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &has_place, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(has_place, used);
}

// Section 7.2: dup copies the topology.
MPI_TEST(Cartesian, DupKeepsTheTopology)
{
    const Grid grid(MPI_COMM_WORLD, {1, size()}, {0, 1});
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(grid.get(), &copy);
    int status = -1;
    MPI_Topo_test(copy, &status);
    EXPECT_EQ(status, MPI_CART);
    int dims[2], periods[2], coords[2];
    MPI_Cart_get(copy, 2, dims, periods, coords);
    EXPECT_EQ(dims[1], size());
    EXPECT_EQ(coords[1], rank());
    MPI_Comm_free(&copy);
}

MPI_TEST(Cartesian, QuestionsToACommunicatorWithoutOneAreErrors)
{
    int status = -1;
    MPI_Topo_test(MPI_COMM_WORLD, &status);
    EXPECT_EQ(status, MPI_UNDEFINED);
    const ReturnErrors guard;
    int n = 0;
    const int zero = 0;
    EXPECT_CLASS(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(MPI_COMM_WORLD, &n));
    EXPECT_CLASS(MPI_ERR_TOPOLOGY, MPI_Cart_rank(MPI_COMM_WORLD, &zero, &n));
    EXPECT_CLASS(MPI_ERR_TOPOLOGY, MPI_Cart_coords(MPI_COMM_WORLD, 0, 1, &n));
    int source = 0;
    EXPECT_CLASS(MPI_ERR_TOPOLOGY, MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &source, &n));
    MPI_Comm part = MPI_COMM_NULL;
    EXPECT_CLASS(MPI_ERR_TOPOLOGY, MPI_Cart_sub(MPI_COMM_WORLD, &zero, &part));
    EXPECT_CLASS(MPI_ERR_TOPOLOGY, MPI_Graphdims_get(MPI_COMM_WORLD, &n, &source));
}
