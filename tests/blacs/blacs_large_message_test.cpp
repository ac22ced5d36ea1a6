// Matrices of more than 2 GiB: sizes that an int does not hold, in each routine that moves them.
//
// They need FMPL_TEST_LARGE=1, since they take a minute and up to 15 GB, and are left out where there is less memory.
#include "../support/guarded_buffer.hpp"
#include "blacs_api.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

namespace {

using namespace fmpl_test;

constexpr int kOrder = 17000;  // 2.3 GB of doubles
constexpr double kMatrixGigabytes = 8e-9 * kOrder * kOrder;
static_assert(8LL * kOrder * kOrder > (1LL << 31));

double available_gigabytes()
{
    std::ifstream lines("/proc/meminfo");
    for (std::string name; lines >> name;) {
        double kib = 0;
        if (name == "MemAvailable:" && lines >> kib) return kib * 1024e-9;
        lines.ignore(1000, '\n');
    }
    return 0;
}

// Whole numbers, so that sums are exact; neighbours in a row and in a column differ, and so do the two ends.
double value(int i, int j, int salt)
{
    return i * 3.0 + j * 100003.0 + salt;
}

// A kOrder x kOrder matrix with `gap` unused elements at the end of each column, in the place asked for.
class LargeMatrix {
public:
    static constexpr double kGap = -4;

    LargeMatrix(int gap, Place place) : gap_(gap), place_(place)
    {
        const std::size_t elements = static_cast<std::size_t>(lda()) * kOrder;
        a_ = static_cast<double*>(place == Place::heap ? std::malloc(elements * 8) : fmpl_malloc(elements * 8));
        if (a_ == nullptr) throw std::runtime_error("no memory for a matrix");
    }
    ~LargeMatrix()
    {
        if (place_ == Place::heap) {
            std::free(a_);
        } else {
            fmpl_free(a_);
        }
    }
    LargeMatrix(const LargeMatrix&) = delete;
    LargeMatrix& operator=(const LargeMatrix&) = delete;

    int lda() const { return kOrder + gap_; }
    double* a() { return a_; }

    template <class F>
    void fill(F&& f)
    {
        for (int j = 0; j < kOrder; ++j) {
            double* const column = a_ + static_cast<std::ptrdiff_t>(lda()) * j;
            for (int i = 0; i < kOrder; ++i) column[i] = f(i, j);
            for (int i = kOrder; i < lda(); ++i) column[i] = kGap;
        }
    }
    template <class F>
    long wrong(F&& f)
    {
        long count = 0;
        for (int j = 0; j < kOrder; ++j) {
            const double* const column = a_ + static_cast<std::ptrdiff_t>(lda()) * j;
            for (int i = 0; i < kOrder; ++i) count += column[i] != f(i, j);
            for (int i = kOrder; i < lda(); ++i) count += column[i] != kGap;
        }
        return count;
    }

private:
    int gap_;
    Place place_;
    double* a_ = nullptr;
};

// From process 0 to process 1. The first message comes before its receive, so that it is kept for the receiver; the
// second finds its receive posted, or not, as the machine will have it.
void send_twice(int gap_sent, int gap_received, Place place)
{
    const Blacs blacs;
    const Grid grid({1, 2});
    LargeMatrix x(grid.column == 0 ? gap_sent : gap_received, place);
    for (int round = 0; round < 2; ++round) {
        if (grid.column == 0) {
            x.fill([&](int i, int j) { return value(i, j, round); });
            Cdgesd2d(grid.context, kOrder, kOrder, x.a(), x.lda(), 0, 1);
            if (round == 0) Cblacs_barrier(grid.context, "All");
        } else {
            x.fill([](int, int) { return -1.0; });
            if (round == 0) Cblacs_barrier(grid.context, "All");
            Cdgerv2d(grid.context, kOrder, kOrder, x.a(), x.lda(), 0, 0);
            EXPECT_EQ(0, x.wrong([&](int i, int j) { return value(i, j, round); })) << "round " << round;
        }
    }
}

void broadcast(int gap_at_root, int gap_elsewhere, Place place)
{
    const Blacs blacs;
    const Grid grid({blacs.count(), 1});
    const int root = 1;
    LargeMatrix x(grid.row == root ? gap_at_root : gap_elsewhere, place);
    if (grid.row == root) {
        x.fill([](int i, int j) { return value(i, j, 7); });
        Cdgebs2d(grid.context, "All", " ", kOrder, kOrder, x.a(), x.lda());
    } else {
        x.fill([](int, int) { return -1.0; });
        Cdgebr2d(grid.context, "All", " ", kOrder, kOrder, x.a(), x.lda(), root, 0);
    }
    EXPECT_EQ(0, x.wrong([](int i, int j) { return value(i, j, 7); }));
}

void sum(int gap)
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    LargeMatrix x(gap, Place::heap);
    x.fill([&](int i, int j) { return value(i, j, grid.column); });
    Cdgsum2d(grid.context, "All", " ", kOrder, kOrder, x.a(), x.lda(), -1, -1);
    const int n = blacs.count();
    EXPECT_EQ(0, x.wrong([&](int i, int j) { return n * value(i, j, 0) + n * (n - 1) / 2; }));
}

// matrices: how many matrices' worth of memory the body takes at its highest, of all processes.
void run_if_allowed(const std::string& body, int ranks, double matrices)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "left out under a sanitizer, whose own memory for it would be too much";
#endif
    const char* const wanted = std::getenv("FMPL_TEST_LARGE");
    if (wanted == nullptr || std::string(wanted) != "1") {
        GTEST_SKIP() << "set FMPL_TEST_LARGE=1 for matrices of more than 2 GiB";
    }
    const double needed = matrices * kMatrixGigabytes + 1;
    const double available = available_gigabytes();
    if (available < needed) {
        GTEST_SKIP() << "needs " << needed << " GB of memory, and " << available << " are available";
    }
    const ProgramResult result = run_body_under_launcher(body, ranks);
    EXPECT_EQ(0, result.status) << result.output;
}

}  // namespace

// The matrices of both processes, and the message that waits for its receive.
#define FMPL_LARGE_TEST(Name, ranks_, matrices, statement)                                          \
    FMPL_RANKS_TEST_WITH(BlacsLargeMessage, Name##_program, ::fmpl_test::RanksOptions{.ranks = {}}) \
    {                                                                                               \
        statement;                                                                                  \
    }                                                                                               \
    TEST(BlacsLargeMessage, Name)                                                                   \
    {                                                                                               \
        run_if_allowed("BlacsLargeMessage." #Name "_program", ranks_, matrices);                    \
    }

FMPL_LARGE_TEST(ContiguousMatricesArrive, 2, 3, send_twice(0, 0, Place::heap))
FMPL_LARGE_TEST(StridedMatricesArrive, 2, 3, send_twice(3, 1, Place::heap))
FMPL_LARGE_TEST(ContiguousMatricesInRemoteDmaMemoryArrive, 2, 3, send_twice(0, 0, Place::rdma))
FMPL_LARGE_TEST(StridedMatricesInRemoteDmaMemoryArrive, 2, 3, send_twice(1, 2, Place::rdma))
FMPL_LARGE_TEST(ContiguousMatricesAreBroadcast, 3, 3, broadcast(0, 0, Place::heap))
FMPL_LARGE_TEST(StridedMatricesAreBroadcast, 3, 3, broadcast(2, 3, Place::heap))
FMPL_LARGE_TEST(MatricesInRemoteDmaMemoryAreBroadcast, 3, 3, broadcast(0, 0, Place::rdma))
FMPL_LARGE_TEST(ContiguousMatricesAreSummed, 2, 4, sum(0))
FMPL_LARGE_TEST(StridedMatricesAreSummed, 2, 6, sum(3))
