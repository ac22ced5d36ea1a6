// scalapack-pdgemm-limit.openmpi, scalapack-pdgemm-limit.mpich: what scalapack-pdgemm would take if each process had
// its panels at hand when it wants them: the broadcasts of panels, all that PDGEMM communicates here, send nothing,
// and their receivers copy as much from their own matrix, which no BLACS can spare them, or with --panels left-out
// not even that. So no process waits for another before the barrier; what remains is ScaLAPACK, dgemm, and that
// processes share a CPU and its caches. Since process (0, 0) may leave a barrier when others have long gone on, a
// whole batch is timed; the product is not looked at.
#include "panel_broadcasts.hpp"
#include "scalapack_problem.hpp"

#include <string>
#include <vector>

namespace fmpl::bench {
namespace {

constexpr int kReps = 20;

Panels panels_of(const Options& options)
{
    const std::string& text = options.own.at("--panels");
    if (text == "copied") return Panels::copied;
    if (text == "left-out") return Panels::left_out;
    refuse(fmt::format("--panels: '{}' is neither copied nor left-out", text));
}

void run_pdgemm(const Options& options, const Job& job, Report& report)
{
    Multiplication multiplication(options, job.ranks);
    multiplication.report_head(report);
    const Sampling sampling = options.sampling(kReps);
    multiplication.run();  // there are numbers now where panels are received
    Samples samples{sampling.reps, {std::vector<double>(static_cast<std::size_t>(sampling.samples), 0.0)}};
    {
        const PanelsAtHand panels(panels_of(options), multiplication.own_part_of_a());
        const auto repeat = [&](int times) {
            for (int i = 0; i < times; ++i) {
                multiplication.run();
                multiplication.barrier();
            }
        };
        repeat(sampling.warmup < 0 ? sampling.reps : sampling.warmup);
        for (double& seconds : samples.seconds[0]) {
            multiplication.barrier();
            const double begin = now_seconds();
            repeat(sampling.reps);
            seconds = (now_seconds() - begin) / sampling.reps;
        }
    }
    multiplication.report_row(report, samples);
}

}  // namespace

std::span<const Benchmark> benchmarks()
{
    static const Benchmark benchmark = [] {
        Benchmark own = pdgemm_benchmark("Time of PDGEMM whose panels are at hand", run_pdgemm);
        own.own_options.push_back({"--panels", "HOW",
            "In place of receiving a panel: copied, a process copies as much of its own (default); left-out, nothing",
            "copied"});
        own.settle = [](Options& options) {
            settle_problem(options);
            panels_of(options);
        };
        return own;
    }();
    return {&benchmark, 1};
}

}  // namespace fmpl::bench
