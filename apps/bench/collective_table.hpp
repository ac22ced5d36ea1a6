// What the benchmarks of collective calls with data have in common: a table with one row a message size.
#pragma once

#include "job.hpp"
#include "options.hpp"
#include "report.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace fmpl::bench {

// Who is root of call number i: each rank in turn, or with `--root fixed` rank 0.
class Roots {
public:
    static OwnOption option();
    static void settle(Options& options);  // refuses other words

    Roots(const Options& options, const Job& job);
    int of(std::uint64_t i) const { return static_cast<int>(i % ranks_); }

private:
    std::uint64_t ranks_;
};

// The call number i of the benchmark on `bytes` bytes at `buffer`.
using CollectiveCall = std::function<void(std::byte* buffer, std::size_t bytes, std::uint64_t i)>;

// Makes calls and says whether their results are right on this rank.
using CollectiveCheck = std::function<bool(std::byte* buffer, std::size_t bytes)>;

// For each size: checks once, then times calls on a buffer that holds zeros. Collective over the job.
void run_collective(
    const Options& options, const Job& job, Report& report, const CollectiveCall& call, const CollectiveCheck& check);

// Whether the sum over all ranks of what add_up is given is right: where it is `complete` on this rank, the sum must
// lie where add_up says. Sums of small whole numbers are exact.
bool sum_is_right(const Job& job, std::byte* buffer, std::size_t bytes, bool complete,
    const std::function<const double*(double* values, std::size_t count)>& add_up);

}  // namespace fmpl::bench
