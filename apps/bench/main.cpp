// fmpl-bench: micro-benchmarks of FMPL; and mpi-bench.openmpi, mpi-bench.mpich: the same benchmarks, from the same
// sources, of an MPI (transport.hpp).
//
// Exit status: 0 when everything was measured and the data was right; 1 when not, or when the results could not be
// written; 2 for options that cannot be used, or fewer than 2 ranks.
#include "cpu_distance.hpp"
#include "job.hpp"
#include "options.hpp"
#include "report.hpp"
#include "sampler.hpp"
#include "transport.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>

namespace fmpl::bench {
namespace {

constexpr int kWrongArguments = 2;

// The measurement may take long: that its results cannot be written should be known before.
bool can_write(const std::string& file)
{
    if (file.empty()) return true;
    if (std::ofstream(file, std::ios::app).good()) return true;
    fmt::print(stderr, "{}: --json: '{}' cannot be written: {}; nothing was measured.\n", transport::kProgram, file,
        std::strerror(errno));
    return false;
}

int run(int argc, const char* const* argv)
{
    const transport::Process process;
    const int rank = process.rank();
    Options options;
    try {
        options = read_options(argc, argv);
    } catch (const OptionsEnd& end) {
        // All ranks have the same command line and come here together. The others wait in session() until rank 0 has
        // spoken: the launcher ends a job whose first rank exits with an error.
        if (rank == 0) std::fputs(end.what(), end.exit_code() == 0 ? stdout : stderr);
        std::fflush(stdout);
        const auto session = process.session(1);
        return end.exit_code();
    }
    if (process.ranks() < options.benchmark->least_ranks) {
        fmt::print(stderr, "{0}: {1} needs at least 2 ranks, and this job has 1; start it with {2} -n 2 {0} {1}\n",
            transport::kProgram, options.benchmark->name, transport::kLauncher);
        return kWrongArguments;
    }

    const auto session = process.session(options.indices());
    const Job job = this_job(process);
    if (on_any_rank(rank == 0 && !can_write(options.json_file))) return kWrongArguments;

    Report report(options, job);
    CpuDistance distance(job, options.nearer_than_ns);
    options.distance = &distance;
    options.benchmark->run(options, job, report);
    if (distance.is_watched()) {
        report.add("farther_batches", distance.farther());
        report.add("waited_seconds", distance.waited_seconds());
    }
    return report.finish() ? 0 : 1;
}

}  // namespace
}  // namespace fmpl::bench

int main(int argc, char** argv)
{
    try {
        return fmpl::bench::run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", fmpl::bench::transport::kProgram, error.what());
        return fmpl::bench::transport::end_after_error();
    }
}
