// What a rank writes down about its calls, for fmplrun --stats and --trace: in the job's memory between the control
// block and the arenas, and only in a job that was started with one of them. docs/memory_layout.md has a table of the
// fields, made from the words Writer and Ordering here (tools/memory-layout).
//
// A rank's part is a record, its row of the matrix of who sent to whom, and its events, each from a page of its own on.
// The rank backs the record when it takes its seat, pages of the row and pieces of the events when it first needs them;
// what finds no memory is counted. fmplrun reads when the rank's process has ended, which orders it.
#pragma once

#include "crossbar/cache_line.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fmpl {

inline constexpr std::size_t kCallNameBytes = 40;
inline constexpr std::size_t kObservedCalls = 126;
inline constexpr std::size_t kOtherCalls = kObservedCalls - 1;  // the record of all that find no place

// All calls of one name. Writer: the rank. Ordering: relaxed, read after the process's end.
struct CallRecord {
    char name[kCallNameBytes];  // Ordering: plain, under ObservationRecord::names.
    std::atomic<std::uint64_t> calls;
    std::atomic<std::uint64_t> bytes;
    std::atomic<std::uint64_t> ticks;
};
static_assert(sizeof(CallRecord) == 64);

// The messages that the rank has sent to one other.
// Writer: the rank that sends. Ordering: relaxed, read after the process's end.
struct SentRecord {
    std::atomic<std::uint64_t> messages;
    std::atomic<std::uint64_t> bytes;
};
static_assert(sizeof(SentRecord) == 16);

// One call in the trace. Writer: the rank. Ordering: plain, under ObservationRecord::events.
struct TraceEvent {
    std::uint64_t begin;  // ticks
    std::uint64_t end;
    std::uint64_t bytes;
    std::int32_t index;  // or tag; -1: none or any
    std::int16_t peer;   // rank in FMPL_COMM_WORLD; -1: none or any
    std::uint16_t call;  // place of its CallRecord
};
static_assert(sizeof(TraceEvent) == 32);

// Writer: the rank. Ordering: relaxed, read after the process's end.
struct alignas(kLine) ObservationRecord {
    // Line 0.
    std::atomic<std::uint64_t> session_begin;  // ticks; 0: it has not left fmpl_init
    std::atomic<std::uint64_t> session_end;    // ticks; 0: it has not finalized
    std::atomic<std::uint64_t> process_end;    // ticks when fmplrun saw that the process had ended. Writer: fmplrun.
    std::atomic<std::uint64_t> events;         // that are in the trace
    std::atomic<std::uint64_t> dropped;        // calls that found no place there
    std::atomic<std::uint64_t> first_dropped;  // ticks when the first of them began
    std::atomic<std::uint64_t> lost_messages;  // that are in no row, for lack of memory
    std::atomic<std::uint32_t> names;          // CallRecords with a name
    std::uint32_t pad0;

    // Line 1: the call that the rank is in.
    std::atomic<std::uint64_t> open_begin;  // ticks
    std::atomic<std::uint64_t> open_bytes;
    std::atomic<std::int32_t> open_peer;
    std::atomic<std::int32_t> open_index;
    std::atomic<std::uint32_t> open_call;  // place of its CallRecord + 1; 0: in none
    std::uint32_t pad1[9];

    CallRecord calls[kObservedCalls];
};
static_assert(sizeof(ObservationRecord) == 8192);

// Where the parts of a rank's observation lie, from its beginning, and how much address space it takes.
struct ObservationLayout {
    static constexpr std::size_t kPage = 4096;

    constexpr ObservationLayout(int ranks, std::size_t events)
        : row(sizeof(ObservationRecord)),
          row_bytes(up(static_cast<std::size_t>(ranks) * sizeof(SentRecord))),
          trace(row + row_bytes),
          trace_bytes(up(events * sizeof(TraceEvent))),
          bytes(trace + trace_bytes)
    {
    }

    std::size_t row;
    std::size_t row_bytes;
    std::size_t trace;
    std::size_t trace_bytes;
    std::size_t bytes;

private:
    static constexpr std::size_t up(std::size_t size) { return (size + kPage - 1) / kPage * kPage; }
};

}  // namespace fmpl
