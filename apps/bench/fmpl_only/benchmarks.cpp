#include "benchmarks.hpp"

namespace fmpl::bench {
namespace {

Benchmark of_remote_dma_memory(Benchmark benchmark)
{
    benchmark.only_memory = MemoryKind::rdma;
    return benchmark;
}

}  // namespace

std::span<const Benchmark> benchmarks()
{
    static const std::vector<Benchmark> all = [] {
        std::vector<Benchmark> list = message_benchmarks();
        list.push_back(
            of_remote_dma_memory({"remote-write", "Rate of raw writes into the other rank's memory, without messages",
                {8, 64, 256, kKiB, 4 * kKiB, 8 * kKiB, 16 * kKiB, 32 * kKiB, 64 * kKiB, 128 * kKiB, 256 * kKiB,
                    512 * kKiB, kMiB, 2 * kMiB, 4 * kMiB, 8 * kMiB, 16 * kMiB},
                1, true, false, true, run_remote_write}));
        list.push_back(of_remote_dma_memory({"breakdown", "The parts of one message, by the processor's cycle counter",
            {8, 4 * kKiB}, 1, false, false, false, run_breakdown}));
        return list;
    }();
    return all;
}

}  // namespace fmpl::bench
