#include "job.hpp"

#include "check.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>

#include <sched.h>

namespace fmpl::bench {
namespace {

constexpr std::size_t kMaskWords = sizeof(cpu_set_t) / sizeof(std::uint64_t);

void unite(const void* in, void* inout, std::size_t count)
{
    const auto* from = static_cast<const std::uint64_t*>(in);
    auto* to = static_cast<std::uint64_t*>(inout);
    for (std::size_t i = 0; i < count; ++i) to[i] |= from[i];
}

// fmplrun may have bound each rank to CPUs of its own, so only all masks together tell what the job has.
int cpus_of_all_ranks()
{
    static const fmpl_op union_of_masks = {unite, sizeof(std::uint64_t), "union of CPU masks"};
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::uint64_t words[kMaskWords];
    std::memcpy(words, &set, sizeof words);
    check(fmpl_allreduce(words, kMaskWords, &union_of_masks, FMPL_COMM_WORLD, nullptr));
    int cpus = 0;
    for (const std::uint64_t word : words) cpus += std::popcount(word);
    return std::max(1, cpus);
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

Job this_job()
{
    Job job;
    job.rank = world.rank();
    job.ranks = world.size();
    job.cpus = cpus_of_all_ranks();
    job.cpu_model = cpu_model();
    return job;
}

Pairing::Pairing(const Job& job, bool all_pairs)
    : pairs_(all_pairs ? job.ranks / 2 : 1),
      first_(job.rank % 2 == 0),
      exceptions_(std::uncaught_exceptions())
{
    if (job.rank < 2 * pairs_) peer_ = first_ ? job.rank + 1 : job.rank - 1;
    comm_ = Comm::create(takes_part());
}

Pairing::~Pairing()
{
    if (!comm_ || std::uncaught_exceptions() != exceptions_) return;
    fmpl_comm_t handle = comm_.handle();
    fmpl_comm_free(&handle);
}

std::string Pairing::words() const
{
    return pairs_ == 1 ? "ranks 0 and 1" : fmt::format("{} pairs of ranks at the same time", pairs_);
}

}  // namespace fmpl::bench
