// The time of a sum of doubles over all ranks, its root changing with every call (paper, section 5.4).
#include "check.hpp"
#include "collective_table.hpp"

namespace fmpl::bench {

void run_reduce(const Options& options, const Job& job, Report& report)
{
    const auto reduce = [](void* data, std::size_t count, int root) {
        check(fmpl_reduce(data, count, FMPL_SUM_DOUBLE, root, FMPL_COMM_WORLD, nullptr));
    };
    const auto call = [&](std::byte* buffer, std::size_t bytes, std::uint64_t i) {
        reduce(buffer, bytes / sizeof(double), static_cast<int>(i % static_cast<std::uint64_t>(job.ranks)));
    };
    const auto every_root_gets_the_sum = [&](std::byte* buffer, std::size_t bytes) {
        bool right = true;
        for (int root = 0; root < job.ranks; ++root) {
            const bool here = sum_is_right(job, buffer, bytes, job.rank == root,
                [&](void* data, std::size_t count) { reduce(data, count, root); });
            right = right && here;
        }
        return right;
    };
    run_collective(options, job, report, call, every_root_gets_the_sum);
}

}  // namespace fmpl::bench
