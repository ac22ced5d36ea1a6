// The first pages of the job's memory: what launcher and ranks share before and beside all messages.
//
// docs/memory_layout.md has a table of the fields, made from the words Writer and Ordering here (tools/memory-layout).
// Offsets count from the base of the job's memory. All fields are zero at the start (the memory comes from memfd).
#pragma once

#include "crossbar/cache_line.hpp"
#include "crossbar/cycle_clock.hpp"
#include "crossbar/observation.hpp"
#include "crossbar/spoken_library.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace fmpl {

using Offset = std::uint64_t;           // bytes from the base of the job's memory
inline constexpr Offset kNoOffset = 0;  // the control block's own offset: never a message's

inline constexpr std::uint64_t kControlMagic = 0x31304c504d46'0a00;
inline constexpr std::uint32_t kControlVersion = 26;
inline constexpr std::int32_t kOnTheMove = -1, kStays = -2;  // NodeRecord::host
inline constexpr int kBarrierColours = 8;                    // paper, section 3.3
inline constexpr int kMaxRanks = 4096;

enum class Profile : std::uint32_t { host = 0, sr8000 = 1 };
enum class EngineKind : std::uint32_t { shm = 0, unmapped = 1 };

// The life of a rank, in order. Written by the rank; read by the launcher and by ranks in fmpl_init.
enum class RankState : std::uint32_t {
    absent = 0,     // has not called fmpl_init (nor fmpl_malloc)
    attached = 1,   // has mapped the job's memory
    ready = 2,      // its tables are published: peers may write to them
    finalized = 3,  // has left fmpl_finalize
};

// The calls that a rank can be blocked in, and that statistics count. call_name() gives the words.
enum class Call : std::uint32_t {
    none,
    init,
    finalize,
    send,
    recv,
    isend,
    irecv,
    isend_wait,
    irecv_wait,
    send_any,
    recv_any,
    sendbuf_set,
    sendbuf_check,
    bcast,
    reduce,
    allreduce,
    barrier,
    comm_create,
    comm_create_group,
    comm_free,
    isend_test,
    irecv_test,
    envelopes_open,
    envelope_commit,
    envelope_send_body,
    envelope_send,
    envelope_lend,
    envelopes_poll,
    wait_until,
    envelopes_wait,
    look,
    exchange,
    count_
};
inline constexpr std::size_t kCalls = static_cast<std::size_t>(Call::count_);

constexpr const char* call_name(Call call)
{
    constexpr const char* names[] = {"no FMPL call", "fmpl_init", "fmpl_finalize", "fmpl_send", "fmpl_recv",
        "fmpl_isend", "fmpl_irecv", "fmpl_isend_wait", "fmpl_irecv_wait", "fmpl_send_any", "fmpl_recv_any",
        "fmpl_sendbuf_set", "fmpl_sendbuf_check", "fmpl_bcast", "fmpl_reduce", "fmpl_allreduce", "fmpl_barrier",
        "fmpl_comm_create", "fmpl_comm_create_group", "fmpl_comm_free", "fmpl_isend_test", "fmpl_irecv_test",
        "fmpl_envelopes_open", "fmpl_envelope_commit", "fmpl_envelope_send_body", "fmpl_envelope_send",
        "fmpl_envelope_lend", "fmpl_envelopes_poll", "fmpl_wait_until", "fmpl_envelopes_wait", "fmpl_look",
        "fmpl_exchange"};
    static_assert(sizeof names / sizeof names[0] == kCalls);
    return static_cast<std::size_t>(call) < kCalls ? names[static_cast<std::size_t>(call)] : "?";
}

inline constexpr std::size_t kBlockedNameBytes = 24;

// What a rank is waiting for, read by the launcher on a time-out or an interrupt; a torn picture is harmless.
// Writer: the rank, when a wait becomes long. Ordering: relaxed, a hint in words.
struct BlockedIn {
    std::atomic<std::uint32_t> call;  // Call; none: not blocked
    std::atomic<std::int32_t> peer;   // rank in FMPL_COMM_WORLD; -1: any or all
    std::atomic<std::int32_t> index;  // -1: any or none
    std::atomic<std::uint32_t> comm_size;
    std::atomic<std::uint64_t> since_ns;  // CLOCK_MONOTONIC
    std::atomic<std::uint64_t> bytes;
    // The name that a layer above gives its call, which stands instead of the call's; zeros: none.
    std::atomic<std::uint64_t> name[kBlockedNameBytes / 8];

    void set_words(const char* words)
    {
        char text[kBlockedNameBytes] = {};
        if (words != nullptr) std::memcpy(text, words, strnlen(words, sizeof text));
        for (std::size_t i = 0; i < sizeof text / 8; ++i) {
            std::uint64_t part = 0;
            std::memcpy(&part, text + 8 * i, 8);
            name[i].store(part, std::memory_order_relaxed);
        }
    }
    std::string words() const
    {
        char text[kBlockedNameBytes + 1] = {};
        for (std::size_t i = 0; i < kBlockedNameBytes / 8; ++i) {
            const std::uint64_t part = name[i].load(std::memory_order_relaxed);
            std::memcpy(text + 8 * i, &part, 8);
        }
        return text;
    }
};

// NodeRecord::sleep: which of the rank's sleeps it is, from 1, and the doorbell's value that the rank sleeps on.
constexpr std::uint64_t sleep_word(std::uint32_t number, std::uint32_t doorbell)
{
    return std::uint64_t{number} << 32 | doorbell;
}
constexpr std::uint32_t slept_on(std::uint64_t sleep)
{
    return static_cast<std::uint32_t>(sleep);
}

inline constexpr std::size_t kBootstrapBytes = 64;

// One rank's place in the job. Writer: the rank. Ordering: plain, under `state` = ready.
struct alignas(kLine) NodeRecord {
    // Line 0: life.
    // RankState. Ordering: release; acquire in Communicators::await_all_ready, DeadlockWatch::sleeps,
    // CpuLending::is_ready, fmplrun.
    std::atomic<std::uint32_t> state;
    // 0: free. Writer: the rank, once, by compare-exchange, so that it is attached once.
    // Ordering: relaxed: only who wins counts; value under `state`.
    std::atomic<std::int32_t> pid;
    // 1 when the process has ended. Writer: fmplrun or run_ranks(). Ordering: release; acquire in
    // Communicators::await_all_ready.
    std::atomic<std::uint32_t> exited;
    std::int32_t cpu;  // the only one that the rank may run on as it joins, -1: there are several
    // Address of a word in the rank's private memory, see PrivateMemory. Ordering: relaxed, under `state` = ready.
    std::atomic<std::uint64_t> probe_at;
    // That word. Ordering: relaxed, under `state` = ready.
    std::atomic<std::uint64_t> probe_word;
    SpokenLibrary speaks;  // Ordering: plain, under `state` = attached.
    std::uint8_t pad0[kLine - 36];

    // Line 1: wake-up (crossbar/waiter.hpp).
    // Ordering: relaxed, then membarrier; relaxed in Crossbar::wake, after the waker's flag.
    alignas(kLine) std::atomic<std::uint32_t> sleeping;
    // The rank sleeps on it with futex. Writer: any waker, by fetch_add.
    // Ordering: release in Crossbar::ring; acquire in Waiter::sleep.
    std::atomic<std::uint32_t> doorbell;
    // While it sleeps until another rank rings: sleep_word(); 0: it does not.
    // Ordering: release; acquire in DeadlockWatch::sleeps.
    std::atomic<std::uint64_t> sleep;
    // 1 while it sleeps in a wait of more than 5 ms, and when it wakes although nobody has rung. Writer: the rank; 0
    // also who rings. Ordering: relaxed; a hint for CpuLending.
    std::atomic<std::uint32_t> waits_long;
    std::uint8_t pad1[kLine - 20];

    // Line 2: what it waits for.
    alignas(kLine) BlockedIn blocked_in;
    std::uint8_t pad2[kLine - sizeof(BlockedIn)];

    // Line 3: the CPU that it is on (crossbar/cpu_lending.hpp).
    // When it gave its CPU away, since it found nothing, in ticks of `clock`; 0: it has not. Ordering: relaxed; a hint.
    alignas(kLine) std::atomic<std::uint64_t> away_since;
    // Its thread's number in its PID namespace. Ordering: plain, under `state` = ready.
    std::int32_t thread;
    // The CPU that it is bound to now, kOnTheMove, or kStays. Writer: the rank, then whoever moves it, by
    // compare-exchange to kOnTheMove. Ordering: acquire in CpuLending::move, end; release in move.
    std::atomic<std::int32_t> host;
    // The last move, in ticks. Writer: who moves it. Ordering: relaxed, under `host`.
    std::atomic<std::uint64_t> moved_at;
    // How many ticks it stays where it has been moved. Writer: who moves it. Ordering: relaxed, under `host`.
    std::atomic<std::uint64_t> lease;
    std::uint8_t pad3[kLine - 32];

    // Line 4: its words for the other ranks, exchanged in fmpl_init.
    alignas(kLine) std::uint8_t bootstrap[kBootstrapBytes];

    // Why it called fmpl_abort. Ordering: plain, under `abort_state` = 2.
    alignas(kLine) char abort_reason[512];
};
static_assert(sizeof(NodeRecord) % kLine == 0);
static_assert(sizeof(BlockedIn) == 56);

// A hardware barrier: see coll/barrier_hardware.cpp.
struct alignas(kLine) BarrierRecord {
    // All writes before an arrival reach the last one. Writer: members, or the last of each CPU, fetch_add; the last,
    // 0. Ordering: acq_rel, in Meeting::arrive_for_cpu of all.
    std::atomic<std::uint32_t> arrived;
    std::uint8_t pad0[kLine - 4];
    // One more after each barrier. It cannot change between a member's look at it and its arrival.
    // Writer: the last one to arrive. Ordering: release, after `arrived` = 0; acquire in barrier_hardware() of the
    // others.
    alignas(kLine) std::atomic<std::uint32_t> epoch;
    std::uint8_t pad1[kLine - 4];
    // Of two members, which use nothing else: how often each has arrived, alike whenever neither is in the barrier.
    // Writer: each its own. Ordering: release; acquire in barrier_of_two() of the other, who may find it one ahead.
    alignas(kLine) std::atomic<std::uint32_t> times[2];
    std::uint8_t pad2[kLine - 8];
};
static_assert(sizeof(BarrierRecord) == 3 * kLine);

// What is constant once the launcher (or run_ranks, or a lone rank) has made the job. Whoever maps the memory goes by
// its own copy (JobMemory::constants): a rank with a wild pointer may write here.
// Writer: who makes the job. Ordering: plain, before any rank exists.
struct JobConstants {
    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t ranks;
    std::uint64_t total_bytes;   // of the whole object
    std::uint64_t arena_bytes;   // of each arena
    Offset first_arena;          // rank r's arena begins at first_arena + r * arena_bytes
    std::uint64_t tables_bytes;  // of each rank's tables
    Offset first_tables;         // rank r's tables begin at first_tables + r * tables_bytes
    std::uint64_t address_hint;  // where all ranks try to map it
    std::uint32_t shape[3];      // nodes of the crossbar in each dimension
    std::uint32_t dimensions;    // 1 .. 3
    Profile profile;
    EngineKind engine;
    std::uint32_t cpus;                 // CPUs that the job's ranks on this host may use together
    std::uint32_t statistics;           // 1: the ranks are observed from the start (fmplrun --stats, --trace)
    std::uint32_t partition_exclusive;  // attributes of the partition, for the sr8000 profile (paper, section 3.2)
    std::uint32_t partition_global;
    std::uint32_t has_launcher;            // 1: fmplrun watches the ranks
    std::int32_t launcher_pid;             // as it sees itself
    std::uint64_t launcher_pid_namespace;  // where that number counts; 0: not known
    ClockKind clock;                       // of the observation
    ClockReading clock_begin;              // when the job was made
    Offset first_observation;  // rank r's begins at first_observation + r * observation_bytes; 0: there is none
    std::uint64_t observation_bytes;
    std::uint64_t trace_events;  // that a rank has room for
    std::uint32_t lent_cpus;     // that the ranks are bound to and lend each other (crossbar/cpu_lending.hpp); 0: none
};

struct alignas(kLine) ControlBlock : JobConstants {
    // The end of the job: 0, then 1 while it is written, then 2. Writer: the first rank to fail, by compare-exchange.
    // Ordering: release 2; acquire in Waiter::is_ending, run_ranks(), fmplrun.
    alignas(kLine) std::atomic<std::uint32_t> abort_state;
    // Writer: that rank, between 1 and 2. Ordering: relaxed, under `abort_state` = 2.
    std::atomic<std::int32_t> abort_rank;
    // Exit status. Writer: that rank, between 1 and 2. Ordering: relaxed, under `abort_state` = 2.
    std::atomic<std::int32_t> abort_code;
    std::uint8_t pad_abort[kLine - 12];

    // Whether the job's memory suffices: 0, then 1, then 2 if it does, 3 if not (api/admission.hpp).
    // Writer: the first rank in fmpl_init, by compare-exchange. Ordering: release; acquire in admit_job().
    alignas(kLine) std::atomic<std::uint32_t> admission;
    std::uint8_t pad_admission[kLine - 4];

    // The serialized crossbar: one hardware broadcast at a time (sr8000 profile). 0: free; else rank + 1 of the holder.
    // Writer: the holder, by compare-exchange. Ordering: acquire on taking, release on leaving: SerializedCrossbar().
    alignas(kLine) std::atomic<std::uint32_t> serialized_crossbar;
    std::uint8_t pad_serialized[kLine - 4];

    // How often a rank has been moved to another CPU, or nearly. Writer: who moves it, by fetch_add. Ordering: release;
    // acquire in CpuLending::nobody_else_is_active.
    alignas(kLine) std::atomic<std::uint32_t> moves;
    std::uint8_t pad_moves[kLine - 4];

    // Colours of the hardware barrier in use: bit c set by the rank that allocates colour c for a communicator.
    // Writer: any rank, by compare-exchange and fetch_and.
    // Ordering: acquire in Crossbar::allocate_colour; release in Crossbar::free_colour.
    alignas(kLine) std::atomic<std::uint32_t> colours_in_use;
    std::uint8_t pad_colours[kLine - 4];

    alignas(kLine) BarrierRecord barriers[kBarrierColours];

    __extension__ NodeRecord nodes[];  // one for each rank
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

// Behind the NodeRecords where CPUs are lent: for each CPU when the ranks at home there have last woken each rank of
// the job. Readers: ranks of a CPU that has nothing to do.
struct NewsOfRank {
    // In ticks of `clock`. Writer: the ranks at home on the CPU. Ordering: relaxed; a hint.
    std::atomic<std::uint64_t> at;
};
static_assert(sizeof(NewsOfRank) == 8);

// A CPU's, in whole lines.
constexpr std::size_t news_of_cpu(int ranks)
{
    constexpr std::size_t of_line = kLine / sizeof(NewsOfRank);
    return (static_cast<std::size_t>(ranks) + of_line - 1) / of_line * of_line;
}

constexpr std::size_t control_bytes(int ranks, std::size_t lent_cpus = 0)
{
    return sizeof(ControlBlock) + static_cast<std::size_t>(ranks) * sizeof(NodeRecord) +
           lent_cpus * news_of_cpu(ranks) * sizeof(NewsOfRank);
}

}  // namespace fmpl
