// The file of fmplrun --trace, in the trace event format of Chrome's tracing, which Perfetto reads too: a line (a
// "thread" of one "process") for each rank, and on it a complete event ("X") for each call. docs/statistics.md is its
// description.
#include "observation_output.hpp"

#include <fmt/format.h>

namespace fmpl::launcher {
namespace {

constexpr int kTraceVersion = 1;
constexpr int kProcess = 1;

// Viewers take a thread 0 for the system's.
std::size_t line_of(std::size_t rank)
{
    return rank + 1;
}

// Microseconds, which the format counts in, without rounding.
std::string microseconds(std::int64_t ns)
{
    const bool negative = ns < 0;
    const auto size = static_cast<std::uint64_t>(negative ? -ns : ns);
    return fmt::format("{}{}.{:03}", negative ? "-" : "", size / 1000, size % 1000);
}

void write_call(OutputFile& file, std::size_t rank, const TracedCall& call, bool unfinished)
{
    file.print(",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"name\":{},\"ts\":{},\"dur\":{},\"args\":{{\"bytes\":{}",
        kProcess, line_of(rank), json_string(call.name), microseconds(call.begin_ns),
        microseconds(call.end_ns - call.begin_ns), call.bytes);
    if (call.peer >= 0) file.print(",\"peer\":{}", call.peer);
    if (call.index >= 0) file.print(",\"{}\":{}", call.name.starts_with("MPI_") ? "tag" : "index", call.index);
    if (unfinished) file.print(",\"unfinished\":true");
    file.print("}}}}");
}

}  // namespace

void write_trace_json(OutputFile& file, const JobStatistics& statistics, const Options& options)
{
    const auto& ranks = statistics.ranks();
    file.print(
        "{{\"displayTimeUnit\":\"ns\",\n\"otherData\":{{\"format\":\"fmpl-trace\",\"version\":{},\"clock\":\"{}\","
        "\"ranks\":[",
        kTraceVersion, statistics.clock_name());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const RankStatistics& r = ranks[rank];
        file.print(
            "{}\n{{\"rank\":{},\"end\":\"{}\",\"session_begin_us\":{},\"session_end_us\":{},\"calls\":{},\"calls_"
            "dropped\":{}}}",
            rank == 0 ? "" : ",", rank, name_of(r.end), microseconds(r.session_begin_ns),
            microseconds(r.session_end_ns), r.events, r.dropped);
    }
    file.print(
        "]}},\n\"traceEvents\":[\n{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":{}}}}}",
        kProcess, json_string(options.program.front()));
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        file.print(
            ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_name\",\"args\":{{\"name\":\"rank {2}\"}}}}"
            ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{2}}}}"
            "}",
            kProcess, line_of(rank), rank);
    }
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const RankStatistics& r = ranks[rank];
        if (r.end == RankStatistics::End::absent) continue;
        statistics.for_each_traced(
            static_cast<int>(rank), [&](const TracedCall& call) { write_call(file, rank, call, false); });
        if (r.unfinished) {
            const UnfinishedCall& call = *r.unfinished;
            write_call(file, rank,
                {call.name, call.begin_ns, std::max(call.begin_ns, r.session_end_ns), call.peer, call.index,
                    call.bytes},
                true);
        }
        if (r.dropped > 0) {
            file.print(
                ",\n{{\"ph\":\"i\",\"s\":\"t\",\"pid\":{},\"tid\":{},\"name\":\"{} calls from here on are not in the "
                "trace\",\"ts\":{}}}",
                kProcess, line_of(rank), r.dropped, microseconds(r.first_dropped_ns));
        }
    }
    file.print("]}}\n");
}

}  // namespace fmpl::launcher
