// pdgemm.<comm>: the distributed matrix product as a benchmark and a test of everything below it. The source uses the
// BLACS and comm_seconds.hpp alone, so that one program a communication library comes from it.
//
// Exit status: 0 when the run was completed and, with --verify, the product is right; 1 when it is wrong or the results
// could not be written; 2 for options that cannot be used. All ranks return the same.
#include "../blacs_calls.hpp"
#include "comm_seconds.hpp"
#include "../pdgemm_library.hpp"
#include "program_options.hpp"
#include "test_matrix.hpp"
#include "verification.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <vector>

namespace fmpl::pdgemm {

namespace {

double seconds_now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What the library was asked for.
std::string algorithm_name(const ProgramOptions& options)
{
    const char* const variable = std::getenv("FMPL_PDGEMM_ALGORITHM");
    return !options.algorithm.empty() ? options.algorithm : variable != nullptr ? variable : "auto";
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

struct Timing {
    std::vector<double> seconds;  // of each repetition, from the last process's entry to the last one's return
    double comm_share = 0.0;      // of the time in the routine, averaged over the processes; on process (0, 0)
};

template <class T>
T scalar(std::complex<double> value)
{
    if constexpr (is_complex<T>) {
        return {static_cast<typename T::value_type>(value.real()), static_cast<typename T::value_type>(value.imag())};
    } else {
        return static_cast<T>(value.real());
    }
}

// Everything that the processes of the grid do for one element type.
template <class T>
class Run {
public:
    Run(const ProgramOptions& options, const ProcessGrid& grid)
        : options_(options),
          grid_(grid),
          a_('A', options.a, stored(options.transa, options.m, options.k).rows,
              stored(options.transa, options.m, options.k).columns, grid, options.leading_dimension_pad),
          b_('B', options.b, stored(options.transb, options.k, options.n).rows,
              stored(options.transb, options.k, options.n).columns, grid, options.leading_dimension_pad),
          c_('C', options.c, options.m, options.n, grid, options.leading_dimension_pad),
          initial_c_values_(local_array<T>(c_, grid, [this](int i, int j) { return initial_c(i, j); })),
          local_a_(local_array<T>(a_, grid, input('A'))),
          local_b_(local_array<T>(b_, grid, input('B'))),
          local_c_(initial_c_values_)
    {
    }

    // Collective over the grid.
    Timing time()
    {
        Timing timing;
        double comm = 0.0;
        double busy = 0.0;
        for (int repetition = -1; repetition < options_.reps; ++repetition) {
            local_c_.assign(initial_c_values_);
            Cblacs_barrier(grid_.context, "All");
            const double comm_before = comm_seconds();
            const double start = seconds_now();
            multiply();
            const double returned = seconds_now();
            const double comm_after = comm_seconds();
            Cblacs_barrier(grid_.context, "All");
            if (repetition < 0) continue;  // the first one warms caches, pages and connections
            timing.seconds.push_back(seconds_now() - start);
            comm += comm_after - comm_before;
            busy += returned - start;
        }
        double sums[2] = {comm, busy};
        Cdgsum2d(grid_.context, "All", " ", 2, 1, sums, 2, 0, 0);
        timing.comm_share = sums[1] > 0.0 ? sums[0] / sums[1] : 0.0;
        return timing;
    }

    // Collective over the grid, after time(). The verdict is process (0, 0)'s.
    Verdict verify()
    {
        const bool unchanged = local_a_.has_bits_of(local_array<T>(a_, grid_, input('A'))) &&
                               local_b_.has_bits_of(local_array<T>(b_, grid_, input('B'))) && pad_unchanged();
        int changed = unchanged ? 0 : 1;
        Cigsum2d(grid_.context, "All", " ", 1, 1, &changed, 1, 0, 0);
        const Matrix<T> result = gather_matrix(c_, local_c_.data(), grid_);
        Verdict verdict;
        if (grid_.my_row == 0 && grid_.my_column == 0) {
            verdict = compare_with_reference<T>(
                options_, a_, b_, c_, result, [this](int i, int j) { return initial_c(i, j); });
            verdict.inputs_unchanged = changed == 0;
        }
        return verdict;
    }

private:
    static Pair stored(char operation, int rows, int columns)
    {
        return operation == 'N' || operation == 'n' ? Pair{rows, columns} : Pair{columns, rows};
    }

    auto input(char name) const
    {
        return [this, name](int i, int j) { return element<T>(options_.seed, name, i, j); };
    }

    // With beta = 0 the product must not read C: a NaN would show it.
    T initial_c(int i, int j) const
    {
        const bool inside = i >= c_.offset.rows && i < c_.offset.rows + options_.m && j >= c_.offset.columns &&
                            j < c_.offset.columns + options_.n;
        if (inside && options_.beta == 0.0) return T(std::numeric_limits<double>::quiet_NaN());
        return element<T>(options_.seed, 'C', i, j);
    }

    bool pad_unchanged() const
    {
        const int rows = c_.rows.local_count(grid_.my_row);
        for (std::size_t first = 0; first < initial_c_values_.size();
             first += static_cast<std::size_t>(c_.leading_dimension)) {
            for (int i = rows; i < c_.leading_dimension; ++i) {
                const std::size_t at = first + static_cast<std::size_t>(i);
                if (!equal_bits(local_c_.data()[at], initial_c_values_[at])) return false;
            }
        }
        return true;
    }

    void multiply()
    {
        call_pgemm(options_.transa, options_.transb, options_.m, options_.n, options_.k, scalar<T>(options_.alpha),
            local_a_.data(), a_.offset.rows + 1, a_.offset.columns + 1, a_.descriptor.data(), local_b_.data(),
            b_.offset.rows + 1, b_.offset.columns + 1, b_.descriptor.data(), scalar<T>(options_.beta), local_c_.data(),
            c_.offset.rows + 1, c_.offset.columns + 1, c_.descriptor.data());
    }

    const ProgramOptions& options_;
    ProcessGrid grid_;
    TestMatrix a_;
    TestMatrix b_;
    TestMatrix c_;
    std::vector<T> initial_c_values_;
    LocalArray<T> local_a_;
    LocalArray<T> local_b_;
    LocalArray<T> local_c_;
};

// "40", or "40x20" where the block is not square.
std::string block_text(const Pair& block)
{
    return block.rows == block.columns ? fmt::format("{}", block.rows)
                                       : fmt::format("{}x{}", block.rows, block.columns);
}

// On process (0, 0): the table and, when asked for, the file. Returns the exit status.
int report(const ProgramOptions& options, int processes, const Timing& timing, const Verdict& verdict)
{
    const bool complex_type = options.type == 'c' || options.type == 'z';
    const double flops = (complex_type ? 8.0 : 2.0) * options.m * static_cast<double>(options.n) * options.k;
    const double best = *std::min_element(timing.seconds.begin(), timing.seconds.end());
    const double middle = median(timing.seconds);
    const auto gflops = [flops](double seconds) { return seconds > 0.0 ? flops / seconds * 1e-9 : 0.0; };

    const std::string a = block_text(options.a.block);
    const std::string b = block_text(options.b.block);
    const std::string c = block_text(options.c.block);
    const std::string blocks = a == b && b == c ? a : fmt::format("A {}, B {}, C {}", a, b, c);
    fmt::print("P{}GEMM  M={} N={} K={}  op(A)={} op(B)={}  grid {}x{} of {} ranks  block {}  algorithm {}\n",
        static_cast<char>(options.type - 'a' + 'A'), options.m, options.n, options.k, options.transa, options.transb,
        options.grid.rows, options.grid.columns, processes, blocks, algorithm_name(options));
    fmt::print("{:>12} {:>12} {:>12} {:>12} {:>12}  {}\n", "best GFlop/s", "median", "median ms", "comm share",
        "residual", "verified");
    fmt::print("{:>12.3f} {:>12.3f} {:>12.3f} {:>10.1f} % {:>12}  {}\n", gflops(best), gflops(middle), middle * 1e3,
        timing.comm_share * 100.0, options.verify ? fmt::format("{:.3g}", verdict.residual) : "-",
        options.verify ? (verdict.passed() ? "yes" : "NO") : "not asked for");
    std::fflush(stdout);
    if (!verdict.passed()) {
        if (verdict.residual > residual_limit) {
            fmt::print(stderr, "pdgemm: the product is wrong: residual {:.3g}, limit {:g}.\n", verdict.residual,
                residual_limit);
        }
        if (!verdict.outside_unchanged) {
            fmt::print(stderr, "pdgemm: elements of C outside the submatrix were changed.\n");
        }
        if (!verdict.inputs_unchanged) {
            fmt::print(stderr, "pdgemm: A, B or the unused rows below C were changed.\n");
        }
    }

    bool written = true;
    if (!options.json_file.empty()) {
        const auto matrix = [](const MatrixOptions& m) {
            return nlohmann::json{{"block", {m.block.rows, m.block.columns}},
                {"offset", {m.offset.rows, m.offset.columns}}, {"source", {m.source.rows, m.source.columns}}};
        };
        nlohmann::json json{
            {"program", "pdgemm"},
            {"type", std::string(1, options.type)},
            {"m", options.m},
            {"n", options.n},
            {"k", options.k},
            {"transa", std::string(1, options.transa)},
            {"transb", std::string(1, options.transb)},
            {"alpha", {options.alpha.real(), options.alpha.imag()}},
            {"beta", {options.beta.real(), options.beta.imag()}},
            {"ranks", processes},
            {"grid", {options.grid.rows, options.grid.columns}},
            {"a", matrix(options.a)},
            {"b", matrix(options.b)},
            {"c", matrix(options.c)},
            {"seed", options.seed},
            {"reps", options.reps},
            {"algorithm", algorithm_name(options)},
            {"seconds", timing.seconds},
            {"seconds_best", best},
            {"seconds_median", middle},
            {"gflops_best", gflops(best)},
            {"gflops_median", gflops(middle)},
            {"comm_share", timing.comm_share},
        };
        json["verified"] = options.verify ? nlohmann::json(verdict.passed()) : nlohmann::json(nullptr);
        // JSON has no infinity: a residual that is none is null.
        json["residual"] = options.verify && std::isfinite(verdict.residual) ? nlohmann::json(verdict.residual)
                                                                             : nlohmann::json(nullptr);
        std::ofstream file(options.json_file);
        file << json.dump(2) << '\n';
        file.close();
        written = file.good();
        if (!written) {
            fmt::print(
                stderr, "pdgemm: cannot write the results to '{}': {}.\n", options.json_file, std::strerror(errno));
        }
    }
    return verdict.passed() && written ? 0 : 1;
}

template <class T>
int run(const ProgramOptions& options, const ProcessGrid& grid, int processes)
{
    Run<T> run(options, grid);
    const Timing timing = run.time();
    const Verdict verdict = options.verify ? run.verify() : Verdict{};
    if (grid.my_row != 0 || grid.my_column != 0) return 0;
    return report(options, processes, timing, verdict);
}

int run_on_grid(const ProgramOptions& options, const ProcessGrid& grid, int processes)
{
    switch (options.type) {
        case 's':
            return run<float>(options, grid, processes);
        case 'c':
            return run<std::complex<float>>(options, grid, processes);
        case 'z':
            return run<std::complex<double>>(options, grid, processes);
        default:
            return run<double>(options, grid, processes);
    }
}

int run_program(int argc, const char* const* argv)
{
    int rank = 0;
    int processes = 0;
    Cblacs_pinfo(&rank, &processes);
    ProgramOptions options;
    try {
        options = read_options(argc, argv, processes);
    } catch (const OptionsEnd& end) {
        // All ranks have the same command line and come here together.
        if (rank == 0) {
            std::fputs(end.what(), end.exit_code() == 0 ? stdout : stderr);
            std::fflush(stdout);
        }
        Cblacs_exit(0);
        return end.exit_code();
    }
    if (!options.algorithm.empty()) setenv("FMPL_PDGEMM_ALGORITHM", options.algorithm.c_str(), 1);
    count_comm_seconds();

    int world = 0;
    Cblacs_get(-1, 0, &world);
    ProcessGrid grid{};
    grid.context = world;
    Cblacs_gridinit(&world, "Row", 1, processes);
    Cblacs_gridinit(&grid.context, "Row", options.grid.rows, options.grid.columns);
    int status = 0;
    const bool in_grid = rank < options.grid.rows * options.grid.columns;
    try {
        if (in_grid) {
            Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.my_row, &grid.my_column);
            status = run_on_grid(options, grid, processes);
            Cblacs_gridexit(grid.context);
        }
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "pdgemm: rank {} has no memory for the matrices; use smaller ones{}.\n", rank,
            options.verify ? ", or leave out --verify, which needs the whole of them on rank 0" : "");
        std::fflush(stderr);
        Cblacs_abort(world, 1);
    }
    // Rank 0, which is process (0, 0), tells everyone how it went; ranks outside the grid wait here.
    if (rank == 0) {
        Cigebs2d(world, "All", " ", 1, 1, &status, 1);
    } else {
        Cigebr2d(world, "All", " ", 1, 1, &status, 1, 0, 0);
    }
    Cblacs_gridexit(world);
    Cblacs_exit(0);
    return status;
}

}  // namespace

}  // namespace fmpl::pdgemm

int main(int argc, char** argv)
{
    return fmpl::pdgemm::run_program(argc, argv);
}
