#include "blacs_api.hpp"

#include <numeric>

namespace {

using namespace fmpl_test;

// The sum over the grid of each member's pinfo number: a check that the grid has just these members.
int sum_of_members(int context, int number)
{
    int sum = number;
    Cigsum2d(context, "All", " ", 1, 1, &sum, 1, -1, -1);
    return sum;
}

int world_context()
{
    int context = -1;
    Cblacs_get(-1, 0, &context);
    return context;
}

}  // namespace

FMPL_RANKS_TEST(BlacsGrid, PlacesFollowTheOrderAndNumbersGoByRows)
{
    const Blacs blacs;
    EXPECT_EQ(rank(), blacs.number());
    EXPECT_EQ(size(), blacs.count());
    for (const Shape shape : shapes(blacs.count())) {
        for (const char* order : {"Row-major", "c"}) {
            const Grid grid(shape, order);
            if (blacs.number() >= shape.rows * shape.columns) {
                EXPECT_EQ(-1, grid.context);
                EXPECT_EQ(-1, grid.rows);
                EXPECT_EQ(-1, grid.columns);
                EXPECT_EQ(-1, grid.row);
                EXPECT_EQ(-1, grid.column);
                continue;
            }
            EXPECT_EQ(shape.rows, grid.rows);
            EXPECT_EQ(shape.columns, grid.columns);
            EXPECT_EQ(*order == 'R' ? blacs.number() / shape.columns : blacs.number() % shape.rows, grid.row);
            EXPECT_EQ(*order == 'R' ? blacs.number() % shape.columns : blacs.number() / shape.rows, grid.column);
            for (int i = 0; i < shape.rows; ++i) {
                for (int j = 0; j < shape.columns; ++j) {
                    EXPECT_EQ(i * shape.columns + j, Cblacs_pnum(grid.context, i, j));
                    int row = -1, column = -1;
                    Cblacs_pcoord(grid.context, i * shape.columns + j, &row, &column);
                    EXPECT_EQ(i, row);
                    EXPECT_EQ(j, column);
                }
            }
            EXPECT_EQ(-1, Cblacs_pnum(grid.context, shape.rows, 0));
            EXPECT_EQ(-1, Cblacs_pnum(grid.context, 0, -1));
            int row = 0, column = 0;
            Cblacs_pcoord(grid.context, grid.size(), &row, &column);
            EXPECT_EQ(-1, row);
            EXPECT_EQ(-1, column);
        }
    }
}

FMPL_RANKS_TEST(BlacsGrid, AnyMapMakesAGridOfItsProcessesAlone)
{
    const Blacs blacs;
    std::mt19937_64 random(seed());  // the same maps on all processes
    for (int round = 0; round < 30; ++round) {
        std::vector<int> order(static_cast<std::size_t>(blacs.count()));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        const int members = std::uniform_int_distribution<int>(1, blacs.count())(random);
        const int rows = std::uniform_int_distribution<int>(1, members)(random);
        const int columns = members / rows;
        const int ldup = rows + round % 3;
        std::vector<int> map(static_cast<std::size_t>(ldup * columns), -9);
        int my_row = -1, my_column = -1, sum = 0;
        for (int j = 0; j < columns; ++j) {
            for (int i = 0; i < rows; ++i) {
                const int process = order[static_cast<std::size_t>(i * columns + j)];
                map[static_cast<std::size_t>(i + j * ldup)] = process;
                sum += process;
                if (process == blacs.number()) {
                    my_row = i;
                    my_column = j;
                }
            }
        }
        int context = world_context();
        Cblacs_gridmap(&context, map.data(), ldup, rows, columns);
        int nprow = 0, npcol = 0, row = 0, column = 0;
        Cblacs_gridinfo(context, &nprow, &npcol, &row, &column);
        EXPECT_EQ(my_row, row) << "FMPL_TEST_SEED=" << seed();
        EXPECT_EQ(my_column, column) << "FMPL_TEST_SEED=" << seed();
        EXPECT_EQ(my_row < 0 ? -1 : rows, nprow);
        if (context < 0) continue;
        EXPECT_EQ(sum, sum_of_members(context, blacs.number()));
        Cblacs_gridexit(context);
    }
}

FMPL_RANKS_TEST(BlacsGrid, DisjointGridsWorkSideBySide)
{
    const Blacs blacs;
    const int first = blacs.count() / 2 > 0 ? blacs.count() / 2 : 1;
    const bool low = blacs.number() < first;
    std::vector<int> map;
    for (int p = low ? 0 : first; p < (low ? first : blacs.count()); ++p) map.push_back(p);
    // Each half calls for its own grid only.
    int context = world_context();
    Cblacs_gridmap(&context, map.data(), 1, 1, static_cast<int>(map.size()));
    EXPECT_GE(context, 0);
    for (int repetition = 0; repetition < (low ? 40 : 10); ++repetition) {
        EXPECT_EQ(std::accumulate(map.begin(), map.end(), 0), sum_of_members(context, blacs.number()));
    }
    Cblacs_gridexit(context);
}

// Windows of two or three neighbours: each process is in several grids at a time, and calls for its own grids only.
FMPL_RANKS_TEST(BlacsGrid, OverlappingGridsKeepTheirMessagesApart)
{
    const Blacs blacs;
    const int n = blacs.count();
    const int width = std::min(n, 3);
    std::vector<std::vector<int>> maps;
    std::vector<int> contexts;
    for (int start = 0; start + width <= n; ++start) {
        if (blacs.number() < start || blacs.number() >= start + width) continue;
        std::vector<int> map(static_cast<std::size_t>(width));
        std::iota(map.begin(), map.end(), start);
        int context = world_context();
        Cblacs_gridmap(&context, map.data(), width, width, 1);
        maps.push_back(map);
        contexts.push_back(context);
    }
    // Messages sent in one order of the grids and received in the other.
    for (std::size_t g = 0; g < contexts.size(); ++g) {
        for (int to = 0; to < width; ++to) {
            const int tag = maps[g][0] * 100 + blacs.number();
            Cigesd2d(contexts[g], 1, 1, &tag, 1, to, 0);
        }
    }
    for (std::size_t g = contexts.size(); g-- > 0;) {
        for (int from = 0; from < width; ++from) {
            int tag = -1;
            Cigerv2d(contexts[g], 1, 1, &tag, 1, from, 0);
            EXPECT_EQ(maps[g][0] * 100 + maps[g][static_cast<std::size_t>(from)], tag);
        }
    }
    for (std::size_t g = 0; g < contexts.size(); ++g) {
        EXPECT_EQ(std::accumulate(maps[g].begin(), maps[g].end(), 0), sum_of_members(contexts[g], blacs.number()));
    }
    for (const int context : contexts) Cblacs_gridexit(context);
}

FMPL_RANKS_TEST(BlacsGrid, HandlesOfExitedGridsAreUsedAgain)
{
    const Blacs blacs;
    for (int k = 0; k < 200; ++k) {
        const std::vector<Shape> all = shapes(blacs.count());
        const Grid grid(all[static_cast<std::size_t>(k) % all.size()], k % 2 == 0 ? "R" : "C");
        if (!grid.inside()) continue;
        EXPECT_EQ(0, grid.context);
        const Grid second({1, 1});
        EXPECT_EQ(blacs.number() == 0 ? 1 : -1, second.context);
        EXPECT_EQ(grid.size(), [&] {
            int one = 1;
            Cigsum2d(grid.context, "All", " ", 1, 1, &one, 1, -1, -1);
            return one;
        }());
    }
}

FMPL_RANKS_TEST(BlacsGrid, GridsLeftOpenAreFreedByExit)
{
    const Blacs blacs;
    for (const Shape shape : shapes(blacs.count())) {
        int context = world_context();
        Cblacs_gridinit(&context, "R", shape.rows, shape.columns);
    }
}

// As ScaLAPACK reshapes a grid: the process numbers of a grid, within the system context of that grid.
FMPL_RANKS_TEST(BlacsGrid, TheSystemContextOfAGridMakesGridsOfItsProcesses)
{
    const Blacs blacs;
    const int n = blacs.count();
    // The processes but the first (if there are two), in falling order.
    std::vector<int> map;
    for (int p = n - 1; p >= (n > 1 ? 1 : 0); --p) map.push_back(p);
    const int members = static_cast<int>(map.size());
    int context = world_context();
    Cblacs_gridmap(&context, map.data(), members, members, 1);
    if (context < 0) return;
    std::vector<int> numbers;
    for (int i = 0; i < members; ++i) numbers.push_back(Cblacs_pnum(context, i, 0));
    int reshaped = -1;
    Cblacs_get(context, 10, &reshaped);
    const int system_context = reshaped;
    Cblacs_gridmap(&reshaped, numbers.data(), 1, 1, members);
    int nprow = 0, npcol = 0, row = 0, column = 0;
    Cblacs_gridinfo(reshaped, &nprow, &npcol, &row, &column);
    EXPECT_EQ(1, nprow);
    EXPECT_EQ(members, npcol);
    EXPECT_EQ(n - 1 - blacs.number(), column);
    EXPECT_EQ(std::accumulate(map.begin(), map.end(), 0), sum_of_members(reshaped, blacs.number()));

    // The same handle again while the grid lives, and still good for making grids when it has exited.
    int again = -1;
    Cblacs_get(context, 10, &again);
    EXPECT_EQ(system_context, again);
    int size = 0;
    EXPECT_OK(fmpl_comm_size(Cblacs2sys_handle(system_context), &size));
    EXPECT_EQ(members, size);
    Cblacs_gridexit(context);
    EXPECT_EQ(FMPL_COMM_NULL, Cblacs2sys_handle(system_context));
    int late = system_context;
    Cblacs_gridinit(&late, "R", 1, members);
    EXPECT_EQ(std::accumulate(map.begin(), map.end(), 0), sum_of_members(late, blacs.number()));
    Cblacs_gridexit(late);
    Cblacs_gridexit(reshaped);
}

FMPL_RANKS_TEST(BlacsGrid, AGridCanBeMadeFromTheProgramsOwnCommunicator)
{
    const Blacs blacs;
    const int n = blacs.count();
    fmpl_comm_t comm = FMPL_COMM_NULL;
    const bool member = blacs.number() % 2 == 0;
    REQUIRE_OK(fmpl_comm_create(&comm, member ? 1 : 0));
    if (!member) return;
    const int members = (n + 1) / 2;
    const int handle = Csys2blacs_handle(comm);
    EXPECT_EQ(handle, Csys2blacs_handle(comm));
    EXPECT_EQ(comm, Cblacs2sys_handle(handle));
    EXPECT_EQ(0, Csys2blacs_handle(FMPL_COMM_WORLD));
    int context = handle;
    Cblacs_gridinit(&context, "R", 1, members);
    int nprow = 0, npcol = 0, row = 0, column = 0;
    Cblacs_gridinfo(context, &nprow, &npcol, &row, &column);
    EXPECT_EQ(blacs.number() / 2, column);
    EXPECT_EQ(members, [&] {
        int one = 1;
        Cigsum2d(context, "All", " ", 1, 1, &one, 1, -1, -1);
        return one;
    }());
    Cblacs_gridexit(context);
    Cfree_blacs_system_handle(handle);
    EXPECT_OK(fmpl_comm_free(&comm));
}
