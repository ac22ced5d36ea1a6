#include "job_statistics.hpp"

#include "error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>

#include <unistd.h>

namespace fmpl::launcher {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;  // all that is read was written by processes that have ended

// More than a year. Longer times are no times of a job, and their sums could not be told.
constexpr double kLongestNs = static_cast<double>(std::int64_t{1} << 55);

std::int64_t bounded_ns(double ns)
{
    return std::llround(std::clamp(ns, -kLongestNs, kLongestNs));
}

std::string call_name_of(const ObservationRecord& record, std::size_t place)
{
    if (place >= kObservedCalls) return "?";
    const char* name = record.calls[place].name;
    return {name, strnlen(name, kCallNameBytes)};
}

}  // namespace

const char* name_of(RankStatistics::End end)
{
    switch (end) {
        case RankStatistics::End::absent:
            return "absent";
        case RankStatistics::End::died:
            return "died";
        case RankStatistics::End::finalized:
            return "finalized";
    }
    return "?";
}

double RankStatistics::communication_share() const
{
    return session_ns() > 0 ? static_cast<double>(communication_ns) / static_cast<double>(session_ns()) : 0;
}

JobStatistics::JobStatistics(const JobMemory& memory)
    : memory_(memory),
      scale_(memory.constants().clock, memory.constants().clock_begin, read_both_clocks(memory.constants().clock))
{
    for (int rank = 0; rank < memory.ranks(); ++rank) ranks_.push_back(read_rank(rank));
}

bool JobStatistics::anybody() const
{
    return std::any_of(
        ranks_.begin(), ranks_.end(), [](const auto& rank) { return rank.end != RankStatistics::End::absent; });
}

LibraryCalls JobStatistics::spoken_calls() const
{
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        if (ranks_[rank].end != RankStatistics::End::absent) return calls_of(memory_.control().nodes[rank].speaks);
    }
    return calls_of(SpokenLibrary::fmpl);
}

const char* JobStatistics::clock_name() const
{
    return memory_.constants().clock == ClockKind::cycles ? "cycle counter" : "CLOCK_MONOTONIC";
}

std::int64_t JobStatistics::ns(std::uint64_t ticks) const
{
    return bounded_ns(scale_.ns_since_begin(ticks));
}

std::int64_t JobStatistics::duration_ns(std::uint64_t ticks) const
{
    return bounded_ns(static_cast<double>(ticks) * scale_.ns_per_tick());
}

RankStatistics JobStatistics::read_rank(int rank) const
{
    RankStatistics result;
    const NodeRecord& node = memory_.control().nodes[rank];
    if (node.state.load(std::memory_order_acquire) == static_cast<std::uint32_t>(RankState::absent)) return result;
    ObservationRecord record{};
    read_record(rank, record);
    const std::uint64_t begin = record.session_begin.load(kRelaxed);
    if (begin == 0) return result;

    std::uint64_t end = record.session_end.load(kRelaxed);
    result.end = end != 0 ? RankStatistics::End::finalized : RankStatistics::End::died;
    if (end == 0) end = record.process_end.load(kRelaxed);
    end = std::max(end, begin);
    result.session_begin_ns = ns(begin);
    result.session_end_ns = ns(end);

    const std::size_t names = std::min<std::size_t>(record.names.load(kRelaxed), kObservedCalls);
    for (std::size_t i = 0; i < kObservedCalls; ++i) {
        if (i >= names && i != kOtherCalls) continue;
        const CallRecord& call = record.calls[i];
        const std::uint64_t calls = call.calls.load(kRelaxed);
        if (calls == 0) continue;
        const std::int64_t time = duration_ns(call.ticks.load(kRelaxed));
        result.calls.push_back({call_name_of(record, i), calls, call.bytes.load(kRelaxed), time});
        result.communication_ns += time;
    }
    std::stable_sort(
        result.calls.begin(), result.calls.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });

    if (const std::uint32_t open = record.open_call.load(kRelaxed); open != 0) {
        const std::uint64_t since = record.open_begin.load(kRelaxed);
        UnfinishedCall call{call_name_of(record, open - 1), record.open_peer.load(kRelaxed),
            record.open_index.load(kRelaxed), record.open_bytes.load(kRelaxed), ns(since), 0};
        call.ns = duration_ns(end > since ? end - since : 0);
        result.communication_ns += call.ns;
        result.unfinished = call;
    }

    std::vector<SentRecord> row(static_cast<std::size_t>(memory_.ranks()));
    read(memory_.observation_offset(rank) + memory_.observation_layout().row, row.data(),
        row.size() * sizeof(SentRecord));
    for (std::size_t to = 0; to < row.size(); ++to) {
        const std::uint64_t messages = row[to].messages.load(kRelaxed);
        if (messages > 0) result.sent.push_back({static_cast<int>(to), messages, row[to].bytes.load(kRelaxed)});
    }
    result.lost_messages = record.lost_messages.load(kRelaxed);
    result.events = std::min<std::uint64_t>(record.events.load(kRelaxed), memory_.constants().trace_events);
    result.dropped = record.dropped.load(kRelaxed);
    if (result.dropped > 0) result.first_dropped_ns = ns(record.first_dropped.load(kRelaxed));
    return result;
}

void JobStatistics::for_each_traced(int rank, const std::function<void(const TracedCall&)>& visit) const
{
    ObservationRecord record{};
    read_record(rank, record);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kObservedCalls; ++i) names.push_back(call_name_of(record, i));
    const Offset first = memory_.observation_offset(rank) + memory_.observation_layout().trace;
    std::array<TraceEvent, 1024> events;
    const std::uint64_t count = ranks_[static_cast<std::size_t>(rank)].events;
    for (std::uint64_t done = 0; done < count;) {
        const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(events.size(), count - done));
        read(first + done * sizeof(TraceEvent), events.data(), some * sizeof(TraceEvent));
        for (std::size_t i = 0; i < some; ++i) {
            const TraceEvent& e = events[i];
            const std::string_view name = e.call < names.size() ? std::string_view(names[e.call]) : "?";
            visit({name, ns(e.begin), ns(e.end), e.peer, e.index, e.bytes});
        }
        done += some;
    }
}

void JobStatistics::read_record(int rank, ObservationRecord& record) const
{
    read(memory_.observation_offset(rank), &record, sizeof record);
}

// Not through the mapping, where a look at a page that nobody has written takes memory for it.
void JobStatistics::read(Offset at, void* to, std::size_t bytes) const
{
    auto* next = static_cast<std::byte*>(to);
    while (bytes > 0) {
        const ssize_t got = pread(memory_.fd(), next, bytes, static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            fail(FMPL_ERR_SYSTEM, "the job's memory cannot be read: {}", std::strerror(got < 0 ? errno : EIO));
        next += got;
        at += static_cast<Offset>(got);
        bytes -= static_cast<std::size_t>(got);
    }
}

void note_process_end(const JobMemory& memory, int rank)
{
    const NodeRecord& node = memory.control().nodes[rank];
    if (node.state.load(std::memory_order_acquire) == static_cast<std::uint32_t>(RankState::absent)) return;
    if (memory.constants().first_observation == kNoOffset) return;
    // Not through the mapping, where a page that the rank has not backed, and that there is no memory for, would be
    // SIGBUS.
    const std::uint64_t now = read_clock(memory.constants().clock);
    const Offset at = memory.observation_offset(rank) + offsetof(ObservationRecord, process_end);
    [[maybe_unused]] const ssize_t written = pwrite(memory.fd(), &now, sizeof now, static_cast<off_t>(at));
}

}  // namespace fmpl::launcher
