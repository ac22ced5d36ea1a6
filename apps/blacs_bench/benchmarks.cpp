#include "benchmarks.hpp"

#include "../bench/collective_table.hpp"

namespace fmpl::bench {

std::span<const Benchmark> benchmarks()
{
    constexpr std::size_t kKiB = 1024;
    constexpr std::size_t kMiB = 1024 * kKiB;
    constexpr std::size_t kUnit = sizeof(double);
    static const std::vector<std::size_t> collective_sizes = {8, kKiB, 8 * kKiB, 64 * kKiB, kMiB};
    static const std::vector<OwnOption> shapes = {
        {"--shape", "NAME",
            "What of the matrix travels: contiguous, strided (a block), upper or lower (a triangle) "
            "(default: contiguous)",
            kDefaultShape},
        {"--matrix", "LIST", "Rows x columns of the matrices, instead of --sizes (default where not contiguous: 40x40)",
            ""},
        {"--lda", "N", "The leading dimension of a block or triangle (default: 640)", ""},
    };
    static const Benchmark all[] = {
        {"p2p", "One-way time of a matrix between two ranks", {8, kKiB, 8 * kKiB, 64 * kKiB, kMiB}, kUnit, true, false,
            false, run_p2p, shapes, settle_p2p},
        {"bcast", "Time of a broadcast to all ranks, from each in turn", collective_sizes, kUnit, false, false, false,
            run_bcast, {Roots::option()}, Roots::settle},
        {"sum", "Time of a sum over all ranks, to all of them", collective_sizes, kUnit, false, false, false,
            run_allreduce},
        {"amx", "Time of an absolute maximum over all ranks with its coordinates, to all of them", collective_sizes,
            kUnit, false, false, false, run_amx},
        {"barrier", "Time of a barrier of all ranks", {}, 1, false, false, false, run_barrier},
    };
    return all;
}

}  // namespace fmpl::bench
