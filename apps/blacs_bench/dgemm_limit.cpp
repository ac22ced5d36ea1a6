// dgemm-limit: the time of OpenBLAS's dgemm in one process, C = A B with square matrices: what a PDGEMM on as many CPUs
// could reach. OPENBLAS_NUM_THREADS says how many threads it has.
//
// Exit status: 0 when the product was timed and is right; 1 when it is wrong or the results could not be written; 2 for
// options that cannot be used.
#include "dgemm_limit_options.hpp"
#include "exact_product.hpp"

#include "../options_end.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include <sched.h>

namespace fmpl::bench {
namespace {

constexpr std::size_t kAlignment = 4096;

struct Free {
    void operator()(double* memory) const { std::free(memory); }
};
using Values = std::unique_ptr<double[], Free>;

Values allocate(std::size_t count)
{
    const std::size_t bytes = (count * sizeof(double) + kAlignment - 1) / kAlignment * kAlignment;
    void* memory = std::aligned_alloc(kAlignment, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return Values(static_cast<double*>(memory));
}

template <class Element>
Values matrix(int order, const Element& element)
{
    const auto n = static_cast<std::size_t>(order);
    Values values = allocate(n * n);
    for (int j = 0; j < order; ++j) {
        double* column = values.get() + static_cast<std::size_t>(j) * n;
        for (int i = 0; i < order; ++i) column[i] = element(i, j);
    }
    return values;
}

int cpus_allowed()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return std::max(1, CPU_COUNT(&set));
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// The file of --json, in the form of the other measuring programs. False, and the reason on standard error, when it
// cannot be written.
bool write(const LimitOptions& options, const std::vector<double>& seconds, double flops)
{
#if defined(__clang__)
    const char* const compiler = "clang " __clang_version__;
#else
    const char* const compiler = "gcc " __VERSION__;
#endif
    const double middle = median(seconds);
    const nlohmann::json result{
        {"order", options.order},
        {"reps", 1},
        {"seconds",
            {{"median", middle}, {"min", *std::min_element(seconds.begin(), seconds.end())}, {"samples", seconds}}},
        {"flops", flops},
        {"flops_per_second", flops / middle},
    };
    const nlohmann::json document{
        {"program", "dgemm-limit"},
        {"library", openblas_get_config()},
        {"core", openblas_get_corename()},
        {"compiler", compiler},
        {"machine", {{"cpus", cpus_allowed()}}},
        {"threads", openblas_get_num_threads()},
        {"results", nlohmann::json::array({result})},
    };
    std::ofstream file(options.json_file);
    file << document.dump(1) << '\n';
    file.close();
    if (file.good()) return true;
    fmt::print(stderr, "dgemm-limit: --json: '{}' cannot be written: {}\n", options.json_file, std::strerror(errno));
    return false;
}

int run(const LimitOptions& options)
{
    const int n = options.order;
    const Values a = matrix(n, exact_product::element_of_a);
    const Values b = matrix(n, exact_product::element_of_b);
    const Values c = matrix(n, [](int, int) { return std::numeric_limits<double>::quiet_NaN(); });

    std::vector<double> seconds;
    for (int repetition = -1; repetition < options.samples; ++repetition) {
        const auto begin = std::chrono::steady_clock::now();
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a.get(), n, b.get(), n, 0.0, c.get(), n);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        // The first one warms caches and pages, and starts the threads.
        if (repetition >= 0) seconds.push_back(elapsed.count());
    }

    std::vector<int> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    if (!exact_product::is_right(n, all, all, c.get(), all.size())) {
        fmt::print(stderr, "dgemm-limit: the product is wrong\n");
        return 1;
    }
    const double flops = 2.0 * n * n * n;
    const double middle = median(seconds);
    fmt::print("{}\norder {}, {} thread{}: median {:.3f} ms, {:.2f} GFlop/s\n", openblas_get_config(), n,
        openblas_get_num_threads(), openblas_get_num_threads() == 1 ? "" : "s", middle * 1e3, flops / middle * 1e-9);
    return options.json_file.empty() || write(options, seconds, flops) ? 0 : 1;
}

}  // namespace
}  // namespace fmpl::bench

int main(int argc, char** argv)
{
    try {
        return fmpl::bench::run(fmpl::bench::read_limit_options(argc, argv));
    } catch (const fmpl::command_line::OptionsEnd& end) {
        std::fputs(end.what(), end.exit_code() == 0 ? stdout : stderr);
        return end.exit_code();
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "dgemm-limit: there is no memory for the matrices; choose a smaller --order\n");
        return 1;
    }
}
