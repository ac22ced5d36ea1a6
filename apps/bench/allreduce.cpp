// The time of a sum of doubles over all ranks that all of them get.
#include "check.hpp"
#include "collective_table.hpp"

namespace fmpl::bench {

void run_allreduce(const Options& options, const Job& job, Report& report)
{
    const auto allreduce = [](void* data, std::size_t count) {
        check(fmpl_allreduce(data, count, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, nullptr));
    };
    run_collective(
        options, job, report,
        [&](std::byte* buffer, std::size_t bytes, std::uint64_t) { allreduce(buffer, bytes / sizeof(double)); },
        [&](std::byte* buffer, std::size_t bytes) { return sum_is_right(job, buffer, bytes, true, allreduce); });
}

}  // namespace fmpl::bench
