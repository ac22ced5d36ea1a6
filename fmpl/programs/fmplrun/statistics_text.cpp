#include "statistics_text.hpp"

#include "printable.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace fmpl::launcher {
namespace {

using End = RankStatistics::End;

constexpr std::size_t kRanksOfTable = 8;  // beyond that, a matrix is a list of its heaviest pairs
constexpr std::size_t kHeaviestPairs = 20;
constexpr std::int64_t kLongestSum = std::int64_t{1} << 62;  // one more call is less than that again

std::string times_table(const std::vector<RankStatistics>& ranks, LibraryCalls spoken)
{
    std::string text = fmt::format(
        "fmplrun: time of each rank from {} to {}\n"
        "  rank     session s   computation s   communication s   share\n",
        spoken.joins, spoken.leaves);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const RankStatistics& r = ranks[rank];
        if (r.end == End::absent) {
            text += fmt::format("  {:4}   did not call {}\n", rank, spoken.joins);
            continue;
        }
        text += fmt::format("  {:4}  {:12.6f}    {:12.6f}      {:12.6f}   {:4.1f} %", rank, seconds(r.session_ns()),
            seconds(r.computation_ns()), seconds(r.communication_ns), 100 * r.communication_share());
        if (r.end == End::died) text += "   did not finalize";
        if (r.unfinished) {
            text += fmt::format(", ended in {}", printable(r.unfinished->name));
            if (r.unfinished->peer >= 0) text += fmt::format(" with rank {}", r.unfinished->peer);
            text += fmt::format(" after {:.6f} s", seconds(r.unfinished->ns));
        }
        text += '\n';
    }
    return text;
}

// What several ranks have in common comes first, under "all".
std::string calls_table(const std::vector<RankStatistics>& ranks)
{
    std::map<std::string, CallTotal> sums;
    std::size_t width = 22;
    for (const RankStatistics& r : ranks) {
        for (const CallTotal& call : r.calls) {
            CallTotal& sum = sums[printable(call.name)];
            sum.name = printable(call.name);
            sum.calls += call.calls;
            sum.bytes += call.bytes;
            sum.ns = std::min(sum.ns, kLongestSum) + call.ns;
            width = std::max(width, sum.name.size());
        }
    }
    std::vector<CallTotal> all;
    for (const auto& [name, sum] : sums) all.push_back(sum);
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });

    std::string text = fmt::format(
        "fmplrun: calls, with the bytes that they name; what a call makes other calls do is in its time\n"
        "  rank   {:<{}}  {:>10}  {:>15}  {:>12}\n",
        "call", width, "count", "bytes", "seconds");
    const auto add = [&](const std::string& who, const CallTotal& call) {
        text += fmt::format("  {:>4}   {:<{}}  {:10}  {:15}  {:12.6f}\n", who, printable(call.name), width, call.calls,
            call.bytes, seconds(call.ns));
    };
    if (ranks.size() > 1) {
        for (const CallTotal& call : all) add("all", call);
    }
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        for (const CallTotal& call : ranks[rank].calls) add(std::to_string(rank), call);
    }
    return text;
}

// One number of each pair.
std::string matrix_table(const std::vector<RankStatistics>& ranks, const char* what, std::uint64_t SentTotal::*number)
{
    const std::size_t n = ranks.size();
    std::vector<std::string> cells(n * n, "-");
    std::size_t width = 6;
    for (std::size_t from = 0; from < n; ++from) {
        for (const SentTotal& sent : ranks[from].sent) {
            std::string& cell = cells[from * n + static_cast<std::size_t>(sent.to)];
            cell = std::to_string(sent.*number);
            width = std::max(width, cell.size());
        }
    }
    std::string text = fmt::format("  {:<13}", what);
    for (std::size_t to = 0; to < n; ++to) text += fmt::format("  {:>{}}", fmt::format("to {}", to), width);
    text += '\n';
    for (std::size_t from = 0; from < n; ++from) {
        text += fmt::format("  {:>13}", fmt::format("from {}", from));
        for (std::size_t to = 0; to < n; ++to) text += fmt::format("  {:>{}}", cells[from * n + to], width);
        text += '\n';
    }
    return text;
}

std::string heaviest_pairs(const std::vector<RankStatistics>& ranks)
{
    struct Pair {
        std::size_t from;
        SentTotal sent;
    };
    std::vector<Pair> pairs;
    for (std::size_t from = 0; from < ranks.size(); ++from) {
        for (const SentTotal& sent : ranks[from].sent) pairs.push_back({from, sent});
    }
    std::stable_sort(
        pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.sent.bytes > b.sent.bytes; });
    std::string text = fmt::format("  {:>6}  {:>6}  {:>12}  {:>16}\n", "from", "to", "messages", "bytes");
    SentTotal rest;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const SentTotal& sent = pairs[i].sent;
        if (i < kHeaviestPairs) {
            text += fmt::format("  {:>6}  {:>6}  {:>12}  {:>16}\n", pairs[i].from, sent.to, sent.messages, sent.bytes);
        } else {
            rest.messages += sent.messages;
            rest.bytes += sent.bytes;
        }
    }
    if (pairs.size() > kHeaviestPairs) {
        text += fmt::format(
            "  {} more pairs: {} messages, {} bytes\n", pairs.size() - kHeaviestPairs, rest.messages, rest.bytes);
    }
    return text;
}

std::string sent_tables(const std::vector<RankStatistics>& ranks)
{
    const bool any = std::any_of(ranks.begin(), ranks.end(), [](const auto& rank) { return !rank.sent.empty(); });
    std::string text;
    if (!any) {
        text = "fmplrun: no point-to-point messages; collective calls are in the table of calls alone\n";
    } else if (ranks.size() <= kRanksOfTable) {
        text =
            "fmplrun: who sent to whom: point-to-point messages; collective calls are in the table of calls alone\n" +
            matrix_table(ranks, "messages", &SentTotal::messages) + matrix_table(ranks, "bytes", &SentTotal::bytes);
    } else {
        text =
            "fmplrun: who sent most to whom: point-to-point messages; collective calls are in the table of calls "
            "alone\n" +
            heaviest_pairs(ranks);
    }
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        if (ranks[rank].lost_messages == 0) continue;
        text += fmt::format(
            "  {} messages of rank {} are missing here, for lack of memory\n", ranks[rank].lost_messages, rank);
    }
    return text;
}

}  // namespace

std::string statistics_text(const JobStatistics& statistics)
{
    if (!statistics.anybody()) return "fmplrun: no statistics: no rank called fmpl_init, MPI_Init or blacs_pinfo\n";
    const auto& ranks = statistics.ranks();
    return times_table(ranks, statistics.spoken_calls()) + calls_table(ranks) + sent_tables(ranks);
}

}  // namespace fmpl::launcher
