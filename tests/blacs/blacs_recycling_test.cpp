// Ten thousand grids: made by gridinit and by gridmap, of all processes and of some, several at a time on the same
// processes, exited in another order than made. What they use is used again: handles, memory that the job shares,
// private memory, file descriptors.
//
// Every process derives the same plan from the seed, and takes part in the grids that it is a member of.
#include "blacs_api.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

#include <sys/stat.h>

namespace {

using namespace fmpl_test;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr std::size_t kGridsAtATime = 6;

// A program that keeps as little as 1 KiB a grid fails: these are less than that for the grids made between two looks.
constexpr long kMoreShared = 2L << 20;
constexpr long kMorePrivate = 4L << 20;

struct Usage {
    long shared = 0;    // bytes of the job's memory that have pages behind them, of all processes
    long private_ = 0;  // bytes of this process
    long descriptors = 0;
};

Usage usage()
{
    Usage result;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        ++result.descriptors;
        std::error_code gone;  // the iteration's own descriptor
        const std::string target = std::filesystem::read_symlink(entry, gone).string();
        struct stat status {};
        if (gone || target.find("memfd:fmpl") == std::string::npos || target.find("fmpl_test") != std::string::npos) {
            continue;
        }
        if (stat(entry.path().c_str(), &status) == 0) result.shared += status.st_blocks * 512L;
    }
    std::ifstream lines("/proc/self/status");
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        long kib = 0;
        if (words >> name >> kib && name == "RssAnon:") result.private_ = kib * 1024;
    }
    return result;
}

// One grid of the plan, the same on all processes but for the context.
struct Planned {
    int context = -1;
    int rows = 0;
    int columns = 0;
    std::vector<int> members;  // pinfo numbers by process number
    bool member(int number) const { return std::find(members.begin(), members.end(), number) != members.end(); }
};

class Plan {
public:
    Plan(int number, int count) : number_(number), count_(count), random_(seed()) {}

    int pick(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }

    void make()
    {
        Planned grid;
        grid.rows = pick(1, count_);
        grid.columns = pick(1, count_ / grid.rows);
        const int size = grid.rows * grid.columns;
        switch (pick(0, 2)) {
            case 0:
                init(grid, "R");
                break;
            case 1:
                init(grid, "c");
                break;
            default: {
                std::vector<int> order(static_cast<std::size_t>(count_));
                std::iota(order.begin(), order.end(), 0);
                std::shuffle(order.begin(), order.end(), random_);
                order.resize(static_cast<std::size_t>(size));
                map(grid, order);
            }
        }
        EXPECT_EQ(grid.member(number_), grid.context >= 0);
        EXPECT_LT(grid.context, static_cast<int>(kGridsAtATime));
        // A grid of a grid's processes, in the order of their numbers there, through its own system context.
        if (pick(0, 15) == 0) reshape(grid);
        grids_.push_back(std::move(grid));
    }

    // One operation on some grid.
    void use()
    {
        const Planned& grid = grids_[static_cast<std::size_t>(pick(0, static_cast<int>(grids_.size()) - 1))];
        const int kind = pick(0, 3);
        const int shift = pick(1, 7);
        const int root = pick(0, static_cast<int>(grid.members.size()) - 1);
        if (!grid.member(number_)) return;
        const int size = static_cast<int>(grid.members.size());
        const auto at = std::find(grid.members.begin(), grid.members.end(), number_);
        const int me = static_cast<int>(at - grid.members.begin());
        switch (kind) {
            case 0: {
                const int to = (me + shift) % size;
                const int from = (me + size - shift % size) % size;
                const int sent = 31 * number_ + shift;
                int received = -1;
                Cigesd2d(grid.context, 1, 1, &sent, 1, to / grid.columns, to % grid.columns);
                Cigerv2d(grid.context, 1, 1, &received, 1, from / grid.columns, from % grid.columns);
                EXPECT_EQ(31 * grid.members[static_cast<std::size_t>(from)] + shift, received);
                break;
            }
            case 1: {
                double x[3] = {1.0 * number_, 1, -1.0 * number_};
                Cdgsum2d(grid.context, "All", " ", 3, 1, x, 3, -1, -1);
                const int sum = std::accumulate(grid.members.begin(), grid.members.end(), 0);
                EXPECT_EQ(sum, x[0]);
                EXPECT_EQ(size, x[1]);
                EXPECT_EQ(-sum, x[2]);
                break;
            }
            case 2: {
                // Along each row, from the root's column.
                const int column = root % grid.columns;
                int x = number_;
                if (me % grid.columns == column) {
                    Cigebs2d(grid.context, "Row", " ", 1, 1, &x, 1);
                } else {
                    Cigebr2d(grid.context, "Row", " ", 1, 1, &x, 1, me / grid.columns, column);
                }
                EXPECT_EQ(grid.members[static_cast<std::size_t>(me / grid.columns * grid.columns + column)], x);
                break;
            }
            default:
                Cblacs_barrier(grid.context, "Column");
        }
    }

    void exit_one()
    {
        const auto which = static_cast<std::size_t>(pick(0, static_cast<int>(grids_.size()) - 1));
        if (grids_[which].member(number_)) Cblacs_gridexit(grids_[which].context);
        grids_.erase(grids_.begin() + static_cast<std::ptrdiff_t>(which));
    }

    std::size_t open() const { return grids_.size(); }

private:
    void init(Planned& grid, const char* order)
    {
        Cblacs_get(-1, 0, &grid.context);
        Cblacs_gridinit(&grid.context, order, grid.rows, grid.columns);
        for (int i = 0; i < grid.rows; ++i) {
            for (int j = 0; j < grid.columns; ++j) {
                grid.members.push_back(*order == 'R' ? i * grid.columns + j : i + j * grid.rows);
            }
        }
    }

    void map(Planned& grid, const std::vector<int>& members)
    {
        const int ldup = grid.rows + pick(0, 2);
        std::vector<int> usermap(static_cast<std::size_t>(ldup * grid.columns), -7);
        for (int k = 0; k < grid.rows * grid.columns; ++k) {
            usermap[static_cast<std::size_t>(k / grid.columns + k % grid.columns * ldup)] =
                members[static_cast<std::size_t>(k)];
        }
        Cblacs_get(-1, 0, &grid.context);
        Cblacs_gridmap(&grid.context, usermap.data(), ldup, grid.rows, grid.columns);
        grid.members = members;
    }

    void reshape(const Planned& grid)
    {
        if (!grid.member(number_)) return;
        int system_context = -1;
        Cblacs_get(grid.context, 10, &system_context);
        EXPECT_EQ(1, system_context);  // 0 is that of all processes; the last one was given back
        int reshaped = system_context;
        Cblacs_gridinit(&reshaped, "R", 1, static_cast<int>(grid.members.size()));
        int nprow = 0, npcol = 0, row = 0, column = 0;
        Cblacs_gridinfo(reshaped, &nprow, &npcol, &row, &column);
        EXPECT_EQ(number_, grid.members[static_cast<std::size_t>(column)]);
        Cblacs_gridexit(reshaped);
        Cfree_blacs_system_handle(system_context);
    }

    int number_;
    int count_;
    std::mt19937_64 random_;
    std::vector<Planned> grids_;
};

// Gives what this process and the job use after a fifth of the grids, and after all.
std::pair<Usage, Usage> make_and_exit(int grids)
{
    const Blacs blacs;
    Plan plan(blacs.number(), blacs.count());
    Usage before;
    for (int k = 0; k < grids; ++k) {
        if (k == grids / 5) before = usage();
        plan.make();
        for (int uses = plan.pick(0, 3); uses > 0; --uses) plan.use();
        while (plan.open() >= kGridsAtATime || (plan.open() > 0 && plan.pick(0, 7) == 0)) plan.exit_one();
    }
    const Usage after = usage();
    while (plan.open() > 0) plan.exit_one();
    return {before, after};
}

}  // namespace

// Ranks that are threads share their descriptors and their private memory, so these runs count processes alone.
FMPL_RANKS_TEST_WITH(BlacsRecycling, TenThousandGridsUseWhatTwoThousandUse,
    RanksOptions{.ranks = {4, 7}, .threads = false, .unmapped = false})
{
    const auto [before, after] = make_and_exit(kSanitized ? 1000 : 10000);
    EXPECT_GT(after.shared, 0) << "the job's memory was not found";
    EXPECT_LE(after.shared, before.shared + kMoreShared * size()) << "FMPL_TEST_SEED=" << seed();
    EXPECT_EQ(before.descriptors, after.descriptors);
    // A sanitizer keeps freed memory for a while.
    const long more = kSanitized ? 1L << 40 : kMorePrivate;
    EXPECT_LE(after.private_, before.private_ + more) << "FMPL_TEST_SEED=" << seed();
}

FMPL_RANKS_TEST(BlacsRecycling, GridsAreRecycledAtEveryNumberOfProcesses)
{
    make_and_exit(300);
}
