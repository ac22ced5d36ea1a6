// The job's memory: one anonymous, sealed shared object that holds the control block and, for each rank, tables and
// an arena.
#pragma once

#include "crossbar/control_block.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace fmpl {

// What a job looks like, before it exists. job_spec() fills it from FMPL_* variables and defaults.
struct JobSpec {
    int ranks = 1;
    std::size_t arena_bytes = 0;  // address space of one arena; 0: as much as the machine's memory
    int shape[3] = {0, 0, 0};     // 0: chosen from the number of ranks
    Profile profile = Profile::host;
    EngineKind engine = EngineKind::shm;
    int cpus = 0;                  // 0: those that this process may use
    std::uint32_t lent_cpus = 0;   // as of JobConstants
    bool statistics = false;       // each rank is observed, from the start
    std::size_t trace_events = 0;  // calls that each rank keeps for a trace
    bool partition_exclusive = true;
    bool partition_global = true;
    bool has_launcher = false;
    bool heap = false;  // half of each arena will be its program's heap: arenas are larger by default
};

// The spec for `ranks` ranks with everything else from the environment: FMPL_ARENA_SIZE (bytes, suffix K, M, G, T),
// FMPL_CROSSBAR (8x2), FMPL_PROFILE (host, sr8000), FMPL_ENGINE (shm, unmapped), FMPL_PARTITION (exclusive,global),
// FMPL_RDMA (heap, none).
// Throws Error(ARGUMENT) that names the variable, its value and the allowed ones.
JobSpec job_spec_from_environment(int ranks);

// "8x2" to its extents; throws Error(ARGUMENT) when it is not 1 to 3 positive numbers or too small for `ranks`.
void parse_crossbar_shape(const std::string& text, int ranks, int (&shape)[3]);

// "512M" to bytes; throws Error(ARGUMENT) naming `what`.
std::size_t parse_bytes(const std::string& text, const std::string& what);

class JobMemory {
public:
    // Makes the object: checks the spec (Error ARGUMENT) and that the memory is there (Error MEMORY), creates, sizes
    // and seals it, maps it and writes the control block's constant part. The descriptor is close-on-exec.
    static JobMemory create(const JobSpec& spec);

    // Maps the object behind `fd` (inherited from the launcher). Throws Error(SYSTEM) when it is not a job's memory.
    static JobMemory attach(int fd);

    JobMemory() = default;
    JobMemory(JobMemory&& other) noexcept;
    JobMemory& operator=(JobMemory&& other) noexcept;
    ~JobMemory();  // unmaps, closes

    std::byte* base() const { return base_; }
    std::size_t bytes() const { return bytes_; }
    int fd() const { return fd_; }
    ControlBlock& control() const { return *reinterpret_cast<ControlBlock*>(base_); }
    // As they were when this process made or mapped the memory, whatever has been written there since.
    const JobConstants& constants() const { return constants_; }
    int ranks() const { return static_cast<int>(constants_.ranks); }
    // That share one, at most.
    int ranks_of_cpu() const
    {
        const int cpus = static_cast<int>(constants_.cpus);
        return (ranks() + cpus - 1) / cpus;
    }

    Offset arena_offset(int rank) const
    {
        return constants_.first_arena + static_cast<Offset>(rank) * constants_.arena_bytes;
    }
    std::span<std::byte> arena(int rank) const { return {base_ + arena_offset(rank), constants_.arena_bytes}; }

    // The rank's address space for records of pairs of ranks (p2p/table_memory.hpp), most of which are never touched:
    // it is backed page by page, and never by huge ones.
    Offset tables_offset(int rank) const
    {
        return constants_.first_tables + static_cast<Offset>(rank) * constants_.tables_bytes +
               margin(rank, constants_.tables_bytes);
    }
    std::size_t tables_bytes(int rank) const { return constants_.tables_bytes - margin(rank, constants_.tables_bytes); }

    // How much of its arena the rank leaves out at the beginning, whole pages. Arenas lie a multiple of 2 MiB apart;
    // with equal margins, what ranks allocate alike would lie in the same few sets of every TLB and cache of whoever
    // uses it all.
    std::size_t arena_margin(int rank) const { return margin(rank, constants_.arena_bytes); }

    // What a rank writes down about its calls, or nullptr in a job without statistics.
    ObservationRecord* observation(int rank) const
    {
        if (constants_.first_observation == kNoOffset) return nullptr;
        return reinterpret_cast<ObservationRecord*>(base_ + observation_offset(rank));
    }
    // Of the ranks of one of constants().lent_cpus CPUs, by rank.
    NewsOfRank* news(std::size_t cpu) const
    {
        return reinterpret_cast<NewsOfRank*>(base_ + control_bytes(ranks(), cpu));
    }
    Offset observation_offset(int rank) const
    {
        return constants_.first_observation + static_cast<Offset>(rank) * constants_.observation_bytes;
    }
    ObservationLayout observation_layout() const { return {ranks(), constants_.trace_events}; }

    // Backs [offset, offset + bytes) with memory, so that a later access cannot fail. Throws Error(MEMORY) with the
    // bytes wanted and available. Page-aligned.
    void commit(Offset offset, std::size_t bytes) const;

    // The same without a look at the memory that is left, for a few pages.
    void back(Offset offset, std::size_t bytes) const;
    // [offset, offset + bytes) of this rank's will be touched without being backed beforehand: says so to tools that
    // watch memory.
    void declare_taken(Offset offset, std::size_t bytes) const noexcept;
    // Begin and end of the first part of [from, end) that is backed; end twice when none is. Where the system does not
    // tell, all are.
    std::pair<Offset, Offset> next_touched(Offset from, Offset end) const noexcept;

    // Gives the pages of [offset, offset + bytes) back to the system; their contents are lost. Page-aligned.
    void release(Offset offset, std::size_t bytes) const noexcept;

    // This process reads and writes what it has committed itself, and nothing of other ranks any more.
    void leave() const noexcept;

    // From now on [offset, offset + bytes) belongs to somebody who backs its pages by other means
    // (launch/rank_heap.hpp): commit refuses it with Error(MEMORY). At most one such range; known to this process
    // alone.
    void set_apart(Offset offset, std::size_t bytes) { apart_begin_ = offset, apart_end_ = offset + bytes; }
    bool is_apart(Offset offset) const { return offset >= apart_begin_ && offset < apart_end_; }

private:
    void map(std::size_t bytes, std::uint64_t hint);
    static std::size_t margin(int rank, std::size_t bytes);
    [[noreturn]] void fail_outside(Offset offset, std::size_t bytes) const;

    int fd_ = -1;
    std::byte* base_ = nullptr;
    std::size_t bytes_ = 0;
    JobConstants constants_{};
    Offset apart_begin_ = 0;  // [apart_begin_, apart_end_): see set_apart
    Offset apart_end_ = 0;
};

}  // namespace fmpl
