// The time of a sum of doubles over all ranks, its root changing with every call (paper, section 5.4), or
// always rank 0.
#include "collective_table.hpp"
#include "transport.hpp"

#include <algorithm>

namespace fmpl::bench {

void run_reduce(const Options& options, const Job& job, Report& report)
{
    const std::size_t most = *std::max_element(options.sizes.begin(), options.sizes.end());
    const Roots roots(options, job);
    transport::SumToRoot sum(most / sizeof(double));
    const auto call = [&](std::byte* buffer, std::size_t bytes, std::uint64_t i) {
        sum(reinterpret_cast<double*>(buffer), bytes / sizeof(double), roots.of(i));
    };
    const auto every_root_gets_the_sum = [&](std::byte* buffer, std::size_t bytes) {
        bool right = true;
        for (int root = 0; root < job.ranks; ++root) {
            const bool here = sum_is_right(job, buffer, bytes, job.rank == root,
                [&](double* values, std::size_t count) { return sum(values, count, root); });
            right = right && here;
        }
        return right;
    };
    run_collective(options, job, report, call, every_root_gets_the_sum);
}

}  // namespace fmpl::bench
