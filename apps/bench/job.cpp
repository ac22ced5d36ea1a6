#include "job.hpp"

#include "sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <vector>

#include <sched.h>

namespace fmpl::bench {
namespace {

// The launcher may have bound each rank to CPUs of its own, so only all masks together tell what the job has.
int cpus_of_all_ranks()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::vector<double> may_use(CPU_SETSIZE);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) may_use[static_cast<std::size_t>(cpu)] = CPU_ISSET(cpu, &set) ? 1 : 0;
    max_over_ranks(may_use);
    return std::max(1, static_cast<int>(std::count(may_use.begin(), may_use.end(), 1)));
}

std::string cpu_model()
{
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
    }
    return "unknown";
}

}  // namespace

Job this_job(const transport::Process& process)
{
    Job job;
    job.rank = process.rank();
    job.ranks = process.ranks();
    job.cpus = cpus_of_all_ranks();
    job.cpu_model = cpu_model();
    return job;
}

Pairing::Pairing(const Job& job, Pairs pairs)
    : pairs_(pairs == Pairs::first ? 1 : job.ranks / 2),
      peer_(job.rank >= 2 * pairs_   ? -1
            : pairs == Pairs::halves ? (job.rank + pairs_) % (2 * pairs_)
                                     : job.rank ^ 1),
      are_halves_(pairs == Pairs::halves),
      first_(job.rank < peer_),
      first_rank_(first_ ? job.rank : peer_),
      exceptions_(std::uncaught_exceptions()),
      group_(transport::Group::of(takes_part()))
{
}

Pairing::~Pairing()
{
    if (std::uncaught_exceptions() == exceptions_) group_.free();
}

std::string Pairing::words() const
{
    if (pairs_ == 1) return "ranks 0 and 1";
    return fmt::format("{} pairs of ranks at the same time, {}", pairs_, are_halves_ ? "i and i+n/2" : "2i and 2i+1");
}

}  // namespace fmpl::bench
