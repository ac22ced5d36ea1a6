#include "blacs_api.hpp"

#include <algorithm>

namespace {

using namespace fmpl_test;

long value(int source, int destination, int i, int j)
{
    return 1 + source * 7001L + destination * 503L + j * 61L + i;
}

// Every process sends an m x n matrix to every process, itself included, with one lda on each side.
template <class T>
void all_to_all(const Grid& grid, int m, int n, int lda_sent, int lda_received)
{
    const int me = grid.number();
    for (int to = 0; to < grid.size(); ++to) {
        Framed<T> a(m, n, lda_sent);
        a.fill([&](int i, int j) { return element<T>(value(me, to, i, j)); });
        Api<T>::gesd2d(grid.context, m, n, a.a(), a.lda(), to / grid.columns, to % grid.columns);
        a.fill([&](int, int) { return element<T>(0); });  // the matrix is the sender's again
    }
    for (int from = 0; from < grid.size(); ++from) {
        Framed<T> b(m, n, lda_received);
        Api<T>::gerv2d(grid.context, m, n, b.a(), b.lda(), from / grid.columns, from % grid.columns);
        EXPECT_EQ(0, b.wrong([&](int i, int j) { return element<T>(value(from, me, i, j)); }))
            << m << " x " << n << " from " << from << ", element of " << sizeof(T) << " bytes";
    }
}

}  // namespace

FMPL_RANKS_TEST(BlacsPointToPoint, ContiguousMatricesOfAllTypesArrive)
{
    const Blacs blacs;
    for (const Shape shape : shapes(blacs.count())) {
        const Grid grid(shape);
        if (!grid.inside()) continue;
        for_each_type([&]<class T>() {
            all_to_all<T>(grid, 1, 1, 1 + 2, 1 + 2);
            all_to_all<T>(grid, 37, 1, 40, 39);
            all_to_all<T>(grid, 5, 3, 5, 5);
            all_to_all<T>(grid, 64, 50, 64, 64);
        });
    }
}

FMPL_RANKS_TEST(BlacsPointToPoint, StridedMatricesLeaveTheGapsAlone)
{
    const Blacs blacs;
    for (const Shape shape : shapes(blacs.count())) {
        const Grid grid(shape);
        if (!grid.inside()) continue;
        for_each_type([&]<class T>() {
            all_to_all<T>(grid, 1, 23, 5, 4);  // a row
            all_to_all<T>(grid, 5, 3, 9, 7);
            all_to_all<T>(grid, 5, 3, 5, 8);  // contiguous to strided, and back
            all_to_all<T>(grid, 5, 3, 8, 5);
            all_to_all<T>(grid, 40, 40, 640, 111);
        });
    }
}

FMPL_RANKS_TEST(BlacsPointToPoint, TrapezoidalMatricesMoveTheirElementsAlone)
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    const int to = (grid.column + 1) % grid.columns;
    const int from = (grid.column + grid.columns - 1) % grid.columns;
    for_each_type([&]<class T>() {
        for (const char* uplo : {"U", "L", "u", "l"}) {
            for (const char* diag : {"N", "U", "n", "u"}) {
                for (const int m : {1, 2, 5, 12}) {
                    for (const int n : {1, 2, 5, 12}) {
                        Framed<T> a(m, n, m + 3);
                        a.fill([&](int i, int j) { return element<T>(value(grid.column, to, i, j)); });
                        Api<T>::trsd2d(grid.context, uplo, diag, m, n, a.a(), a.lda(), 0, to);
                        Framed<T> b(m, n, m + 5);
                        b.fill([](int, int) { return element<T>(29999); });
                        Api<T>::trrv2d(grid.context, uplo, diag, m, n, b.a(), b.lda(), 0, from);
                        const char u = static_cast<char>(std::toupper(*uplo));
                        const char d = static_cast<char>(std::toupper(*diag));
                        EXPECT_EQ(0, b.wrong([&](int i, int j) {
                            return in_trapezoid(u, d, m, n, i, j) ? element<T>(value(from, grid.column, i, j))
                                                                  : element<T>(29999);
                        })) << uplo
                            << diag << " " << m << " x " << n;
                    }
                }
            }
        }
    });
}

FMPL_RANKS_TEST(BlacsPointToPoint, MessagesOfOnePairArriveInTheOrderSent)
{
    const Blacs blacs;
    const Grid grid({blacs.count(), 1});
    const int to = (grid.row + 1) % grid.rows;
    const int from = (grid.row + grid.rows - 1) % grid.rows;
    const auto length = [](int k) { return k % 5 == 0 ? 3000 + k : 1 + k % 40; };
    constexpr int kMessages = 150;
    for (int k = 0; k < kMessages; ++k) {
        std::vector<int> a(static_cast<std::size_t>(length(k)), grid.row * 1000 + k);
        Cigesd2d(grid.context, length(k), 1, a.data(), length(k), to, 0);
    }
    for (int k = 0; k < kMessages; ++k) {
        std::vector<int> b(static_cast<std::size_t>(length(k)), -1);
        Cigerv2d(grid.context, length(k), 1, b.data(), length(k), from, 0);
        EXPECT_EQ(length(k), std::count(b.begin(), b.end(), from * 1000 + k)) << "message " << k;
    }
}

// Nobody receives before everybody has sent everything: any send that waits for its receiver hangs the test.
FMPL_RANKS_TEST(BlacsPointToPoint, SendsNeverWaitForTheirReceivers)
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    constexpr int kMessages = 60;
    const auto rows = [](int k) { return k % 20 == 19 ? 40000 : 1 + 37 * k % 900; };
    for (int k = 0; k < kMessages; ++k) {
        for (int to = 0; to < grid.columns; ++to) {
            Framed<double> a(rows(k), 2, rows(k) + (k % 2) * 2);
            a.fill([&](int i, int j) { return element<double>(value(grid.column, to, i, j) + k); });
            Cdgesd2d(grid.context, rows(k), 2, a.a(), a.lda(), 0, to);
        }
    }
    Cblacs_barrier(grid.context, "All");
    for (int k = 0; k < kMessages; ++k) {
        for (int from = grid.columns - 1; from >= 0; --from) {
            Framed<double> b(rows(k), 2, rows(k) + 2);
            Cdgerv2d(grid.context, rows(k), 2, b.a(), b.lda(), 0, from);
            EXPECT_EQ(0, b.wrong([&](int i, int j) { return element<double>(value(from, grid.column, i, j) + k); }))
                << "message " << k << " from " << from;
        }
    }
}

FMPL_RANKS_TEST(BlacsPointToPoint, EmptyMatricesMatchEachOther)
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    const int to = (grid.column + 1) % grid.columns;
    const int from = (grid.column + grid.columns - 1) % grid.columns;
    double x = 3 + grid.column;
    Cdgesd2d(grid.context, 0, 5, nullptr, 1, 0, to);
    Cdgesd2d(grid.context, 5, 0, nullptr, 1, 0, to);
    Cdtrsd2d(grid.context, "U", "U", 1, 1, &x, 1, 0, to);
    Cdgesd2d(grid.context, 1, 1, &x, 1, 0, to);
    double y = -1;
    Cdgerv2d(grid.context, 0, 5, &y, 1, 0, from);
    Cdgerv2d(grid.context, 5, 0, &y, 5, 0, from);
    Cdtrrv2d(grid.context, "U", "U", 1, 1, &y, 1, 0, from);
    EXPECT_EQ(-1, y);
    Cdgerv2d(grid.context, 1, 1, &y, 1, 0, from);
    EXPECT_EQ(3 + from, y);
}

FMPL_RANKS_TEST(BlacsPointToPoint, AShorterMessageFillsTheFirstElementsByColumns)
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    const int to = (grid.column + 1) % grid.columns;
    const int from = (grid.column + grid.columns - 1) % grid.columns;
    Framed<int> a(7, 1, 9);
    a.fill([&](int i, int) { return 100 * grid.column + i; });
    for (const int lda : {4, 6}) {
        Cigesd2d(grid.context, 7, 1, a.a(), a.lda(), 0, to);
        Framed<int> b(4, 3, lda);
        b.fill([](int, int) { return -5; });
        Cigerv2d(grid.context, 4, 3, b.a(), b.lda(), 0, from);
        EXPECT_EQ(0, b.wrong([&](int i, int j) { return 4 * j + i < 7 ? 100 * from + 4 * j + i : -5; }))
            << "lda " << lda;
    }
}

FMPL_RANKS_TEST(BlacsPointToPoint, ContextsDoNotMix)
{
    const Blacs blacs;
    const Grid first({1, blacs.count()});
    const Grid second({blacs.count(), 1});
    const int n = blacs.count();
    const int to = (blacs.number() + 1) % n;
    const int from = (blacs.number() + n - 1) % n;
    const double one = 1, two = 2;
    Cdgesd2d(first.context, 1, 1, &one, 1, 0, to);
    Cdgesd2d(second.context, 1, 1, &two, 1, to, 0);
    double x = 0;
    Cdgerv2d(second.context, 1, 1, &x, 1, from, 0);
    EXPECT_EQ(2, x);
    Cdgerv2d(first.context, 1, 1, &x, 1, 0, from);
    EXPECT_EQ(1, x);
}

FMPL_RANKS_TEST(BlacsPointToPoint, RandomTrafficArrivesElementByElement)
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    // The same plan on all processes, from one seed.
    std::mt19937_64 random(seed());
    const auto pick = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
    constexpr int kRounds = 120;
    for (int round = 0; round < kRounds; ++round) {
        const int source = pick(0, grid.columns - 1);
        const int destination = pick(0, grid.columns - 1);
        const int m = pick(0, 9) == 0 ? pick(300, 2000) : pick(1, 40);
        const int n = pick(1, 12);
        const int lda_sent = m + pick(0, 2);
        const int lda_received = m + pick(0, 2);
        if (grid.column == source) {
            Framed<double> a(m, n, std::max(lda_sent, 3));
            a.fill([&](int i, int j) { return element<double>(value(source, destination, i, j) + round); });
            Cdgesd2d(grid.context, m, n, a.a(), a.lda(), 0, destination);
        }
        if (grid.column == destination) {
            Framed<double> b(m, n, std::max(lda_received, 3));
            Cdgerv2d(grid.context, m, n, b.a(), b.lda(), 0, source);
            EXPECT_EQ(0, b.wrong([&](int i, int j) {
                return element<double>(value(source, destination, i, j) + round);
            })) << "round "
                << round << ", FMPL_TEST_SEED=" << seed();
        }
    }
}
