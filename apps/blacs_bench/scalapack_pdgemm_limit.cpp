// scalapack-pdgemm-limit.openmpi, scalapack-pdgemm-limit.mpich: what scalapack-pdgemm would take if communication took no time. The broadcasts
// of panels, all that PDGEMM communicates here, are left out but for a first multiplication, so that no process waits for another before the
// barrier; what remains is ScaLAPACK, dgemm, and that processes share a CPU and its caches. Since process (0, 0) may leave a barrier when
// others have long gone on, a whole batch is timed; the product is not looked at.
#include "panel_broadcasts.hpp"
#include "scalapack_problem.hpp"

#include <vector>

namespace fmpl::bench {
namespace {

constexpr int kReps = 20;

void run_pdgemm(const Options& options, const Job& job, Report& report)
{
    Multiplication multiplication(options, job.ranks);
    multiplication.report_head(report);
    const Sampling sampling = options.sampling(kReps);
    multiplication.run();  // there are numbers now where panels are received
    Samples samples{sampling.reps, {std::vector<double>(static_cast<std::size_t>(sampling.samples), 0.0)}};
    {
        const NoPanelBroadcasts left_out;
        for (double& seconds : samples.seconds[0]) {
            multiplication.barrier();
            const double begin = now_seconds();
            for (int i = 0; i < sampling.reps; ++i) {
                multiplication.run();
                multiplication.barrier();
            }
            seconds = (now_seconds() - begin) / sampling.reps;
        }
    }
    multiplication.report_row(report, samples);
}

}  // namespace

std::span<const Benchmark> benchmarks()
{
    return only_benchmark("Time of PDGEMM without its broadcasts", run_pdgemm);
}

}  // namespace fmpl::bench
