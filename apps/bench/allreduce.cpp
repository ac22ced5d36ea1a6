// The time of a sum of doubles over all ranks that all of them get.
#include "collective_table.hpp"
#include "transport.hpp"

namespace fmpl::bench {

void run_allreduce(const Options& options, const Job& job, Report& report)
{
    run_collective(
        options, job, report,
        [](std::byte* buffer, std::size_t bytes, std::uint64_t) {
            transport::sum_to_all(reinterpret_cast<double*>(buffer), bytes / sizeof(double));
        },
        [&job](std::byte* buffer, std::size_t bytes) {
            return sum_is_right(job, buffer, bytes, true, [](double* values, std::size_t count) {
                transport::sum_to_all(values, count);
                return values;
            });
        });
}

}  // namespace fmpl::bench
