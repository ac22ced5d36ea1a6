// The BLACS over an installed MPI: the same claims as for BLACS-FMPL, on as many processes as the MPI's launcher
// starts. Every process runs every case, so that cases use EXPECT_* alone and do not end early.
//
// With an argument `end=<name>` it runs none of them, and ends the way that the name says; blacs_mpi_test.py looks on.
#include "blacs_api.hpp"
#include "blacs_mpi_calls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace fmpl_test {
namespace {

// As square as the number of processes allows.
Shape widest_square()
{
    int me = 0;
    int n = 0;
    Cblacs_pinfo(&me, &n);
    Shape shape{1, n};
    for (int rows = 2; rows * rows <= n; ++rows) {
        if (n % rows == 0) shape = {rows, n / rows};
    }
    return shape;
}

// The neighbours in a ring of all processes of the grid.
struct Ring {
    explicit Ring(const Grid& grid)
        : next((grid.number() + 1) % grid.size()),
          last((next + grid.size() - 2) % grid.size())
    {
    }
    int next;
    int last;
};

// An element that tells its sender, its place and the occasion.
template <class T>
T sent_by(int process, int i, int j, int occasion = 0)
{
    return element<T>(process * 5003L + i * 101L + j * 7L + occasion * 13L);
}

struct Sizes {
    int m;
    int n;
    int lda_sent;
    int lda_received;
};

constexpr Sizes kGeneral[] = {{1, 1, 1, 1}, {8, 5, 8, 8}, {8, 5, 11, 8}, {8, 5, 8, 11}, {8, 5, 13, 11}, {1, 9, 4, 3},
    {40, 40, 640, 41}, {300, 1, 300, 300}, {0, 4, 4, 4}, {4, 0, 4, 4}, {123, 77, 200, 130}};

TEST(BlacsOverMpi, GeneralMatricesArriveBetweenAllLayouts)
{
    const Grid grid(widest_square());
    const Ring ring(grid);
    for_each_type([&]<class T>() {
        for (const Sizes& s : kGeneral) {
            Framed<T> out(s.m, s.n, s.lda_sent);
            Framed<T> in(s.m, s.n, s.lda_received);
            out.fill([&](int i, int j) { return sent_by<T>(grid.number(), i, j); });
            Api<T>::gesd2d(
                grid.context, s.m, s.n, out.a(), out.lda(), ring.next / grid.columns, ring.next % grid.columns);
            out.fill([](int, int) { return Framed<T>::mark(); });  // the send has returned: it is ours again
            Api<T>::gerv2d(
                grid.context, s.m, s.n, in.a(), in.lda(), ring.last / grid.columns, ring.last % grid.columns);
            EXPECT_EQ(in.wrong([&](int i, int j) { return sent_by<T>(ring.last, i, j); }), 0)
                << s.m << " x " << s.n << ", lda " << s.lda_sent << " to " << s.lda_received;
        }
    });
}

constexpr Shape kTrapezoids[] = {{1, 1}, {4, 4}, {7, 3}, {3, 7}, {1, 6}, {6, 1}, {50, 33}};

// f(uplo, diag, m, n) for all of them.
template <class F>
void for_each_trapezoid(F&& f)
{
    for (const char* uplo : {"U", "L"}) {
        for (const char* diag : {"U", "N"}) {
            for (const Shape& s : kTrapezoids) f(uplo, diag, s.rows, s.columns);
        }
    }
}

TEST(BlacsOverMpi, TrapezoidsArriveAndTheRestStays)
{
    const Grid grid(widest_square());
    const Ring ring(grid);
    for_each_type([&]<class T>() {
        for_each_trapezoid([&](const char* uplo, const char* diag, int m, int n) {
            Framed<T> out(m, n, m + 2);
            Framed<T> in(m, n, m + 5);
            out.fill([&](int i, int j) { return sent_by<T>(grid.number(), i, j); });
            Api<T>::trsd2d(
                grid.context, uplo, diag, m, n, out.a(), out.lda(), ring.next / grid.columns, ring.next % grid.columns);
            Api<T>::trrv2d(
                grid.context, uplo, diag, m, n, in.a(), in.lda(), ring.last / grid.columns, ring.last % grid.columns);
            const auto expected = [&](int i, int j) {
                return in_trapezoid(*uplo, *diag, m, n, i, j) ? sent_by<T>(ring.last, i, j) : Framed<T>::mark();
            };
            EXPECT_EQ(in.wrong(expected), 0) << uplo << diag << ' ' << m << " x " << n;
        });
    });
}

TEST(BlacsOverMpi, AShorterMessageFillsTheFirstElementsByColumns)
{
    const Grid grid(widest_square());
    const Ring ring(grid);
    const std::vector<double> out{1, 2, 3, 4, 5};
    Framed<double> in(3, 3, 6);
    Cdgesd2d(grid.context, 5, 1, out.data(), 5, ring.next / grid.columns, ring.next % grid.columns);
    Cdgerv2d(grid.context, 3, 3, in.a(), in.lda(), ring.last / grid.columns, ring.last % grid.columns);
    const auto expected = [&](int i, int j) { return i + 3 * j < 5 ? i + 3 * j + 1.0 : Framed<double>::mark(); };
    EXPECT_EQ(in.wrong(expected), 0);
}

// Larger than the MPIs send without a receive: each second one is past every limit of theirs.
TEST(BlacsOverMpi, AThousandSendsReturnBeforeTheFirstReceive)
{
    const Grid grid(widest_square());
    const Ring ring(grid);
    constexpr int kMessages = 1000;
    const auto size = [](int k) { return k % 2 == 0 ? 1 + k % 100 : 2000 + 17 * k; };
    for (int round = 0; round < 2; ++round) {
        std::vector<double> out;
        for (int k = 0; k < kMessages; ++k) {
            out.assign(static_cast<std::size_t>(size(k)), sent_by<double>(grid.number(), k, round));
            Cdgesd2d(grid.context, size(k), 1, out.data(), size(k), ring.next / grid.columns, ring.next % grid.columns);
        }
        std::vector<double> in;
        int wrong = 0;
        for (int k = 0; k < kMessages; ++k) {
            in.assign(static_cast<std::size_t>(size(k)), -1.0);
            Cdgerv2d(grid.context, size(k), 1, in.data(), size(k), ring.last / grid.columns, ring.last % grid.columns);
            const double expected = sent_by<double>(ring.last, k, round);
            wrong += static_cast<int>(std::count_if(in.begin(), in.end(), [&](double x) { return x != expected; }));
        }
        EXPECT_EQ(wrong, 0);
        Cblacs_freebuff(grid.context, 1);
    }
}

// A message travels in pieces of 64 MiB: one more element than a piece, just two pieces, and columns that lie across
// the ends of pieces.
TEST(BlacsOverMpi, MatricesOfSeveralPiecesArrive)
{
    const Grid grid(widest_square());
    constexpr int kPiece = (64 << 20) / static_cast<int>(sizeof(int));
    struct {
        int m, n, lda;
    } const sizes[] = {{kPiece + 1, 1, kPiece + 1}, {kPiece, 2, kPiece}, {kPiece / 3, 5, kPiece / 3 + 7}};
    for (const auto& s : sizes) {
        const std::size_t elements = static_cast<std::size_t>(s.lda) * static_cast<std::size_t>(s.n);
        const auto value = [&](std::size_t k) { return static_cast<int>(k % 1000003); };
        const auto wrong = [&](const std::vector<int>& a) {
            std::size_t count = 0;
            for (std::size_t k = 0; k < elements; ++k) {
                const bool inside = k % static_cast<std::size_t>(s.lda) < static_cast<std::size_t>(s.m);
                count += a[k] != (inside ? value(k) : -1) ? 1 : 0;
            }
            return count;
        };
        if (grid.number() == 0) {
            std::vector<int> a(elements);
            for (std::size_t k = 0; k < elements; ++k) a[k] = value(k);
            Cigesd2d(grid.context, s.m, s.n, a.data(), s.lda, 0, 1);
            Cigebs2d(grid.context, "Row", " ", s.m, s.n, a.data(), s.lda);
        } else if (grid.number() == 1) {
            std::vector<int> a(elements, -1);
            Cigerv2d(grid.context, s.m, s.n, a.data(), s.lda, 0, 0);
            EXPECT_EQ(wrong(a), 0U) << s.m << " x " << s.n;
            a.assign(elements, -1);
            Cigebr2d(grid.context, "Row", " ", s.m, s.n, a.data(), s.lda, 0, 0);
            EXPECT_EQ(wrong(a), 0U) << s.m << " x " << s.n;
        }
        Cblacs_freebuff(grid.context, 1);
    }
}

// f(scope, row and column of each process of the caller's scope): each in turn as the root.
template <class F>
void for_each_root(const Grid& grid, F&& f)
{
    for (int column = 0; column < grid.columns; ++column) f("Row", grid.row, column);
    for (int row = 0; row < grid.rows; ++row) f("Column", row, grid.column);
    for (int k = 0; k < grid.size(); ++k) f("All", k / grid.columns, k % grid.columns);
}

TEST(BlacsOverMpi, BroadcastsReachTheScopeWithEveryTopology)
{
    const Grid grid(widest_square());
    for_each_type([&]<class T>() {
        for_each_root(grid, [&](const char* scope, int row, int column) {
            const bool root = row == grid.row && column == grid.column;
            const int number = row * grid.columns + column;
            for (const char* top : {" ", "I", "D", "S", "H", "F", "T", "1", "5"}) {
                for (const int pad : {0, 3}) {  // a contiguous root, and receivers that are not
                    Framed<T> a(6, 4, root ? 6 + pad : 9 - pad);
                    if (root) {
                        a.fill([&](int i, int j) { return sent_by<T>(number, i, j); });
                        Api<T>::gebs2d(grid.context, scope, top, 6, 4, a.a(), a.lda());
                    } else {
                        Api<T>::gebr2d(grid.context, scope, top, 6, 4, a.a(), a.lda(), row, column);
                    }
                    EXPECT_EQ(a.wrong([&](int i, int j) { return sent_by<T>(number, i, j); }), 0)
                        << scope << top << pad;
                }
            }
        });
    });
}

TEST(BlacsOverMpi, BroadcastTrapezoidsArriveAndTheRestStays)
{
    const Grid grid(widest_square());
    for_each_type([&]<class T>() {
        for_each_trapezoid([&](const char* uplo, const char* diag, int m, int n) {
            for_each_root(grid, [&](const char* scope, int row, int column) {
                const bool root = row == grid.row && column == grid.column;
                const int number = row * grid.columns + column;
                Framed<T> a(m, n, root ? m + 1 : m + 4);
                if (root) {
                    a.fill([&](int i, int j) { return sent_by<T>(number, i, j); });
                    Api<T>::trbs2d(grid.context, scope, " ", uplo, diag, m, n, a.a(), a.lda());
                    return;
                }
                Api<T>::trbr2d(grid.context, scope, " ", uplo, diag, m, n, a.a(), a.lda(), row, column);
                const auto expected = [&](int i, int j) {
                    return in_trapezoid(*uplo, *diag, m, n, i, j) ? sent_by<T>(number, i, j) : Framed<T>::mark();
                };
                EXPECT_EQ(a.wrong(expected), 0) << scope << uplo << diag << ' ' << m << " x " << n;
            });
        });
    });
}

// The processes of the caller's scope, by number, in the order of their numbers.
std::vector<int> members(const Grid& grid, const char* scope)
{
    std::vector<int> numbers;
    for (int k = 0; k < grid.size(); ++k) {
        if (*scope == 'R' && k / grid.columns != grid.row) continue;
        if (*scope == 'C' && k % grid.columns != grid.column) continue;
        numbers.push_back(k);
    }
    return numbers;
}

// f(scope, destination row, destination column): -1 for all, then each process of the scope.
template <class F>
void for_each_destination(const Grid& grid, F&& f)
{
    for (const char* scope : {"Row", "Column", "All"}) f(scope, -1, -1);
    for_each_root(grid, f);
}

TEST(BlacsOverMpi, SumsAreThoseOfTheElements)
{
    const Grid grid(widest_square());
    for_each_type([&]<class T>() {
        for_each_destination(grid, [&](const char* scope, int row, int column) {
            for (const int lda : {7, 12}) {
                Framed<T> a(7, 6, lda);
                a.fill([&](int i, int j) { return sent_by<T>(grid.number(), i, j); });
                Api<T>::gsum2d(grid.context, scope, " ", 7, 6, a.a(), a.lda(), row, column);
                if (row != -1 && (row != grid.row || column != grid.column)) continue;
                const auto expected = [&](int i, int j) {
                    T sum{};
                    for (const int k : members(grid, scope)) sum += sent_by<T>(k, i, j);
                    return sum;
                };
                EXPECT_EQ(a.wrong(expected), 0) << scope << ' ' << row << ' ' << column << ", lda " << lda;
            }
        });
    });
}

template <class T>
double magnitude(T x)
{
    return std::abs(static_cast<double>(std::real(x))) + std::abs(static_cast<double>(std::imag(x)));
}

// Every process ties with a neighbour, in both signs, so that a tie shows which of them won.
template <class T>
T tying(int process, int i, int j)
{
    const int k = 1 + (process / 2 + i * 3 + j) % 2;
    return process % 2 == 0 ? element<T>(k) : -element<T>(k);
}

template <class T>
void expect_extremes(const Grid& grid, bool largest, bool coordinates, int lda)
{
    constexpr int m = 5;
    constexpr int n = 4;
    const auto routine = largest ? Api<T>::gamx2d : Api<T>::gamn2d;
    for_each_destination(grid, [&](const char* scope, int row, int column) {
        Framed<T> a(m, n, lda);
        Framed<int> ra(m, n, m + 1);
        Framed<int> ca(m, n, m + 1);
        a.fill([&](int i, int j) { return tying<T>(grid.number(), i, j); });
        routine(
            grid.context, scope, " ", m, n, a.a(), a.lda(), ra.a(), ca.a(), coordinates ? ra.lda() : -1, row, column);
        const bool gets_result = row == -1 || (row == grid.row && column == grid.column);
        const auto winner = [&](int i, int j) {
            int best = -1;
            for (const int k : members(grid, scope)) {
                if (best < 0) best = k;
                const double now = magnitude(tying<T>(k, i, j));
                const double so_far = magnitude(tying<T>(best, i, j));
                if (largest ? now > so_far : now < so_far) best = k;
            }
            return best;
        };
        if (!gets_result) return;
        const auto where = [&] {
            return ::testing::Message() << scope << (largest ? " max " : " min ") << row << ' ' << column << ", lda "
                                        << lda;
        };
        EXPECT_EQ(a.wrong([&](int i, int j) { return tying<T>(winner(i, j), i, j); }), 0) << where();
        const int mark = Framed<int>::mark();
        const int wrong_rows = ra.wrong([&](int i, int j) { return coordinates ? winner(i, j) / grid.columns : mark; });
        const int wrong_columns =
            ca.wrong([&](int i, int j) { return coordinates ? winner(i, j) % grid.columns : mark; });
        EXPECT_EQ(wrong_rows, 0) << where();
        EXPECT_EQ(wrong_columns, 0) << where();
    });
}

TEST(BlacsOverMpi, ExtremesAreThoseOfTheSmallestProcessNumber)
{
    const Grid grid(widest_square());
    for_each_type([&]<class T>() {
        for (const bool largest : {true, false}) {
            for (const bool coordinates : {true, false}) {
                for (const int lda : {5, 8}) expect_extremes<T>(grid, largest, coordinates, lda);
            }
        }
    });
}

TEST(BlacsOverMpi, GridsAreRecycled)
{
    int me = 0;
    int n = 0;
    Cblacs_pinfo(&me, &n);
    std::vector<int> reversed;
    for (int k = n - 1; k >= 0; --k) reversed.push_back(k);
    for (int repetition = 0; repetition < 2000; ++repetition) {
        int context = -1;
        Cblacs_get(-1, 0, &context);
        Cblacs_gridmap(&context, reversed.data(), 1, 1, n);
        const Grid all(widest_square());
        int sum = repetition + me;
        Cigsum2d(context, "All", " ", 1, 1, &sum, 1, -1, -1);
        EXPECT_EQ(sum, n * repetition + n * (n - 1) / 2);
        EXPECT_EQ(Cblacs_pnum(context, 0, n - 1 - me), n - 1 - me);
        Cblacs_barrier(all.context, "All");
        Cblacs_gridexit(context);
    }
}

// A message of a grid that has exited is still under way when its sender leaves it.
TEST(BlacsOverMpi, AGridMayBeLeftBeforeItsMessagesAreSent)
{
    std::vector<double> a(300000);
    for (int repetition = 0; repetition < 5; ++repetition) {
        const Grid grid(widest_square());
        if (grid.number() == 0) {
            a.assign(a.size(), repetition);
            for (int k = 0; k < 3; ++k) Cdgesd2d(grid.context, 300000, 1, a.data(), 300000, 0, 1);
            a.assign(a.size(), -1.0);
        } else if (grid.number() == 1) {
            for (int k = 0; k < 3; ++k) {
                Cdgerv2d(grid.context, 300000, 1, a.data(), 300000, 0, 0);
                EXPECT_EQ(std::count(a.begin(), a.end(), static_cast<double>(repetition)), 300000);
            }
        }
    }
}

TEST(BlacsOverMpi, SystemHandlesAreCommunicators)
{
    const Grid grid(widest_square());
    const char* wrong = wrong_with_mpi_handles(grid.context);
    EXPECT_STREQ(wrong, nullptr);
}

TEST(BlacsOverMpi, WhoLeavesWithOneMayComeBack)
{
    int context = 0;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, widest_square().columns);
    int unused = 0;
    int row = 0;
    Cblacs_exit(1);
    Cblacs_gridinfo(context, &unused, &unused, &row, &unused);
    EXPECT_EQ(row, -1);
    const Grid grid(widest_square());
    int sum = 1;
    Cigsum2d(grid.context, "All", " ", 1, 1, &sum, 1, -1, -1);
    EXPECT_EQ(sum, grid.size());
}

// ---- Ends that blacs_mpi_test.py looks at --------------------------------------------------------------------------

int end(std::string_view how)
{
    std::vector<double> a(1 << 20);
    if (how == "never-received") {
        {
            const Grid grid({1, 2});
            if (grid.number() == 0) Cdgesd2d(grid.context, 1 << 20, 1, a.data(), 1 << 20, 0, 1);
        }
        Cblacs_exit(0);
        std::puts("left");
        return 0;
    }
    if (how == "own-mpi") {
        init_mpi();
        {
            const Grid grid({1, 2});
            Cblacs_barrier(grid.context, "All");
        }
        Cblacs_exit(0);
        std::puts(finalize_mpi() ? "still up" : "finalized");
        return 0;
    }
    const Grid grid({1, 2});
    if (how == "too-long") {
        if (grid.number() == 0) Cdgesd2d(grid.context, 9, 1, a.data(), 9, 0, 1);
        if (grid.number() == 1) Cdgerv2d(grid.context, 2, 4, a.data(), 3, 0, 0);
    } else if (how == "outside") {
        if (grid.number() == 0) Cdgesd2d(grid.context, 1, 1, a.data(), 1, 7, 1);
    } else if (how == "abort") {
        if (grid.number() == 0) Cblacs_abort(grid.context, 9);
    } else {
        std::fprintf(stderr, "unknown end\n");
        return 2;
    }
    // The processes that made no mistake wait here until they are ended.
    Cblacs_barrier(grid.context, "All");
    std::puts("no error");
    return 0;
}

}  // namespace
}  // namespace fmpl_test

int main(int argc, char** argv)
{
    ::testing::InitGoogleTest(&argc, argv);
    if (argc == 2 && std::strncmp(argv[1], "end=", 4) == 0) return fmpl_test::end(argv[1] + 4);
    int me = 0;
    int n = 0;
    Cblacs_pinfo(&me, &n);
    const int failed = RUN_ALL_TESTS();
    Cblacs_exit(0);
    return failed;
}
