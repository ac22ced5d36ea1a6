#include "collective_table.hpp"

#include "benchmarks.hpp"
#include "sampling.hpp"
#include "transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace fmpl::bench {

OwnOption Roots::option()
{
    return {"--root", "WHICH", "Of each call: turn (each rank in turn) or fixed (rank 0) (default: turn)", "turn"};
}

void Roots::settle(Options& options)
{
    const std::string& which = options.own.at("--root");
    if (which != "turn" && which != "fixed") refuse(fmt::format("--root '{}': give turn or fixed", which));
}

Roots::Roots(const Options& options, const Job& job)
    : ranks_(options.own.at("--root") == "fixed" ? 1 : static_cast<std::uint64_t>(job.ranks))
{
}

void run_collective(
    const Options& options, const Job& job, Report& report, const CollectiveCall& call, const CollectiveCheck& check)
{
    std::vector<std::string> columns = {"bytes", "reps"};
    columns.insert(columns.end(), time_columns().begin(), time_columns().end());
    columns.push_back("median GB/s");
    report.columns(columns);

    const std::string wrong = fmt::format("{}: a result is wrong", options.benchmark->name);
    for (const std::size_t bytes : options.sizes) {
        with_message_memory(options.memory, bytes, [&](std::byte* buffer) {
            all_must_be_right(check(buffer, bytes), wrong.c_str());
            std::memset(buffer, 0, bytes);  // sums of zeros stay what they are, however often they are summed up
            const Batch activities[] = {[&](std::uint64_t first, std::uint64_t count) {
                for (std::uint64_t i = first; i < first + count; ++i) call(buffer, bytes, i);
            }};
            const Samples samples = sample(options.sampling(reps_for(bytes, 32 * kMiB, 16, 1000), job.ranks),
                transport::Group::world(), true, activities);
            const std::vector<double>& seconds = samples.seconds[0];

            const double median = summarize(seconds).median;
            std::vector<std::string> cells = {fmt::format("{}", bytes), fmt::format("{}", samples.reps)};
            for (std::string& cell : time_cells(seconds)) cells.push_back(std::move(cell));
            cells.push_back(gigabytes_per_second(static_cast<double>(bytes), median));
            report.row(cells, {{"bytes", bytes}, {"reps", samples.reps}, {"seconds", json_of(seconds)},
                                  {"bytes_per_second", static_cast<double>(bytes) / median}});
        });
    }
}

bool sum_is_right(const Job& job, std::byte* buffer, std::size_t bytes, bool complete,
    const std::function<const double*(double* values, std::size_t count)>& add_up)
{
    const std::size_t count = bytes / sizeof(double);
    auto* values = reinterpret_cast<double*>(buffer);
    const auto summand = [](int rank, std::size_t i) {
        return static_cast<double>(rank + 1) * static_cast<double>(i % 997 + 1);
    };
    for (std::size_t i = 0; i < count; ++i) values[i] = summand(job.rank, i);
    const double* sums = add_up(values, count);
    const double of_all_ranks = 0.5 * job.ranks * (job.ranks + 1);
    for (std::size_t i = 0; complete && i < count; ++i) {
        if (sums[i] != of_all_ranks * summand(0, i)) return false;
    }
    return true;
}

}  // namespace fmpl::bench
