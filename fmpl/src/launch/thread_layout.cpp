#include "launch/thread_layout.hpp"

#include "crossbar/host.hpp"

#include <cstddef>
#include <cstdint>

namespace fmpl {

namespace {

// Of `count` places in a row that n parts share, the one at which part i begins.
int begin_of(int i, int n, int count)
{
    return static_cast<int>(static_cast<std::int64_t>(count) * i / n);
}

}  // namespace

std::vector<int> ranks_of_thread(int thread, int threads, int ranks)
{
    std::vector<int> result;
    for (int rank = begin_of(thread, threads, ranks); rank < begin_of(thread + 1, threads, ranks); ++rank)
        result.push_back(rank);
    return result;
}

std::vector<int> cpus_of_threads(int threads)
{
    const std::vector<int> cpus = affinity_cpus();
    const auto count = static_cast<int>(cpus.size());
    if (count == 0 || available_cpus() != count || threads % count != 0) return {};
    std::vector<int> result;
    for (int thread = 0; thread < threads; ++thread)
        result.push_back(cpus[static_cast<std::size_t>(begin_of(thread, threads, count))]);
    return result;
}

}  // namespace fmpl
