// The file of fmplrun --stats-json. docs/statistics.md is its description: a change here is a change there.
#include "observation_output.hpp"

#include <fmt/format.h>

namespace fmpl::launcher {
namespace {

constexpr int kStatisticsVersion = 1;

void write_rank(OutputFile& file, std::size_t number, const RankStatistics& rank)
{
    file.print("{{\"rank\":{},\"end\":\"{}\"", number, name_of(rank.end));
    if (rank.end == RankStatistics::End::absent) {
        file.print("}}");
        return;
    }
    file.print(
        ",\"session_seconds\":{:.9f},\"computation_seconds\":{:.9f},\"communication_seconds\":{:.9f},"
        "\"communication_share\":{},\n  \"calls\":[",
        seconds(rank.session_ns()), seconds(rank.computation_ns()), seconds(rank.communication_ns),
        rank.communication_share());
    const char* between = "";
    for (const CallTotal& call : rank.calls) {
        file.print("{}\n   {{\"call\":{},\"count\":{},\"bytes\":{},\"seconds\":{:.9f}}}", between,
            json_string(call.name), call.calls, call.bytes, seconds(call.ns));
        between = ",";
    }
    file.print("],\n  \"unfinished_call\":");
    if (rank.unfinished) {
        const UnfinishedCall& call = *rank.unfinished;
        file.print("{{\"call\":{},\"peer\":{},\"index\":{},\"bytes\":{},\"seconds\":{:.9f}}}", json_string(call.name),
            call.peer, call.index, call.bytes, seconds(call.ns));
    } else {
        file.print("null");
    }
    file.print(",\n  \"sent\":[");
    between = "";
    for (const SentTotal& sent : rank.sent) {
        file.print("{}\n   {{\"to\":{},\"messages\":{},\"bytes\":{}}}", between, sent.to, sent.messages, sent.bytes);
        between = ",";
    }
    file.print("],\n  \"messages_not_counted\":{}}}", rank.lost_messages);
}

}  // namespace

void write_statistics_json(OutputFile& file, const JobStatistics& statistics, const Options& options, int status)
{
    file.print(
        "{{\"format\":\"fmpl-statistics\",\"version\":{},\"ranks\":{},\"status\":{},\"clock\":\"{}\",\n \"program\":[",
        kStatisticsVersion, statistics.ranks().size(), status, statistics.clock_name());
    const char* between = "";
    for (const std::string& word : options.program) {
        file.print("{}{}", between, json_string(word));
        between = ",";
    }
    file.print("],\n \"by_rank\":[");
    for (std::size_t rank = 0; rank < statistics.ranks().size(); ++rank) {
        file.print("{}\n ", rank == 0 ? "" : ",");
        write_rank(file, rank, statistics.ranks()[rank]);
    }
    file.print("]}}\n");
}

}  // namespace fmpl::launcher
