// scalapack-pdgemm.openmpi, scalapack-pdgemm.mpich: the time of the PDGEMM of the ScaLAPACK library that the program is
// linked with. Under `fmplrun --blacs` the same file runs over BLACS-FMPL.
//
// C = A B with square matrices in square blocks, on the process grid that is nearest to a square. A repetition is timed
// as pdgemm.<comm> does it: C is written anew, and process (0, 0) takes the time between two barriers, from the last
// process's entry to the last one's return.
#include "../bench/benchmarks.hpp"
#include "../bench/cpu_distance.hpp"
#include "../bench/options.hpp"
#include "../bench/report.hpp"
#include "../bench/transport.hpp"
#include "exact_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

extern "C" {
int numroc_(const int* n, const int* nb, const int* process, const int* first, const int* processes);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb, const int* first_row,
    const int* first_column, const int* context, const int* lld, int* info);
void pdgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
    const double* a, const int* ia, const int* ja, const int* desca, const double* b, const int* ib, const int* jb,
    const int* descb, const double* beta, double* c, const int* ic, const int* jc, const int* descc);
}

namespace fmpl::bench {
namespace {

constexpr int kReps = 20;
constexpr int kDescriptorLength = 9;
constexpr int kZero = 0, kOne = 1;

int order_of(const Options& options)
{
    return read_count("--order", options.own.at("--order"), 1, exact_product::kMostOrder);
}

int block_of(const Options& options)
{
    return read_count("--block", options.own.at("--block"), 1, exact_product::kMostOrder);
}

void settle(Options& options)
{
    order_of(options);
    block_of(options);
}

// One dimension of the block-cyclic distribution: what lies on this process.
struct Axis {
    int block, mine, processes;
    int global(int local) const { return (local / block * processes + mine) * block + local % block; }
};

class Grid {
public:
    explicit Grid(int processes)
    {
        rows_ = 1;
        for (int rows = 1; rows * rows <= processes; ++rows) {
            if (processes % rows == 0) rows_ = rows;
        }
        columns_ = processes / rows_;
        Cblacs_get(-1, 0, &context_);
        Cblacs_gridinit(&context_, "Row", rows_, columns_);
        Cblacs_gridinfo(context_, &rows_, &columns_, &row_, &column_);
    }
    void exit() const { Cblacs_gridexit(context_); }
    int context() const { return context_; }
    Axis rows(int block) const { return {block, row_, rows_}; }
    Axis columns(int block) const { return {block, column_, columns_}; }
    std::string words() const { return fmt::format("{}x{}", rows_, columns_); }

private:
    int context_ = -1;
    int rows_, columns_, row_ = 0, column_ = 0;
};

class Matrix {
public:
    Matrix(const Grid& grid, int order, int block)
        : rows_(grid.rows(block)),
          columns_(grid.columns(block)),
          m_(numroc_(&order, &block, &rows_.mine, &kZero, &rows_.processes)),
          n_(numroc_(&order, &block, &columns_.mine, &kZero, &columns_.processes)),
          lld_(std::max(1, m_)),
          values_(static_cast<std::size_t>(lld_) * static_cast<std::size_t>(std::max(1, n_)))
    {
        int info = 0;
        const int context = grid.context();
        descinit_(descriptor_, &order, &order, &block, &block, &kZero, &kZero, &context, &lld_, &info);
        if (info != 0) throw std::runtime_error(fmt::format("descinit refuses its argument {}", -info));
    }
    // element(i, j) = f(i, j)
    template <class F>
    void set(const F& f)
    {
        for (int j = 0; j < n_; ++j) {
            for (int i = 0; i < m_; ++i) {
                values_[static_cast<std::size_t>(j) * static_cast<std::size_t>(lld_) + static_cast<std::size_t>(i)] =
                    f(rows_.global(i), columns_.global(j));
            }
        }
    }
    void set_all(double value) { std::fill(values_.begin(), values_.end(), value); }
    // Whether this process has its part of the product.
    bool is_product(int order) const
    {
        return exact_product::is_right(
            order, places(rows_, m_), places(columns_, n_), values_.data(), static_cast<std::size_t>(lld_));
    }
    double* data() { return values_.data(); }
    const int* descriptor() const { return descriptor_; }

private:
    static std::vector<int> places(const Axis& axis, int count)
    {
        std::vector<int> found(static_cast<std::size_t>(count));
        for (int local = 0; local < count; ++local) found[static_cast<std::size_t>(local)] = axis.global(local);
        return found;
    }

    Axis rows_, columns_;
    int m_, n_, lld_;
    std::vector<double> values_;
    int descriptor_[kDescriptorLength] = {};
};

// The seconds of a repetition in each of options.samples batches, and the repetitions of a batch. once() does one and
// returns its seconds. Collective over the job.
template <class Once>
Samples sample_repetitions(const Options& options, const Once& once)
{
    const Sampling sampling = options.sampling(kReps);
    int reps = sampling.reps;
    int warmup = sampling.warmup < 0 ? reps : sampling.warmup;
    if (sampling.batch_seconds > 0) {
        once();  // what is cold takes longer
        double seconds = once();
        transport::max_over_ranks(&seconds, 1);
        reps = static_cast<int>(std::clamp<double>(sampling.batch_seconds / std::max(seconds, 1e-9), 1, reps));
        if (sampling.warmup < 0) warmup = 0;  // it is warm
    }
    while (warmup-- > 0) once();
    Samples result{reps, {std::vector<double>(static_cast<std::size_t>(sampling.samples), 0.0)}};
    const auto batch = [&] {
        double seconds = 0;
        for (int i = 0; i < reps; ++i) seconds += once() / reps;
        return seconds;
    };
    for (double& seconds : result.seconds[0]) seconds = sampling.distance->near(batch);
    return result;
}

void run_pdgemm(const Options& options, const Job& job, Report& report)
{
    const int order = order_of(options);
    const int block = block_of(options);
    const Grid grid(job.ranks);
    Matrix a(grid, order, block), b(grid, order, block), c(grid, order, block);
    a.set(exact_product::element_of_a);
    b.set(exact_product::element_of_b);

    report.line(fmt::format("order {}, blocks of {}, grid {}", order, block, grid.words()));
    std::vector<std::string> names = {"order", "block", "reps"};
    names.insert(names.end(), time_columns().begin(), time_columns().end());
    names.push_back("GFlop/s");
    report.columns(names);
    const Samples samples = sample_repetitions(options, [&] {
        const double alpha = 1, beta = 0;
        c.set_all(std::numeric_limits<double>::quiet_NaN());
        Cblacs_barrier(grid.context(), "All");
        const double begin = now_seconds();
        pdgemm_("N", "N", &order, &order, &order, &alpha, a.data(), &kOne, &kOne, a.descriptor(), b.data(), &kOne,
            &kOne, b.descriptor(), &beta, c.data(), &kOne, &kOne, c.descriptor());
        Cblacs_barrier(grid.context(), "All");
        return now_seconds() - begin;
    });
    all_must_be_right(c.is_product(order), "pdgemm: the product is wrong");

    const std::vector<double>& seconds = samples.seconds[0];
    const double flops = 2.0 * order * order * order;
    const double rate = flops / summarize(seconds).median;
    std::vector<std::string> cells = {
        fmt::format("{}", order), fmt::format("{}", block), fmt::format("{}", samples.reps)};
    for (std::string& cell : time_cells(seconds)) cells.push_back(std::move(cell));
    cells.push_back(fmt::format("{:.2f}", rate * 1e-9));
    report.row(cells, {{"order", order}, {"block", block}, {"grid", grid.words()}, {"reps", samples.reps},
                          {"seconds", json_of(seconds)}, {"flops", flops}, {"flops_per_second", rate}});
    grid.exit();
}

}  // namespace

std::span<const Benchmark> benchmarks()
{
    static const Benchmark pdgemm = {"pdgemm", "Time of PDGEMM", {}, 1, false, false, false, run_pdgemm,
        {{"--order", "N", "Rows and columns of each matrix (default: 640)", "640"},
            {"--block", "N", "Rows and columns of a block (default: 40)", "40"}},
        settle, 1};
    return {&pdgemm, 1};
}

}  // namespace fmpl::bench
