// The product of all ranks, and what they publish, against one rank's product of the whole matrix.
#include "cg/distributed_product.hpp"

#include "cg/vector_operations.hpp"

#include "support/ranks_test.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::cg;
using namespace fmpl_test;

// Pieces of different lengths, which on 4 and 8 ranks are visited in several parts.
constexpr Problem kProblem{4519, 4, 7.0, 1, 0};

std::vector<double> whole_product(const std::vector<double>& x)
{
    const Range all{0, kProblem.order};
    SparseMatrix matrix(kProblem, all, all);
    std::vector<double> y;
    std::vector<Element> elements;
    for (std::uint32_t row = 0; row < matrix.rows(); ++row) {
        elements.clear();
        matrix.append_row(row, elements);
        y.push_back(0);
        for (const Element& element : elements) y.back() += element.value * x[element.column];
    }
    return y;
}

FMPL_RANKS_TEST_AT(CgDistributedProduct, AgreesWithTheProductOfOneRank, ({1, 2, 4, 8, 16, 32}))
{
    const auto communication = Communication::join();
    const ProcessGrid grid(kProblem.order, communication->ranks(), communication->rank());
    SparseMatrix matrix(kProblem, grid.row_block(), grid.column_block());
    DistributedProduct product(grid, SparseProduct(matrix), *communication);
    const Range piece = grid.own_piece();
    const bool in_place = !engine_is_unmapped() || communication->ranks() == 1;
    EXPECT_EQ(product.with_rows(), in_place && !ranks_take_turns());
    const auto operand_of = [&](const std::vector<double>& x) {
        std::vector<double> operand(product.operand_size());
        const auto copy = [&](Range range, std::span<double> to) {
            ASSERT_EQ(to.size(), range.size());
            std::copy_n(&x[range.begin], range.size(), to.begin());
        };
        if (product.with_rows()) copy(grid.row_block(), product.row_block(std::span(operand)));
        copy(grid.column_block(), product.column_block(std::span(operand)));
        copy(piece, product.own_piece(std::span(operand)));
        // The own piece is a part of a block that an operand has, or has a place of its own behind the column block.
        const bool within = grid.column_block().begin <= piece.begin && piece.end <= grid.column_block().end;
        const std::size_t behind = product.with_rows() ? grid.row_block().size() : piece.size();
        EXPECT_EQ(operand.size(), grid.column_block().size() + (within ? 0 : behind));
        return operand;
    };

    std::mt19937_64 random(seed());
    std::uniform_real_distribution<double> number(-1, 1);
    for (int round = 0; round < 5; ++round) {
        std::vector<double> x(kProblem.order);
        for (double& value : x) value = number(random);
        const std::vector<double> expected = whole_product(x);

        const std::vector<double> operand = operand_of(x);
        if (round % 2 == 0) {
            EXPECT_NEAR(product.multiply_and_dot(operand), dot(x, expected), 1e-9);
        } else {
            product.multiply(operand);
        }
        std::vector<double> y;
        product.visit_product([&](std::size_t begin, std::span<const double> part) {
            EXPECT_EQ(begin, y.size());
            y.insert(y.end(), part.begin(), part.end());
        });
        ASSERT_EQ(y.size(), piece.size());
        for (std::uint32_t i = 0; i < piece.size(); ++i) EXPECT_NEAR(y[i], expected[piece.begin + i], 1e-12);

        std::copy(y.begin(), y.end(), product.piece_to_publish().begin());
        double sums[] = {1.0, static_cast<double>(communication->rank())};
        product.publish(std::span(sums));
        EXPECT_EQ(sums[0], communication->ranks());
        EXPECT_EQ(sums[1], 0.5 * communication->ranks() * (communication->ranks() - 1));
        const std::span<const double> published = product.published_piece();
        EXPECT_TRUE(std::equal(published.begin(), published.end(), y.begin(), y.end()));
        std::vector<double> visited(product.operand_size());
        product.visit_published([&](std::size_t begin, std::span<const double> elements) {
            ASSERT_LE(begin + elements.size(), visited.size());
            for (std::size_t i = 0; i < elements.size(); ++i) visited[begin + i] += elements[i];  // once each
        });
        const std::vector<double> result = operand_of(expected);
        for (std::size_t i = 0; i < visited.size(); ++i) EXPECT_NEAR(visited[i], result[i], 1e-12);
        communication->world().barrier();
    }
}

}  // namespace
