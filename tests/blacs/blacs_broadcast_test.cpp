#include "blacs_api.hpp"

namespace {

using namespace fmpl_test;

long value(int root, int k, int i, int j)
{
    return 1 + root * 7001L + k * 503L + j * 61L + i;
}

struct ScopeCase {
    const char* letter;
    int size;  // processes of the scope, and the caller's rank among them
    int rank;
};

std::vector<ScopeCase> scopes(const Grid& grid)
{
    return {{"Row", grid.columns, grid.column}, {"column", grid.rows, grid.row}, {"A", grid.size(), grid.number()}};
}

// The coordinates of the root; within a row the row is the caller's own, within a column the column.
Shape root_coordinates(const Grid& grid, const ScopeCase& scope, int root)
{
    if (*scope.letter == 'R') return {grid.row, root};
    if (*scope.letter == 'c') return {root, grid.column};
    return {root / grid.columns, root % grid.columns};
}

}  // namespace

FMPL_RANKS_TEST(BlacsBroadcast, EveryScopeGetsTheMatrixOfChangingRoots)
{
    const Blacs blacs;
    for (const Shape shape : shapes(blacs.count())) {
        const Grid grid(shape);
        if (!grid.inside()) continue;
        for_each_type([&]<class T>() {
            int k = 0;
            for (const ScopeCase& scope : scopes(grid)) {
                for (int root = 0; root < scope.size; ++root) {
                    for (const Shape matrix : {Shape{3, 1}, Shape{7, 5}, Shape{1, 9}, Shape{90, 70}}) {
                        ++k;
                        // Processes of one scope may differ in their leading dimensions.
                        const int m = matrix.rows, n = matrix.columns;
                        Framed<T> a(m, n, std::max(3, m + (grid.number() + k) % 3));
                        const auto expected = [&](int i, int j) { return element<T>(value(root, k, i, j)); };
                        const Shape from = root_coordinates(grid, scope, root);
                        if (scope.rank == root) {
                            a.fill(expected);
                            Api<T>::gebs2d(grid.context, scope.letter, " ", m, n, a.a(), a.lda());
                        } else {
                            Api<T>::gebr2d(
                                grid.context, scope.letter, " ", m, n, a.a(), a.lda(), from.rows, from.columns);
                        }
                        EXPECT_EQ(0, a.wrong(expected)) << "scope " << scope.letter << ", root " << root;
                    }
                }
            }
        });
    }
}

FMPL_RANKS_TEST(BlacsBroadcast, EveryTopologyLetterIsAccepted)
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    int k = 0;
    for (const char* top : {" ", "I-ring", "D", "S", "H", "hyper", "F", "M", "T", "1", "2", "9", "i", "d", "s", "t"}) {
        const int root = ++k % grid.columns;
        double x = grid.column == root ? 10 + k : 0;
        if (grid.column == root) {
            Cdgebs2d(grid.context, "All", top, 1, 1, &x, 1);
        } else {
            Cdgebr2d(grid.context, "All", top, 1, 1, &x, 1, 0, root);
        }
        EXPECT_EQ(10 + k, x) << "topology " << top;
        Cdgsum2d(grid.context, "All", top, 1, 1, &x, 1, -1, -1);
        EXPECT_EQ(grid.columns * (10 + k), x) << "topology " << top;
    }
}

FMPL_RANKS_TEST(BlacsBroadcast, TrapezoidalMatricesMoveTheirElementsAlone)
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    for_each_type([&]<class T>() {
        for (const char uplo : {'U', 'L'}) {
            for (const char diag : {'N', 'U'}) {
                for (const Shape matrix : {Shape{4, 4}, Shape{3, 8}, Shape{8, 3}}) {
                    const int m = matrix.rows, n = matrix.columns;
                    for (int root = 0; root < grid.columns; ++root) {
                        Framed<T> a(m, n, m + grid.column % 2 + 2);
                        const auto sent = [&](int i, int j) { return element<T>(value(root, 0, i, j)); };
                        if (grid.column == root) {
                            a.fill(sent);
                            Api<T>::trbs2d(grid.context, "R", " ", &uplo, &diag, m, n, a.a(), a.lda());
                            EXPECT_EQ(0, a.wrong(sent));
                        } else {
                            a.fill([](int, int) { return element<T>(29999); });
                            Api<T>::trbr2d(grid.context, "R", " ", &uplo, &diag, m, n, a.a(), a.lda(), 0, root);
                            EXPECT_EQ(0, a.wrong([&](int i, int j) {
                                return in_trapezoid(uplo, diag, m, n, i, j) ? sent(i, j) : element<T>(29999);
                            })) << uplo
                                << diag << " " << m << " x " << n;
                        }
                    }
                }
            }
        }
    });
}

FMPL_RANKS_TEST(BlacsBroadcast, EmptyMatricesAreAllowed)
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    double x = -1;
    if (grid.column == 0) {
        Cdgebs2d(grid.context, "A", " ", 0, 4, &x, 1);
    } else {
        Cdgebr2d(grid.context, "A", " ", 0, 4, &x, 1, 0, 0);
    }
    EXPECT_EQ(-1, x);
}
