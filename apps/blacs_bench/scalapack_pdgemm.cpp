// scalapack-pdgemm.openmpi, scalapack-pdgemm.mpich: the time of the PDGEMM of the ScaLAPACK library that the program is
// linked with. Under `fmplrun --blacs` the same file runs over BLACS-FMPL.
//
// A repetition is timed as pdgemm.<comm> does it: C is written anew, and process (0, 0) takes the time between two
// barriers, from the last process's entry to the last one's return.
#include "../bench/cpu_distance.hpp"
#include "scalapack_problem.hpp"

#include <algorithm>
#include <vector>

namespace fmpl::bench {
namespace {

constexpr int kReps = 20;

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
    Multiplication multiplication(options, job.ranks);
    multiplication.report_head(report);
    const Samples samples = sample_repetitions(options, [&] {
        multiplication.forget_product();
        multiplication.barrier();
        const double begin = now_seconds();
        multiplication.run();
        multiplication.barrier();
        return now_seconds() - begin;
    });
    all_must_be_right(multiplication.is_right(), "pdgemm: the product is wrong");
    multiplication.report_row(report, samples);
}

}  // namespace

std::span<const Benchmark> benchmarks()
{
    static const Benchmark benchmark = pdgemm_benchmark("Time of PDGEMM", run_pdgemm);
    return {&benchmark, 1};
}

}  // namespace fmpl::bench
