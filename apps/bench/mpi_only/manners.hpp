// Messages of one kind, sent in several manners: a row for each.
#pragma once

#include "../job.hpp"
#include "../options.hpp"
#include "../report.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace fmpl::bench {

template <class Messages>
struct Manner {
    const char* name;
    void (Messages::*pass)();
    int messages;  // one after the other in a pass; its time is divided by them
};

inline void manner_columns(Report& report)
{
    std::vector<std::string> columns = {"manner", "bytes", "reps"};
    columns.insert(columns.end(), time_columns().begin(), time_columns().end());
    report.columns(columns);
}

// Of messages of so many bytes. reps: passes of a batch, where the user has not said how many.
template <class Messages>
void measure_manner(const Options& options, const Pairing& pairing, Report& report, Messages& messages,
    const Manner<Messages>& manner, std::size_t bytes, int reps)
{
    const Batch activities[] = {[&](std::uint64_t, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) (messages.*manner.pass)();
    }};
    auto [done, samples] = sample(options.sampling(reps), pairing.group(), pairing.takes_part(), activities);
    std::vector<double>& seconds = samples[0];
    for (double& each : seconds) each /= manner.messages;
    std::vector<std::string> cells = {manner.name, fmt::format("{}", bytes), fmt::format("{}", done)};
    for (std::string& cell : time_cells(seconds)) cells.push_back(std::move(cell));
    report.row(cells, {{"line", fmt::format("{}-{}", manner.name, bytes)}, {"manner", manner.name}, {"bytes", bytes},
                          {"reps", done}, {"seconds", json_of(seconds)}});
}

}  // namespace fmpl::bench
