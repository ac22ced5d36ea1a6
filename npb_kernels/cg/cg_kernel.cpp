#include "cg_kernel.hpp"

#include "conjugate_gradient.hpp"
#include "distributed_product.hpp"
#include "problem.hpp"
#include "process_grid.hpp"
#include "sparse_matrix.hpp"
#include "sparse_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fmpl::npb::cg {

namespace {

// What this rank allocates, about.
std::size_t bytes_of(const Problem& problem, const ProcessGrid& grid)
{
    const Range rows = grid.row_block(), columns = grid.column_block();
    const double per_row = static_cast<double>(problem.nonzeros + 1) * (problem.nonzeros + 1);
    const auto products = static_cast<std::size_t>(per_row * rows.size() * columns.size() / problem.order);
    // Three operands, with the rows; partial sums and pieces, and where they land over an MPI; the own piece of the
    // sums.
    const std::size_t vectors = 4 * columns.size() + 6 * rows.size();
    return SparseMatrix::bytes(problem, rows, columns) + SparseProduct::bytes(products, rows.size()) +
           vectors * sizeof(double);
}

// x = z / |z| after each solution of A z = x.
class InverseIteration {
public:
    InverseIteration(DistributedProduct& product, Group& world) : solver_(product, world), x_(product.operand_size())
    {
        reset();
    }

    void reset() { std::fill(x_.begin(), x_.end(), 1.0); }

    ConjugateGradient::Solution iterate()
    {
        const ConjugateGradient::Solution solution = solver_.solve(x_);
        const double scale = 1.0 / std::sqrt(solution.z_dot_z);
        const std::span<const double> z = solver_.solution();
        for (std::size_t i = 0; i < z.size(); ++i) x_[i] = scale * z[i];
        return solution;
    }

private:
    ConjugateGradient solver_;
    WorkArray<double> x_;
};

}  // namespace

Outcome cg_kernel(Run& run)
{
    Communication& communication = run.communication();
    const Problem problem = problem_of(run.problem_class());
    if (!ProcessGrid::possible(communication.ranks())) {
        throw Refusal(fmt::format(
            "{} ranks do not form a grid; start 1, 2, 4, 8 or another power of two", communication.ranks()));
    }
    if (static_cast<std::uint32_t>(communication.ranks()) > problem.order) {
        throw Refusal(fmt::format("{} ranks are more than the {} rows of class {}; start fewer, or take a larger class",
            communication.ranks(), problem.order, letter(run.problem_class())));
    }
    const ProcessGrid grid(problem.order, communication.ranks(), communication.rank());
    run.require_memory(bytes_of(problem, grid));

    SparseProduct local = [&] {
        SparseMatrix matrix(problem, grid.row_block(), grid.column_block());
        return SparseProduct(matrix);
    }();
    DistributedProduct product(grid, std::move(local), communication);
    const double elements = communication.world().sum(static_cast<double>(product.local().elements()));
    run.say(fmt::format(" order {}, {:.0f} elements, shift {}, grid of {} x {} ranks\n", problem.order, elements,
        problem.shift, grid.rows(), grid.columns()));

    InverseIteration inverse_iteration(product, communication.world());
    inverse_iteration.iterate();
    inverse_iteration.reset();

    const int lines_every = problem.iterations > 25 ? 5 : 1;
    double zeta = 0;
    run.say("   iteration                 |r|                  zeta");
    run.start_clock();
    for (int iteration = 1; iteration <= problem.iterations; ++iteration) {
        const ConjugateGradient::Solution solution = inverse_iteration.iterate();
        zeta = problem.shift + 1.0 / solution.x_dot_z;
        if (iteration == 1 || iteration % lines_every == 0) {
            run.say(fmt::format("   {:>9} {:>19.13e} {:>21.13f}", iteration, solution.residual, zeta));
        }
    }
    run.stop_clock();

    Outcome outcome;
    outcome.size = fmt::format("{}", problem.order);
    outcome.iterations = problem.iterations;
    outcome.operations = problem.operations();
    outcome.operation_type = "floating point";
    outcome.checks.push_back(
        {"zeta", zeta, problem.zeta, std::abs(zeta - problem.zeta) <= Problem::kTolerance * problem.zeta});
    outcome.details = {{"grid_rows", grid.rows()}, {"grid_columns", grid.columns()}, {"elements", elements},
        {"stored_elements_of_rank_0", product.local().stored_elements()}};
    return outcome;
}

}  // namespace fmpl::npb::cg
