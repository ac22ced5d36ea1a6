// The mean time of a barrier over a batch of them (paper, figure 7).
#include "benchmarks.hpp"
#include "check.hpp"
#include "report.hpp"

#include <fmt/format.h>

#include <unistd.h>

namespace fmpl::bench {
namespace {

constexpr int kReps = 1000;
constexpr useconds_t kDelay_us = 2000;

void barriers(std::uint64_t /*first*/, std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; ++i) check(fmpl_barrier(FMPL_COMM_WORLD));
}

// Whether nobody leaves a barrier before the last rank, which comes late, has entered it. The clock is one for all.
bool holds_everybody(const Job& job)
{
    if (job.rank == job.ranks - 1) usleep(kDelay_us);
    std::vector<double> last_entry = {fmpl_wtime()};
    check(fmpl_barrier(FMPL_COMM_WORLD));
    const double exit = fmpl_wtime();
    max_over_ranks(last_entry);
    return exit >= last_entry.front();
}

}  // namespace

void run_barrier(const Options& options, const Job& job, Report& report)
{
    all_must_be_right(holds_everybody(job), "barrier: a rank left the barrier before all had entered it");
    std::vector<std::string> columns = {"ranks", "reps"};
    columns.insert(columns.end(), time_columns().begin(), time_columns().end());
    report.columns(columns);

    const int reps = options.reps_or(kReps);
    const Batch activities[] = {barriers};
    const auto seconds =
        sample({reps, options.warmup < 0 ? reps : options.warmup, options.samples}, world, true, activities);
    std::vector<std::string> cells = {fmt::format("{}", job.ranks), fmt::format("{}", reps)};
    for (std::string& cell : time_cells(seconds[0])) cells.push_back(std::move(cell));
    report.row(cells, {{"ranks", job.ranks}, {"reps", reps}, {"seconds", json_of(seconds[0])}});
}

}  // namespace fmpl::bench
