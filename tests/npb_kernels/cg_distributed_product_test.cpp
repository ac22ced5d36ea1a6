// The product of all ranks, and the spreading of pieces, against one rank's product of the whole matrix.
#include "cg/distributed_product.hpp"

#include "support/ranks_test.hpp"

#include <cmath>
#include <vector>

namespace {

using namespace fmpl::npb;
using namespace fmpl::npb::cg;
using namespace fmpl_test;

constexpr Problem kProblem{1531, 4, 7.0, 1, 0};  // pieces of different lengths

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

FMPL_RANKS_TEST_AT(CgDistributedProduct, AgreesWithTheProductOfOneRank, ({1, 2, 4, 8, 16}))
{
    const auto communication = Communication::join();
    const ProcessGrid grid(kProblem.order, communication->ranks(), communication->rank());
    SparseMatrix matrix(kProblem, grid.row_block(), grid.column_block());
    DistributedProduct product(grid, SparseProduct(matrix, grid.row_piece_ends()), *communication);
    const Range block = grid.column_block(), piece = grid.piece(grid.own_piece());

    std::mt19937_64 random(seed());
    std::uniform_real_distribution<double> number(-1, 1);
    for (int round = 0; round < 5; ++round) {
        std::vector<double> x(kProblem.order);
        for (double& value : x) value = number(random);
        const std::vector<double> expected = whole_product(x);

        std::vector<double> y(piece.size());
        product.multiply(std::span(x).subspan(block.begin, block.size()), y);
        for (std::uint32_t i = 0; i < piece.size(); ++i) EXPECT_NEAR(y[i], expected[piece.begin + i], 1e-12);

        double sums[] = {1.0, static_cast<double>(communication->rank())};
        product.spread(y, std::span(sums));
        EXPECT_EQ(sums[0], communication->ranks());
        EXPECT_EQ(sums[1], 0.5 * communication->ranks() * (communication->ranks() - 1));
        std::uint32_t visited = 0;
        product.visit_block([&](std::uint32_t begin, std::span<const double> elements) {
            EXPECT_EQ(begin, visited);
            for (const double element : elements) EXPECT_NEAR(element, expected[block.begin + visited++], 1e-12);
        });
        EXPECT_EQ(visited, block.size());
    }
}

}  // namespace
