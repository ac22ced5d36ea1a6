// The generated matrix against the benchmark's rules written down for a dense one.
#include "cg/sparse_matrix.hpp"

#include "common/random.hpp"

#include "support/ranks_test.hpp"

#include <Eigen/Dense>

#include <cmath>
#include <map>
#include <vector>

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::cg;

constexpr Problem kClassS = problem_of(ProblemClass::S);
constexpr Problem kSmall{100, 5, 3.0, 1, 0};  // most numbers repeat, so that products add up

// The sum of the outer products, from numbers drawn one by one.
Eigen::MatrixXd dense_matrix(const Problem& problem)
{
    const auto order = static_cast<Eigen::Index>(problem.order);
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(order, order);
    double power_of_two = 1;
    while (power_of_two < problem.order) power_of_two *= 2;
    Random random;
    random.next();
    for (Eigen::Index k = 0; k < order; ++k) {
        std::map<Eigen::Index, double> vector;
        while (vector.size() < static_cast<std::size_t>(problem.nonzeros)) {
            const double value = random.next();
            const auto place = static_cast<Eigen::Index>(power_of_two * random.next());
            if (place < order) vector.emplace(place, value);  // the first of a place counts
        }
        vector[k] = 0.5;
        const double size = std::pow(Problem::kCondition, static_cast<double>(k) / problem.order);
        for (const auto& [row, one] : vector) {
            for (const auto& [column, other] : vector) matrix(row, column) += size * one * other;
        }
    }
    matrix.diagonal().array() += Problem::kCondition - problem.shift;
    return matrix;
}

// The block as the rows come.
Eigen::MatrixXd generated_block(const Problem& problem, Range rows, Range columns)
{
    SparseMatrix matrix(problem, rows, columns);
    Eigen::MatrixXd block = Eigen::MatrixXd::Zero(rows.size(), columns.size());
    std::size_t elements = 0;
    for (std::uint32_t row = 0; row < matrix.rows(); ++row) {
        std::vector<Element> appended{{0, 1.0}};
        matrix.append_row(row, appended);
        elements += appended.size() - 1;
        for (std::size_t i = 1; i < appended.size(); ++i) {
            EXPECT_LT(appended[i].column, columns.size());
            EXPECT_NE(appended[i].value, 0.0);
            EXPECT_EQ(block(row, appended[i].column), 0.0) << "twice in row " << row;
            block(row, appended[i].column) = appended[i].value;
        }
    }
    EXPECT_GE(matrix.products(), elements);
    return block;
}

void expect_equal(const Eigen::MatrixXd& one, const Eigen::MatrixXd& other)
{
    EXPECT_LE((one - other).cwiseAbs().maxCoeff(), 1e-13);
    // The same pattern, not only values that are nearly 0.
    EXPECT_TRUE(((one.array() != 0) == (other.array() != 0)).all());
}

TEST(CgSparseMatrix, OfClassSFollowsTheRules)
{
    const Eigen::MatrixXd generated = generated_block(kClassS, {0, 1400}, {0, 1400});
    expect_equal(generated, dense_matrix(kClassS));
    EXPECT_LE((generated - generated.transpose()).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(CgSparseMatrix, SumsProductsOfTheSamePlace)
{
    expect_equal(generated_block(kSmall, {0, 100}, {0, 100}), dense_matrix(kSmall));
}

TEST(CgSparseMatrix, BlocksAreThoseOfTheWhole)
{
    const Eigen::MatrixXd whole = dense_matrix(kSmall);
    const Range ranges[] = {{0, 50}, {50, 100}, {33, 34}, {10, 97}};
    for (const Range rows : ranges) {
        for (const Range columns : ranges) {
            expect_equal(generated_block(kSmall, rows, columns),
                whole.block(rows.begin, columns.begin, rows.size(), columns.size()));
        }
    }
}

TEST(CgSparseMatrix, RowsCanBeAskedForInAnyOrder)
{
    SparseMatrix matrix(kSmall, {0, 100}, {0, 100});
    std::vector<Element> first, again;
    matrix.append_row(7, first);
    std::vector<Element> other;
    matrix.append_row(99, other);
    matrix.append_row(7, again);
    ASSERT_EQ(first.size(), again.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].column, again[i].column);
        EXPECT_EQ(first[i].value, again[i].value);
    }
}

}  // namespace
