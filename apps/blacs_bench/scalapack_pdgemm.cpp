// scalapack-pdgemm.openmpi, scalapack-pdgemm.mpich: the time of the PDGEMM of the ScaLAPACK library that the program is
// linked with. Under `fmplrun --blacs` the same file runs over BLACS-FMPL.
//
// C = A B with square matrices in square blocks, on the process grid that is nearest to a square. Small whole numbers
// make the result exact, whatever the order of the sums.
#include "../bench/benchmarks.hpp"
#include "../bench/options.hpp"
#include "../bench/report.hpp"
#include "../bench/transport.hpp"

#include <fmt/format.h>

#include <algorithm>
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
constexpr int kMostOrder = 100'000;
constexpr int kDescriptorLength = 9;
constexpr int kZero = 0, kOne = 1;

int order_of(const Options& options)
{
    return read_count("--order", options.own.at("--order"), 1, kMostOrder);
}

int block_of(const Options& options)
{
    return read_count("--block", options.own.at("--block"), 1, kMostOrder);
}

void settle(Options& options)
{
    order_of(options);
    block_of(options);
}

double element_of_a(int i, int k)
{
    return (7 * i + 3 * k) % 11 - 5;
}

double element_of_b(int k, int j)
{
    return (5 * k + 2 * j) % 13 - 6;
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
    // f(i, j, element) for the elements of every stride-th local column.
    template <class F>
    void for_each(int stride, const F& f)
    {
        for (int j = 0; j < n_; j += stride) {
            for (int i = 0; i < m_; ++i) {
                f(rows_.global(i), columns_.global(j), values_[static_cast<std::size_t>(j) * lld_ + i]);
            }
        }
    }
    double* data() { return values_.data(); }
    const int* descriptor() const { return descriptor_; }

private:
    Axis rows_, columns_;
    int m_, n_, lld_;
    std::vector<double> values_;
    int descriptor_[kDescriptorLength] = {};
};

void run_pdgemm(const Options& options, const Job& job, Report& report)
{
    constexpr int kCheckedColumns = 8;  // one of so many
    const int order = order_of(options);
    const int block = block_of(options);
    const Grid grid(job.ranks);
    Matrix a(grid, order, block), b(grid, order, block), c(grid, order, block);
    a.for_each(1, [](int i, int j, double& element) { element = element_of_a(i, j); });
    b.for_each(1, [](int i, int j, double& element) { element = element_of_b(i, j); });

    const Batch activities[] = {[&](std::uint64_t, std::uint64_t count) {
        const double alpha = 1, beta = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            pdgemm_("N", "N", &order, &order, &order, &alpha, a.data(), &kOne, &kOne, a.descriptor(), b.data(), &kOne,
                &kOne, b.descriptor(), &beta, c.data(), &kOne, &kOne, c.descriptor());
        }
    }};
    report.line(fmt::format("order {}, blocks of {}, grid {}", order, block, grid.words()));
    std::vector<std::string> names = {"order", "block", "reps"};
    names.insert(names.end(), time_columns().begin(), time_columns().end());
    names.push_back("GFlop/s");
    report.columns(names);
    const Samples samples = sample(options.sampling(kReps), transport::Group::world(), true, activities);

    bool right = true;
    c.for_each(kCheckedColumns, [&](int i, int j, double& element) {
        double sum = 0;
        for (int k = 0; k < order; ++k) sum += element_of_a(i, k) * element_of_b(k, j);
        right = right && element == sum;
    });
    all_must_be_right(right, "pdgemm: the product is wrong");

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
        settle};
    return {&pdgemm, 1};
}

}  // namespace fmpl::bench
