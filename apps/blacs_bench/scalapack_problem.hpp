// The multiplication that scalapack-pdgemm and scalapack-pdgemm-limit time: C = A B with square matrices in square
// blocks, on the process grid that is nearest to a square.
#pragma once

#include "../bench/benchmarks.hpp"
#include "../bench/options.hpp"
#include "../bench/report.hpp"
#include "../bench/transport.hpp"
#include "exact_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
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

// One dimension of the block-cyclic distribution: what lies on this process.
struct Axis {
    int block, mine, processes;
    int global(int local) const { return (local / block * processes + mine) * block + local % block; }
};

inline constexpr int kScalapackDescriptor = 9;  // its length

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
          m_(numroc_(&order, &block, &rows_.mine, &kFirst, &rows_.processes)),
          n_(numroc_(&order, &block, &columns_.mine, &kFirst, &columns_.processes)),
          lld_(std::max(1, m_)),
          values_(static_cast<std::size_t>(lld_) * static_cast<std::size_t>(std::max(1, n_)))
    {
        int info = 0;
        const int context = grid.context();
        descinit_(descriptor_, &order, &order, &block, &block, &kFirst, &kFirst, &context, &lld_, &info);
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
    std::span<const double> values() const { return values_; }
    const int* descriptor() const { return descriptor_; }

private:
    static std::vector<int> places(const Axis& axis, int count)
    {
        std::vector<int> found(static_cast<std::size_t>(count));
        for (int local = 0; local < count; ++local) found[static_cast<std::size_t>(local)] = axis.global(local);
        return found;
    }

    static constexpr int kFirst = 0;  // process, in rows and columns

    Axis rows_, columns_;
    int m_, n_, lld_;
    std::vector<double> values_;
    int descriptor_[kScalapackDescriptor] = {};
};

class Multiplication {
public:
    explicit Multiplication(const Options& options, int processes)
        : order_(order_of(options)),
          block_(block_of(options)),
          grid_(processes),
          a_(grid_, order_, block_),
          b_(grid_, order_, block_),
          c_(grid_, order_, block_)
    {
        a_.set(exact_product::element_of_a);
        b_.set(exact_product::element_of_b);
    }
    ~Multiplication() { grid_.exit(); }
    Multiplication(const Multiplication&) = delete;
    Multiplication& operator=(const Multiplication&) = delete;

    static int order_of(const Options& options)
    {
        return read_count("--order", options.own.at("--order"), 1, exact_product::kMostOrder);
    }
    static int block_of(const Options& options)
    {
        return read_count("--block", options.own.at("--block"), 1, exact_product::kMostOrder);
    }

    void run()
    {
        constexpr double kAlpha = 1, kBeta = 0;
        constexpr int kOne = 1;
        pdgemm_("N", "N", &order_, &order_, &order_, &kAlpha, a_.data(), &kOne, &kOne, a_.descriptor(), b_.data(),
            &kOne, &kOne, b_.descriptor(), &kBeta, c_.data(), &kOne, &kOne, c_.descriptor());
    }
    std::span<const double> own_part_of_a() const { return a_.values(); }
    void forget_product() { c_.set_all(std::numeric_limits<double>::quiet_NaN()); }
    bool is_right() const { return c_.is_product(order_); }
    void barrier() const { Cblacs_barrier(grid_.context(), "All"); }

    void report_head(Report& report) const
    {
        report.line(fmt::format("order {}, blocks of {}, grid {}", order_, block_, grid_.words()));
        std::vector<std::string> names = {"order", "block", "reps"};
        names.insert(names.end(), time_columns().begin(), time_columns().end());
        names.push_back("GFlop/s");
        report.columns(names);
    }
    // The seconds of one multiplication in each batch.
    void report_row(Report& report, const Samples& samples) const
    {
        const std::vector<double>& seconds = samples.seconds[0];
        const double flops = 2.0 * order_ * order_ * order_;
        const double rate = flops / summarize(seconds).median;
        std::vector<std::string> cells = {
            fmt::format("{}", order_), fmt::format("{}", block_), fmt::format("{}", samples.reps)};
        for (std::string& cell : time_cells(seconds)) cells.push_back(std::move(cell));
        cells.push_back(fmt::format("{:.2f}", rate * 1e-9));
        report.row(cells, {{"order", order_}, {"block", block_}, {"grid", grid_.words()}, {"reps", samples.reps},
                              {"seconds", json_of(seconds)}, {"flops", flops}, {"flops_per_second", rate}});
    }

private:
    int order_;
    int block_;
    Grid grid_;
    Matrix a_, b_, c_;
};

inline void settle_problem(Options& options)
{
    Multiplication::order_of(options);
    Multiplication::block_of(options);
}

// The one benchmark of a program.
inline Benchmark pdgemm_benchmark(const char* description, void (*run)(const Options&, const Job&, Report&))
{
    return {"pdgemm", description, {}, 1, false, false, false, run,
        {{"--order", "N", "Rows and columns of each matrix (default: 640)", "640"},
            {"--block", "N", "Rows and columns of a block (default: 40)", "40"}},
        settle_problem, 1};
}

}  // namespace fmpl::bench
