// The time of a broadcast, its root changing with every call (paper, section 5.3), or always rank 0.
#include "collective_table.hpp"
#include "transport.hpp"

#include <cstring>

namespace fmpl::bench {

void run_bcast(const Options& options, const Job& job, Report& report)
{
    const Roots roots(options, job);
    const auto bcast = [&](std::byte* buffer, std::size_t bytes, std::uint64_t i) {
        transport::bcast(buffer, bytes, roots.of(i));
    };
    const auto every_root_reaches_all = [&](std::byte* buffer, std::size_t bytes) {
        bool right = true;
        for (int root = 0; root < job.ranks; ++root) {
            const auto seed = static_cast<std::uint64_t>(root);
            if (job.rank == root) fill_pattern(buffer, bytes, seed);
            transport::bcast(buffer, bytes, root);
            right = right && has_pattern(buffer, bytes, seed);
        }
        return right;
    };
    run_collective(options, job, report, bcast, every_root_reaches_all);
}

}  // namespace fmpl::bench
