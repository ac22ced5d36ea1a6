// The local product against Eigen.
#include "cg/sparse_product.hpp"

#include "support/ranks_test.hpp"

#include <Eigen/Sparse>

#include <random>

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::cg;

Eigen::SparseMatrix<double, Eigen::RowMajor> eigen_matrix(SparseMatrix& matrix)
{
    std::vector<Eigen::Triplet<double>> triplets;
    std::vector<Element> elements;
    for (std::uint32_t row = 0; row < matrix.rows(); ++row) {
        elements.clear();
        matrix.append_row(row, elements);
        for (const Element& element : elements) {
            triplets.emplace_back(static_cast<int>(row), static_cast<int>(element.column), element.value);
        }
    }
    Eigen::SparseMatrix<double, Eigen::RowMajor> result(matrix.rows(), matrix.columns());
    result.setFromTriplets(triplets.begin(), triplets.end());
    return result;
}

void agrees_with_eigen(const Problem& problem, Range rows, Range columns)
{
    SparseMatrix matrix(problem, rows, columns);
    const auto expected_matrix = eigen_matrix(matrix);
    SparseProduct product(matrix);
    EXPECT_EQ(product.rows(), rows.size());
    EXPECT_EQ(product.columns(), columns.size());
    EXPECT_EQ(product.elements(), static_cast<std::size_t>(expected_matrix.nonZeros()));
    EXPECT_GE(product.stored_elements(), product.elements());

    std::mt19937_64 random(fmpl_test::seed());
    std::uniform_real_distribution<double> number(-1, 1);
    Eigen::VectorXd x(columns.size());
    for (double& value : x) value = number(random);
    const Eigen::VectorXd expected = expected_matrix * x;
    // All ways of going through the matrix are tried in the first of these, and give the same.
    Eigen::VectorXd y_before;
    for (std::size_t repetition = 0; repetition < FastestWay<>::kRounds * SparseProduct::kWays + 2; ++repetition) {
        Eigen::VectorXd y = Eigen::VectorXd::Constant(rows.size(), 1e9);
        std::size_t rows_there = 0;
        product.multiply(std::span(x.data(), columns.size()), std::span(y.data(), rows.size()),
            [&](std::size_t first, std::span<const double> results) {
                EXPECT_EQ(first, rows_there);
                EXPECT_EQ(results.data(), y.data() + first);
                for (const double result : results) {
                    EXPECT_NEAR(result, expected[static_cast<Eigen::Index>(rows_there++)], 1e-12);
                }
            });
        EXPECT_EQ(rows_there, rows.size());
        EXPECT_LE((y - expected).cwiseAbs().maxCoeff(), 1e-12);
        EXPECT_TRUE(repetition == 0 || y == y_before) << "repetition " << repetition;
        y_before = y;
    }
}

TEST(CgSparseProduct, OfOneTileAgreesWithEigen)
{
    agrees_with_eigen(problem_of(ProblemClass::S), {0, 1400}, {0, 1400});
    agrees_with_eigen(problem_of(ProblemClass::S), {0, 700}, {700, 1400});
    agrees_with_eigen(problem_of(ProblemClass::S), {351, 701}, {349, 702});
}

// Two panels as wide as 16 bits can tell, with elements in the columns on both sides of where they meet.
TEST(CgSparseProduct, OfTheWidestPanelsAgreesWithEigen)
{
    agrees_with_eigen({131072, 1, 5, 1, 0}, {65500, 65600}, {0, 131072});
}

TEST(CgSparseProduct, OfManyPanelsAgreesWithEigen)
{
    agrees_with_eigen({20000, 11, 20, 1, 0}, {1000, 3000}, {0, 20000});
}

TEST(CgSparseProduct, OfManyStripsAgreesWithEigen)
{
    agrees_with_eigen({40000, 3, 20, 1, 0}, {0, 40000}, {0, 9000});
}

// Rows without an element in a panel or in the block; the last group of a tile is not full.
TEST(CgSparseProduct, OfFewElementsAgreesWithEigen)
{
    agrees_with_eigen({30000, 2, 5, 1, 0}, {0, 17}, {100, 30000});
    agrees_with_eigen({30000, 1, 5, 1, 0}, {0, 16385}, {20000, 20001});
    agrees_with_eigen({100, 5, 5, 1, 0}, {0, 1}, {0, 1});
}

}  // namespace
