// Solves A X = B with ScaLAPACK over BLACS-FMPL. Process (0,0) reads A, and B if it is not A times ones, from Matrix
// Market files and deals them out to a grid of all processes; pdposv (Cholesky) or pdgesv (LU) solves; process (0,0)
// collects X and checks it with Eigen. Exit status: 0 solved and checked, 1 not, 2 wrong options.
#include "distributed_matrix.hpp"
#include "matrix_market.hpp"
#include "options.hpp"
#include "scalapack.hpp"
#include "solution_check.hpp"

#include <blacs_fmpl.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Problem {  // on process (0,0)
    Eigen::MatrixXd a, b;
    bool symmetric = false;  // as the file says
};

Problem read_problem(const Options& options)
{
    MarketMatrix matrix = read_matrix_market(options.matrix);
    Problem problem{std::move(matrix.values), {}, matrix.symmetric};
    const Eigen::Index order = problem.a.rows();
    if (problem.a.cols() != order) {
        throw std::runtime_error(options.matrix + ": the matrix is " + std::to_string(order) + " x " +
                                 std::to_string(problem.a.cols()) + "; it must be square");
    }
    if (options.solver == "cholesky" && problem.a != problem.a.transpose()) {
        throw std::runtime_error(options.matrix + ": the matrix is not symmetric; use --solver lu");
    }
    if (options.rhs.empty()) {
        problem.b = problem.a.rowwise().sum();
        return problem;
    }
    problem.b = read_matrix_market(options.rhs).values;
    if (problem.b.rows() != order) {
        throw std::runtime_error(options.rhs + ": " + std::to_string(problem.b.rows()) + " rows, but " +
                                 options.matrix + " has " + std::to_string(order));
    }
    return problem;
}

struct Solution {
    Eigen::MatrixXd x;   // on process (0,0), if info is 0
    int info = 0;        // as of pdposv and pdgesv
    double seconds = 0;  // of the slowest process
    double gflop = 0;
};

Solution solve(const ProcessGrid& grid, const Problem& problem, int order, int rhs, int block, bool cholesky)
{
    DistributedMatrix a(grid, order, order, block), b(grid, order, rhs, block);
    a.deal_out(grid, problem.a);
    b.deal_out(grid, problem.b);
    std::vector<int> pivots(a.descriptor[8] + block);

    Solution solution;
    constexpr int one = 1;
    Cblacs_barrier(grid.all, "All");
    const double start = Cdwalltime00();
    if (cholesky) {
        pdposv_("L", &order, &rhs, a.local.data(), &one, &one, a.descriptor.data(), b.local.data(), &one, &one,
            b.descriptor.data(), &solution.info, 1);
    } else {
        pdgesv_(&order, &rhs, a.local.data(), &one, &one, a.descriptor.data(), pivots.data(), b.local.data(), &one,
            &one, b.descriptor.data(), &solution.info);
    }
    solution.seconds = Cdwalltime00() - start;
    Cdgamx2d(grid.all, "All", " ", 1, 1, &solution.seconds, 1, nullptr, nullptr, -1, -1, -1);

    const double n = order;
    solution.gflop = ((cholesky ? 1 : 2) * n * n * n / 3 + 2 * n * n * rhs) * 1e-9;
    if (solution.info == 0) solution.x = b.collect(grid);
    return solution;
}

// On process (0,0): checks and prints the result, writes it if it is right, and returns the exit status.
int report(
    const Options& options, const ProcessGrid& grid, const Problem& problem, const Solution& solution, bool cholesky)
{
    const char* solver = cholesky ? "Cholesky (pdposv)" : "LU (pdgesv)";
    if (solution.info != 0) {
        const char* meaning = solution.info < 0 ? "an argument is wrong"
                              : cholesky        ? "the matrix is not positive definite; use --solver lu"
                                                : "the matrix is singular";
        std::fprintf(stderr, "solve: %s: %s: %s (info = %d)\n", options.matrix.c_str(), solver, meaning, solution.info);
        return 1;
    }
    std::printf("matrix    order %td, %s, right-hand sides: %td\n", problem.a.rows(),
        problem.symmetric ? "symmetric" : "general", problem.b.cols());
    std::printf("grid      %d x %d, blocks of %d\n", grid.rows, grid.columns, options.block);
    std::printf("solver    %s, %.3g s, %.3g GFlop/s\n", solver, solution.seconds, solution.gflop / solution.seconds);
    const bool good = solves(problem.a, solution.x, problem.b, options.verify);
    if (good && !options.output.empty()) write_matrix_market(options.output, solution.x);
    std::puts(good ? "passed" : "FAILED");
    return good ? 0 : 1;
}

int run(const Options& options, const ProcessGrid& grid)
{
    Problem problem;
    std::array<int, 3> shape{};  // order, right-hand sides, symmetric; zeros if process (0,0) could not read them
    if (grid.is_root()) {
        try {
            problem = read_problem(options);
            shape = {static_cast<int>(problem.a.rows()), static_cast<int>(problem.b.cols()), problem.symmetric};
        } catch (const std::runtime_error& error) {
            std::fprintf(stderr, "solve: %s\n", error.what());
        }
    }
    grid.broadcast(shape);
    const auto [order, rhs, symmetric] = shape;
    if (order == 0) return 1;

    bool cholesky = options.solver == "cholesky" || (options.solver == "auto" && symmetric);
    Solution solution = solve(grid, problem, order, rhs, options.block, cholesky);
    if (cholesky && solution.info > 0 && options.solver == "auto") {
        cholesky = false;  // symmetric, but not positive definite
        solution = solve(grid, problem, order, rhs, options.block, cholesky);
    }
    std::array<int, 1> status{};
    if (grid.is_root()) status[0] = report(options, grid, problem, solution, cholesky);
    grid.broadcast(status);
    return status[0];
}

}  // namespace

int main(int argc, char** argv)
{
    int me = 0, processes = 0;
    Cblacs_pinfo(&me, &processes);
    Options options;
    std::optional<int> status = read_options(options, argc, argv, me == 0);
    if (!status) {
        const ProcessGrid grid(processes);
        try {
            status = run(options, grid);
        } catch (const std::exception& error) {  // of one process, such as too little memory: the others wait for it
            std::fprintf(stderr, "solve: process (%d,%d): %s\n", grid.row, grid.column, error.what());
            Cblacs_abort(grid.all, 1);
        }
    }
    std::fflush(stdout);  // fmplrun ends a job after the first exit status that is not 0
    Cblacs_exit(0);
    return *status;
}
