// fmpl-bench: micro-benchmarks of FMPL.
//
// Exit status: 0 when everything was measured and the data was right; 1 when not, or when the results could not be
// written; 2 for options that cannot be used, or fewer than 2 ranks.
#include "job.hpp"
#include "options.hpp"
#include "report.hpp"

#include <fmpl/fmpl.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <span>

namespace fmpl::bench {
namespace {

constexpr int kWrongArguments = 2;

// The measurement may take long: that its results cannot be written should be known before.
bool can_write(const std::string& file)
{
    if (file.empty()) return true;
    if (std::ofstream(file, std::ios::app).good()) return true;
    fmt::print(
        stderr, "fmpl-bench: --json: '{}' cannot be written: {}; nothing was measured.\n", file, std::strerror(errno));
    return false;
}

int run(int argc, const char* const* argv)
{
    const int rank = fmpl_job_rank();
    Options options;
    try {
        options = read_options(argc, argv);
    } catch (const OptionsEnd& end) {
        // All ranks have the same command line and come here together. The others wait in fmpl_init until rank 0 has
        // spoken: the launcher ends a job whose first rank exits with an error.
        if (rank == 0) std::fputs(end.what(), end.exit_code() == 0 ? stdout : stderr);
        std::fflush(stdout);
        const Session session;
        return end.exit_code();
    }
    if (fmpl_job_size() < 2) {
        fmt::print(stderr,
            "fmpl-bench: {} needs at least 2 ranks, and this job has 1; start it with fmplrun -n 2 fmpl-bench {}\n",
            options.benchmark->name, options.benchmark->name);
        return kWrongArguments;
    }

    const Session session(options.indices());
    const Job job = this_job();
    // Rank 0's answer for all.
    std::int32_t writable = rank != 0 || can_write(options.json_file) ? 1 : 0;
    world.bcast(std::span<std::int32_t>(&writable, 1), 0);
    if (writable == 0) return kWrongArguments;

    Report report(options, job);
    options.benchmark->run(options, job, report);
    return report.finish() ? 0 : 1;
}

}  // namespace
}  // namespace fmpl::bench

int main(int argc, char** argv)
{
    setenv("FMPL_ERRORS", "return", 1);  // errors become exceptions, which are printed once, below
    try {
        return fmpl::bench::run(argc, argv);
    } catch (const std::exception& error) {
        // The launcher ends the other ranks.
        fmt::print(stderr, "fmpl-bench: {}\n", error.what());
        return 1;
    }
}
