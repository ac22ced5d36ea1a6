// What a program does again and again allocates nothing: no call of operator new below the BLACS once all sizes have
// been seen.
#include "../support/ranks_test.hpp"
#include "blacs_api.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

namespace {

thread_local std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t bytes)
{
    ++allocations;
    if (void* memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace {

using namespace fmpl_test;

constexpr int kOrder = 40;
constexpr int kLda = 100;

struct Matrices {
    std::vector<double> out = std::vector<double>(kLda * kOrder, 1.0);
    std::vector<double> in = std::vector<double>(kLda * kOrder);
    std::vector<int> rows = std::vector<int>(kOrder * kOrder);
    std::vector<int> columns = std::vector<int>(kOrder * kOrder);
};

void one_round(int grid, int me, int n, Matrices& m)
{
    const int to = (me + 1) % n;
    const int from = (me + n - 1) % n;
    double* const out = m.out.data();
    double* const in = m.in.data();
    for (int i = 0; i < 4; ++i) {
        Cdgesd2d(grid, kOrder, kOrder, out, kLda, 0, to);
        Cdtrsd2d(grid, "U", "N", kOrder, kOrder, out, kLda, 0, to);
        Cdgesd2d(grid, kOrder * kOrder, 1, out, kOrder * kOrder, 0, to);
        Cdgesd2d(grid, 1, 1, out, 1, 0, to);
    }
    for (int i = 0; i < 4; ++i) {
        Cdgerv2d(grid, kOrder, kOrder, in, kLda, 0, from);
        Cdtrrv2d(grid, "U", "N", kOrder, kOrder, in, kLda, 0, from);
        Cdgerv2d(grid, kOrder * kOrder, 1, in, kOrder * kOrder, 0, from);
        Cdgerv2d(grid, 1, 1, in, 1, 0, from);
    }
    if (me == 0) {
        Cdgebs2d(grid, "All", " ", kOrder, kOrder, out, kLda);
    } else {
        Cdgebr2d(grid, "All", " ", kOrder, kOrder, in, kLda, 0, 0);
    }
    Cdgsum2d(grid, "All", " ", kOrder, kOrder, in, kLda, -1, -1);
    Cdgamx2d(grid, "All", " ", kOrder, kOrder, in, kLda, m.rows.data(), m.columns.data(), kOrder, -1, -1);
    Cblacs_barrier(grid, "All");
}

FMPL_RANKS_TEST(BlacsSteadyState, AllocatesNothing)
{
    int me = 0;
    int n = 0;
    Cblacs_pinfo(&me, &n);
    int grid = 0;
    Cblacs_get(-1, 0, &grid);
    Cblacs_gridinit(&grid, "Row", 1, n);
    {
        Matrices matrices;
        for (int i = 0; i < 30; ++i) one_round(grid, me, n, matrices);
        // Now and then a rank that runs ahead has more messages in the send buffer than ever before. But seldom, and
        // what it does again and again allocates nothing.
        constexpr std::size_t kBatches = 8;
        constexpr std::size_t kRounds = 20;
        const std::size_t before = allocations;
        std::size_t least = SIZE_MAX;
        for (std::size_t batch = 0; batch < kBatches; ++batch) {
            const std::size_t before_batch = allocations;
            for (std::size_t i = 0; i < kRounds; ++i) one_round(grid, me, n, matrices);
            least = std::min(least, allocations - before_batch);
        }
        EXPECT_EQ(least, 0u);
        EXPECT_LT(allocations - before, kBatches * kRounds / 5);
    }
    Cblacs_gridexit(grid);
    Cblacs_exit(0);
}

}  // namespace
