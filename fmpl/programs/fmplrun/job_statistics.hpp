// What the ranks of a job have written down about their calls (crossbar/observation.hpp), read when they have ended.
// A rank may have written anything there: numbers are as they are, times less than two years, everything else is
// bounded.
#pragma once

#include "crossbar/job_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fmpl::launcher {

struct CallTotal {
    std::string name;
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
    std::int64_t ns = 0;
};

struct SentTotal {
    int to = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

// The call in which a rank ended.
struct UnfinishedCall {
    std::string name;
    int peer = -1;   // rank in FMPL_COMM_WORLD; -1: none or any
    int index = -1;  // or tag; -1: none or any
    std::uint64_t bytes = 0;
    std::int64_t begin_ns = 0;  // since the job was made
    std::int64_t ns = 0;
};

struct RankStatistics {
    enum class End {
        absent,     // it never left fmpl_init
        died,       // it has not finalized: the session ends with the process
        finalized,  // the session ends with fmpl_finalize
    };
    End end = End::absent;
    std::int64_t session_begin_ns = 0;  // since the job was made
    std::int64_t session_end_ns = 0;
    std::int64_t communication_ns = 0;  // in all calls, the unfinished one included
    std::int64_t session_ns() const { return session_end_ns - session_begin_ns; }
    std::int64_t computation_ns() const { return std::max<std::int64_t>(session_ns() - communication_ns, 0); }
    double communication_share() const;
    std::vector<CallTotal> calls;     // by time, the longest first
    std::vector<SentTotal> sent;      // by rank; those that got a message
    std::uint64_t lost_messages = 0;  // that are in no row, for lack of memory
    std::optional<UnfinishedCall> unfinished;
    std::uint64_t events = 0;   // in the trace
    std::uint64_t dropped = 0;  // calls that found no place in it
    std::int64_t first_dropped_ns = 0;
};

const char* name_of(RankStatistics::End end);

// Times are whole nanoseconds until they are printed, so that the text, the JSON and the trace say the same.
inline double seconds(std::int64_t ns)
{
    return static_cast<double>(ns) / 1e9;
}

// One call of the trace.
struct TracedCall {
    std::string_view name;
    std::int64_t begin_ns;  // since the job was made
    std::int64_t end_ns;
    int peer;
    int index;
    std::uint64_t bytes;
};

class JobStatistics {
public:
    // Requires that the job was started with statistics, and that its ranks have ended. `memory` outlives the object.
    explicit JobStatistics(const JobMemory& memory);

    const std::vector<RankStatistics>& ranks() const { return ranks_; }
    bool anybody() const;               // at least one rank left fmpl_init
    LibraryCalls spoken_calls() const;  // of the lowest of those ranks
    const char* clock_name() const;

    // The calls of the rank in the trace, in the order of their ends, which is that of their beginnings. Throws
    // Error(SYSTEM).
    void for_each_traced(int rank, const std::function<void(const TracedCall&)>& visit) const;

private:
    RankStatistics read_rank(int rank) const;
    void read_record(int rank, ObservationRecord& record) const;
    void read(Offset at, void* to, std::size_t bytes) const;
    std::int64_t ns(std::uint64_t ticks) const;  // since the job was made
    std::int64_t duration_ns(std::uint64_t ticks) const;

    const JobMemory& memory_;
    ClockScale scale_;
    std::vector<RankStatistics> ranks_;
};

// The launcher has seen the end of the rank's process; nothing in a job without statistics.
void note_process_end(const JobMemory& memory, int rank);

}  // namespace fmpl::launcher
