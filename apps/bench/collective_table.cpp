#include "collective_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace fmpl::bench {
namespace {

// A multiple of the ranks, so that each of them is root equally often.
int reps_for(std::size_t bytes, int ranks)
{
    constexpr std::size_t bytes_of_a_batch = std::size_t{32} << 20;
    const auto reps =
        static_cast<int>(std::clamp<std::size_t>(bytes_of_a_batch / std::max<std::size_t>(bytes, 1), 16, 1000));
    return (reps + ranks - 1) / ranks * ranks;
}

}  // namespace

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
            const int reps = options.reps_or(reps_for(bytes, job.ranks));
            const auto seconds =
                sample({reps, options.warmup < 0 ? reps : options.warmup, options.samples}, world, true, activities);

            const double median = summarize(seconds[0]).median;
            std::vector<std::string> cells = {fmt::format("{}", bytes), fmt::format("{}", reps)};
            for (std::string& cell : time_cells(seconds[0])) cells.push_back(std::move(cell));
            cells.push_back(gigabytes_per_second(static_cast<double>(bytes), median));
            report.row(cells, {{"bytes", bytes}, {"reps", reps}, {"seconds", json_of(seconds[0])},
                                  {"bytes_per_second", static_cast<double>(bytes) / median}});
        });
    }
}

bool sum_is_right(const Job& job, std::byte* buffer, std::size_t bytes, bool complete,
    const std::function<void(void* data, std::size_t count)>& add_up)
{
    const std::size_t count = bytes / sizeof(double);
    auto* values = reinterpret_cast<double*>(buffer);
    const auto summand = [](int rank, std::size_t i) {
        return static_cast<double>(rank + 1) * static_cast<double>(i % 997 + 1);
    };
    for (std::size_t i = 0; i < count; ++i) values[i] = summand(job.rank, i);
    add_up(values, count);
    const double of_all_ranks = 0.5 * job.ranks * (job.ranks + 1);
    for (std::size_t i = 0; complete && i < count; ++i) {
        if (values[i] != of_all_ranks * summand(0, i)) return false;
    }
    return true;
}

}  // namespace fmpl::bench
