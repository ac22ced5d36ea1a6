// The mean time of a barrier over a batch of them (paper, figure 7).
#include "benchmarks.hpp"
#include "report.hpp"
#include "transport.hpp"

#include <fmt/format.h>

#include <unistd.h>

namespace fmpl::bench {
namespace {

constexpr int kReps = 1000;
constexpr useconds_t kDelay_us = 2000;

void barriers(std::uint64_t /*first*/, std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; ++i) transport::barrier();
}

// Whether nobody leaves a barrier before the last rank, which comes late, has entered it. The clock is one for all.
bool holds_everybody(const Job& job)
{
    if (job.rank == job.ranks - 1) usleep(kDelay_us);
    std::vector<double> last_entry = {now_seconds()};
    transport::barrier();
    const double exit = now_seconds();
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

    const Batch activities[] = {barriers};
    const Samples samples = sample(options.sampling(kReps), transport::Group::world(), true, activities);
    const std::vector<double>& seconds = samples.seconds[0];
    std::vector<std::string> cells = {fmt::format("{}", job.ranks), fmt::format("{}", samples.reps)};
    for (std::string& cell : time_cells(seconds)) cells.push_back(std::move(cell));
    report.row(cells, {{"ranks", job.ranks}, {"reps", samples.reps}, {"seconds", json_of(seconds)}});
}

}  // namespace fmpl::bench
