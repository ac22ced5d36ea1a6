#include "blacs_api.hpp"

#include <cstring>
#include <limits>

namespace {

using namespace fmpl_test;

constexpr int kUntouched = -77;

struct ScopeCase {
    const char* letter;
    std::vector<int> members;  // process numbers, in the order of the scope
};

std::vector<ScopeCase> scopes(const Grid& grid)
{
    ScopeCase row{"r", {}}, column{"Column", {}}, all{"All", {}};
    for (int k = 0; k < grid.size(); ++k) {
        if (k / grid.columns == grid.row) row.members.push_back(k);
        if (k % grid.columns == grid.column) column.members.push_back(k);
        all.members.push_back(k);
    }
    return {row, column, all};
}

// Small whole numbers: every order of adding gives the same sum.
template <class T>
T summand(int process, int i, int j)
{
    return element<T>((process + 1) * (i + 3 * j + 1) % 97);
}

double magnitude(double x)
{
    return std::abs(x);
}
double magnitude(std::complex<double> x)
{
    return std::abs(x.real()) + std::abs(x.imag());
}

// Values of few magnitudes and both signs, so that ties abound.
template <class T>
T contestant(int process, int i, int j)
{
    const int k = (process * 5 + i * 3 + j * 7) % 4;
    const int sign = (process + i) % 2 == 0 ? 1 : -1;
    return T(static_cast<decltype(std::real(T{}))>(sign * k));
}
template <>
std::complex<double> contestant(int process, int i, int j)
{
    const int k = (process * 5 + i * 3 + j * 7) % 4;
    // |re| + |im| = 4 for k of 0 and 1, whose moduli differ: the BLACS do not compare moduli.
    static const std::complex<double> values[] = {{4, 0}, {-2, 2}, {0, 3}, {-1, 0}};
    return values[k];
}

template <class T, class Combine>
void check_extremes(const Grid& grid, Combine combine, bool maximum, const ScopeCase& scope, int destination, int ldia)
{
    const int m = 4, n = 3, me = grid.number();
    Framed<T> a(m, n, m + me % 3 + 2);
    a.fill([&](int i, int j) { return contestant<T>(me, i, j); });
    std::vector<int> ra(static_cast<std::size_t>(6 * n), kUntouched);
    std::vector<int> ca = ra;
    const int rdest = destination < 0 ? -1 : destination / grid.columns;
    const int cdest = destination < 0 ? -1 : destination % grid.columns;
    combine(grid.context, scope.letter, " ", m, n, a.a(), a.lda(), ra.data(), ca.data(), ldia, rdest, cdest);
    if (destination >= 0 && destination != me) {
        EXPECT_EQ(std::vector<int>(ra.size(), kUntouched), ra);
        EXPECT_EQ(std::vector<int>(ca.size(), kUntouched), ca);
        return;
    }
    std::vector<int> rows(ra.size(), kUntouched), columns(ca.size(), kUntouched);
    EXPECT_EQ(0, a.wrong([&](int i, int j) {
        int best = scope.members.front();
        for (const int p : scope.members) {
            const auto challenger = magnitude(contestant<T>(p, i, j));
            const auto champion = magnitude(contestant<T>(best, i, j));
            if (maximum ? challenger > champion : challenger < champion) best = p;
        }
        if (ldia != -1) {
            rows[static_cast<std::size_t>(i + j * ldia)] = best / grid.columns;
            columns[static_cast<std::size_t>(i + j * ldia)] = best % grid.columns;
        }
        return contestant<T>(best, i, j);
    })) << "scope "
        << scope.letter << ", destination " << destination << ", ldia " << ldia;
    EXPECT_EQ(rows, ra);
    EXPECT_EQ(columns, ca);
}

}  // namespace

FMPL_RANKS_TEST(BlacsCombine, SumsAreThoseOfTheScopeForOneAndForAll)
{
    const Blacs blacs;
    for (const Shape shape : shapes(blacs.count())) {
        const Grid grid(shape);
        if (!grid.inside()) continue;
        for_each_type([&]<class T>() {
            for (const ScopeCase& scope : scopes(grid)) {
                std::vector<int> destinations = scope.members;
                destinations.push_back(-1);
                for (const int destination : destinations) {
                    for (const Shape matrix : {Shape{1, 1}, Shape{6, 4}, Shape{1, 8}, Shape{50, 40}}) {
                        const int m = matrix.rows, n = matrix.columns;
                        const int spare = (grid.number() + m) % 3;  // contiguous on some processes, strided on others
                        Framed<T> a(m, n, std::max(3, m + spare));
                        a.fill([&](int i, int j) { return summand<T>(grid.number(), i, j); });
                        const int rdest = destination < 0 ? -1 : destination / grid.columns;
                        const int cdest = destination < 0 ? -1 : destination % grid.columns;
                        Api<T>::gsum2d(grid.context, scope.letter, " ", m, n, a.a(), a.lda(), rdest, cdest);
                        if (destination >= 0 && destination != grid.number()) continue;
                        EXPECT_EQ(0, a.wrong([&](int i, int j) {
                            T sum{};
                            for (const int p : scope.members) sum += summand<T>(p, i, j);
                            return sum;
                        })) << "scope "
                            << scope.letter << ", destination " << destination << ", " << m << " x " << n;
                    }
                }
            }
        });
    }
}

// Sums whose rounding depends on the order of adding: all processes must have the same bits, and every time.
FMPL_RANKS_TEST(BlacsCombine, SumsToAllHaveTheSameBitsEverywhereAndEveryTime)
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    std::mt19937_64 random(seed() + static_cast<std::uint64_t>(grid.column));
    std::uniform_real_distribution<double> uniform(-1, 1);
    const int count = 1200;
    std::vector<double> mine(count);
    for (double& x : mine) x = uniform(random) * std::exp2(std::uniform_int_distribution<int>(-30, 30)(random));
    std::vector<double> first;
    for (int repetition = 0; repetition < 10; ++repetition) {
        std::vector<double> sum = mine;
        Cdgsum2d(grid.context, "All", " ", count, 1, sum.data(), count, -1, -1);
        std::vector<double> roots = sum;
        if (grid.column == 0) {
            Cdgebs2d(grid.context, "All", " ", count, 1, roots.data(), count);
        } else {
            Cdgebr2d(grid.context, "All", " ", count, 1, roots.data(), count, 0, 0);
        }
        EXPECT_EQ(0, std::memcmp(sum.data(), roots.data(), count * sizeof(double))) << "FMPL_TEST_SEED=" << seed();
        if (first.empty()) first = sum;
        EXPECT_EQ(0, std::memcmp(sum.data(), first.data(), count * sizeof(double))) << "FMPL_TEST_SEED=" << seed();
    }
}

FMPL_RANKS_TEST(BlacsCombine, ExtremesNameTheSmallestProcessNumberThatHoldsThem)
{
    const Blacs blacs;
    for (const Shape shape : shapes(blacs.count())) {
        const Grid grid(shape);
        if (!grid.inside()) continue;
        for (const ScopeCase& scope : scopes(grid)) {
            std::vector<int> destinations = scope.members;
            destinations.push_back(-1);
            for (const int destination : destinations) {
                for (const int ldia : {-1, 4, 6}) {
                    check_extremes<int>(grid, Cigamx2d, true, scope, destination, ldia);
                    check_extremes<int>(grid, Cigamn2d, false, scope, destination, ldia);
                    check_extremes<float>(grid, Csgamx2d, true, scope, destination, ldia);
                    check_extremes<double>(grid, Cdgamx2d, true, scope, destination, ldia);
                    check_extremes<double>(grid, Cdgamn2d, false, scope, destination, ldia);
                    check_extremes<std::complex<double>>(grid, Czgamx2d, true, scope, destination, ldia);
                    check_extremes<std::complex<double>>(grid, Czgamn2d, false, scope, destination, ldia);
                }
            }
        }
    }
}

FMPL_RANKS_TEST_AT(BlacsCombine, TheSmallestIntegerHasTheLargestAbsoluteValue, ({2, 3}))
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    int x = grid.column == 1 ? std::numeric_limits<int>::min() : std::numeric_limits<int>::max();
    int ra = 0, ca = 0;
    Cigamx2d(grid.context, "All", " ", 1, 1, &x, 1, &ra, &ca, 1, -1, -1);
    EXPECT_EQ(std::numeric_limits<int>::min(), x);
    EXPECT_EQ(1, ca);
}

FMPL_RANKS_TEST(BlacsCombine, ADestinationOfMinusOneMeansAllInARowToo)
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    double x = 1, y = 1;
    Cdgsum2d(grid.context, "Row", " ", 1, 1, &x, 1, -1, grid.column);
    Cdgsum2d(grid.context, "Row", " ", 1, 1, &y, 1, grid.row, -1);
    EXPECT_EQ(grid.columns, x);
    EXPECT_EQ(grid.columns, y);
}
