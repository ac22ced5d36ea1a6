#include "benchmarks.hpp"
#include "collective_table.hpp"

namespace fmpl::bench {

std::vector<Benchmark> message_benchmarks()
{
    const std::vector<std::size_t> collective_sizes = {8, 64, kKiB, 8 * kKiB, 64 * kKiB, 256 * kKiB, kMiB};
    return {
        {"latency", "One-way time of short messages, beside that of a cache line bouncing between the two ranks",
            {0, 4, 8, 16, 32, 64, 72, 128, 256, 512, kKiB}, 1, true, false, false, run_latency},
        {"bandwidth", "Rate of long messages, beside that of memcpy within one process",
            {4 * kKiB, 8 * kKiB, 16 * kKiB, 32 * kKiB, 64 * kKiB, 128 * kKiB, 256 * kKiB, 512 * kKiB, kMiB, 2 * kMiB,
                4 * kMiB, 8 * kMiB, 16 * kMiB},
            1, true, false, true, run_bandwidth},
        {"outstanding", "Time of a nonblocking receive, and latency while many of them are outstanding", {4}, 1, true,
            true, false, run_outstanding},
        {"barrier", "Time of a barrier of all ranks", {}, 1, false, false, false, run_barrier},
        {"bcast", "Time of a broadcast to all ranks, from each in turn", collective_sizes, 1, false, false, false,
            run_bcast, {Roots::option()}, Roots::settle},
        {"reduce", "Time of a sum of doubles over all ranks, to each in turn", collective_sizes, sizeof(double), false,
            false, false, run_reduce, {Roots::option()}, Roots::settle},
        {"allreduce", "Time of a sum of doubles over all ranks, to all of them", collective_sizes, sizeof(double),
            false, false, false, run_allreduce},
    };
}

}  // namespace fmpl::bench
