#include "crossbar/job_memory.hpp"

#include "crossbar/byte_words.hpp"
#include "crossbar/host.hpp"
#include "crossbar/memcheck.hpp"
#include "crossbar/populate.hpp"
#include "error.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define FMPL_SANITIZED 1
#else
#define FMPL_SANITIZED 0
#endif

namespace fmpl {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr std::size_t kMostBytes = std::size_t{1} << 46;  // half of the 47-bit address space of a process

// A rank's part of a trace has at most 32 GiB.
constexpr std::size_t kMostTraceEvents = std::size_t{1} << 30;

// Where the ranks try to map the job's memory: ranges that x86-64 Linux leaves empty. Programs lie at 0x55...,
// libraries and stacks at 0x7f...; below 0x100000000000 non-PIE programs and their heaps.
constexpr std::uint64_t kUpperHint = 0x600000000000;
constexpr std::size_t kUpperRoom = 0x1e0000000000;
constexpr std::uint64_t kLowerHint = 0x100000000000;

// Pages are committed in pieces, and the memory that is left is looked up before each: several ranks that commit at the
// same time would otherwise all believe that they have it for themselves.
constexpr std::size_t kCommitPiece = std::size_t{256} << 20;

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

std::size_t round_up(std::size_t value, std::size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

const char* environment(const char* name)
{
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

std::size_t limit_of(int resource)
{
    rlimit limit{};
    if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return std::numeric_limits<std::size_t>::max();
    }
    return static_cast<std::size_t>(limit.rlim_cur);
}

// The bytes that the whole object may have: address space, and the user's limits on it and on the size of files (a
// memfd counts as one). Half of the address space is left to the program.
std::size_t most_total_bytes()
{
    return std::min({kMostBytes, limit_of(RLIMIT_AS) / 2, limit_of(RLIMIT_FSIZE)});
}

// Of each rank, beside an arena of so many bytes.
std::size_t tables_bytes_beside(std::size_t arena_bytes)
{
    constexpr std::size_t kMost = 16 * kGiB;
    return std::clamp(arena_bytes / 4 / kHugePage * kHugePage, kHugePage, kMost);
}

// The largest arena that fits with its tables; 0: none does.
std::size_t largest_arena_in(std::size_t room)
{
    const std::size_t arena = room / 5 * 4 / kHugePage * kHugePage;
    return arena >= kHugePage && arena + tables_bytes_beside(arena) <= room ? arena : 0;
}

std::size_t default_arena_bytes(const JobSpec& spec, std::size_t control)
{
    const int ranks = spec.ranks;
    std::size_t most = most_total_bytes();
    // The sanitizers leave a program only a part of its address space.
    if (FMPL_SANITIZED) most = std::min(most, 256 * kGiB);
    const std::size_t room = most > control ? (most - control) / static_cast<std::size_t>(ranks) : 0;
    // As much as the machine has memory. With a heap in one half, four times that: the heap's allocator gives back
    // pages but no addresses, and rounds large blocks up.
    const std::size_t wanted = round_up(physical_memory_bytes(), kGiB) * (spec.heap ? 4 : 1);
    const std::size_t arena = std::min(wanted, largest_arena_in(room));
    if (arena == 0) {
        fail(FMPL_ERR_MEMORY,
            "the memory of a job of {} ranks does not fit the limits of this process ({} in all): raise ulimit -v and "
            "ulimit -f, or start fewer ranks",
            ranks, bytes_in_words(most));
    }
    return arena;
}

// Of one rank.
std::size_t observation_bytes(const JobSpec& spec)
{
    const auto ranks = static_cast<std::size_t>(spec.ranks);
    const std::size_t bytes = ObservationLayout(spec.ranks, std::min(spec.trace_events, kMostTraceEvents)).bytes;
    const std::size_t most = most_total_bytes() / 2 / ranks;
    if (spec.trace_events > kMostTraceEvents || bytes > most) {
        const std::size_t fixed = ObservationLayout(spec.ranks, 0).bytes;
        fail(FMPL_ERR_ARGUMENT, "a trace of {} calls a rank has no place in a job of {} rank{}; at most {} fit",
            spec.trace_events, ranks, ranks == 1 ? "" : "s",
            std::min(kMostTraceEvents, most > fixed ? (most - fixed) / sizeof(TraceEvent) : 0));
    }
    return bytes;
}

// The default shape: dimensions of at most 8 nodes, as the SR8000 has them; the last one grows when that is not enough.
void default_shape(int ranks, int (&shape)[3])
{
    shape[0] = std::min(ranks, 8);
    shape[1] = shape[2] = 0;
    if (ranks > 8) shape[1] = std::min((ranks + 7) / 8, 8);
    if (ranks > 64) shape[2] = (ranks + 63) / 64;
}

int dimensions_of(const int (&shape)[3])
{
    return shape[1] == 0 ? 1 : shape[2] == 0 ? 2 : 3;
}

long long nodes_of(const int (&shape)[3])
{
    long long nodes = 1;
    for (const int extent : shape) nodes *= std::max(1, extent);
    return nodes;
}

template <class Value>
struct Choice {
    std::string_view word;
    Value value;
};

template <class Value, std::size_t n>
Value choice_from(const char* variable, const char* text, const Choice<Value> (&choices)[n])
{
    std::string allowed;
    for (const auto& choice : choices) {
        if (choice.word == text) return choice.value;
        allowed += allowed.empty() ? "" : ", ";
        allowed += choice.word;
    }
    fail(FMPL_ERR_ARGUMENT, "{}={} is unknown; allowed are: {}", variable, text, allowed);
}

void check_ranks(int ranks)
{
    if (ranks < 1 || ranks > kMaxRanks) {
        fail(FMPL_ERR_ARGUMENT, "a job of {} ranks is impossible: 1 to {} are allowed", ranks, kMaxRanks);
    }
}

// Advice only: what the system makes of it changes nothing but speed. A core dump without the arenas is small; with
// them the kernel would search terabytes of holes while the other ranks wait for the news.
void advise(const JobConstants& job, std::byte* base)
{
    madvise(base + job.first_arena, job.total_bytes - job.first_arena, MADV_HUGEPAGE);
    madvise(base + job.first_tables, job.total_bytes - job.first_tables, MADV_DONTDUMP);
}

}  // namespace

std::size_t parse_bytes(const std::string& text, const std::string& what)
{
    std::size_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
    if (suffix.size() > 1 && (suffix.substr(1) == "B" || suffix.substr(1) == "iB")) suffix = suffix.substr(0, 1);
    int shift = -1;
    if (suffix.empty()) {
        shift = 0;
    } else if (suffix.size() == 1) {
        const auto unit = std::string_view("KMGTkmgt").find(suffix[0]);
        if (unit != std::string_view::npos) shift = 10 * static_cast<int>(unit % 4 + 1);
    }
    if (error != std::errc{} || shift < 0 || value > (std::numeric_limits<std::size_t>::max() >> shift)) {
        fail(FMPL_ERR_ARGUMENT, "{}={} is not a number of bytes; write for instance 4096, 64K, 512M or 2G", what, text);
    }
    return value << shift;
}

void parse_crossbar_shape(const std::string& text, int ranks, int (&shape)[3])
{
    int parsed[3] = {0, 0, 0};
    int dimensions = 0;
    const char* at = text.data();
    const char* end = at + text.size();
    for (bool more = true; more;) {
        int extent = 0;
        const auto [rest, error] = std::from_chars(at, end, extent);
        more = rest != end;
        if (error != std::errc{} || extent < 1 || extent > kMaxRanks || dimensions == 3 || (more && *rest != 'x')) {
            fail(FMPL_ERR_ARGUMENT,
                "crossbar shape {} is not 1 to 3 numbers from 1 to {} with x between them, as in 8, 8x2 or 4x4x2",
                text.empty() ? "\"\"" : text, kMaxRanks);
        }
        parsed[dimensions++] = extent;
        at = rest + 1;
    }
    if (nodes_of(parsed) < ranks) {
        fail(FMPL_ERR_ARGUMENT, "crossbar shape {} has {} nodes, too few for {} ranks", text, nodes_of(parsed), ranks);
    }
    std::copy(std::begin(parsed), std::end(parsed), shape);
}

JobSpec job_spec_from_environment(int ranks)
{
    check_ranks(ranks);
    JobSpec spec;
    spec.ranks = ranks;
    if (const char* text = environment("FMPL_ARENA_SIZE")) {
        spec.arena_bytes = parse_bytes(text, "FMPL_ARENA_SIZE");
        if (spec.arena_bytes == 0) fail(FMPL_ERR_ARGUMENT, "FMPL_ARENA_SIZE={} leaves no memory to the ranks", text);
    }
    if (const char* text = environment("FMPL_CROSSBAR")) {
        try {
            parse_crossbar_shape(text, ranks, spec.shape);
        } catch (const Error& error) {
            fail(error.code(), "FMPL_CROSSBAR={}: {}", text, error.what());
        }
    }
    if (const char* text = environment("FMPL_PROFILE")) {
        spec.profile =
            choice_from<Profile>("FMPL_PROFILE", text, {{"host", Profile::host}, {"sr8000", Profile::sr8000}});
    }
    if (const char* text = environment("FMPL_ENGINE")) {
        spec.engine = choice_from<EngineKind>(
            "FMPL_ENGINE", text, {{"shm", EngineKind::shm}, {"unmapped", EngineKind::unmapped}});
    }
    if (const char* text = environment("FMPL_PARTITION")) {
        struct Attributes {
            bool exclusive, global;
        };
        const auto attributes = choice_from<Attributes>("FMPL_PARTITION", text,
            {{"exclusive,global", {true, true}}, {"global,exclusive", {true, true}}, {"exclusive", {true, false}},
                {"global", {false, true}}, {"none", {false, false}}});
        spec.partition_exclusive = attributes.exclusive;
        spec.partition_global = attributes.global;
    }
    if (const char* text = environment("FMPL_RDMA")) {
        spec.heap = choice_from<bool>("FMPL_RDMA", text, {{"heap", true}, {"none", false}});
    }
    return spec;
}

JobMemory JobMemory::create(const JobSpec& spec)
{
    check_ranks(spec.ranks);
    int shape[3] = {spec.shape[0], spec.shape[1], spec.shape[2]};
    if (shape[0] == 0) default_shape(spec.ranks, shape);
    for (const int extent : shape) {
        if (extent < 0 || nodes_of(shape) < spec.ranks) {
            fail(FMPL_ERR_ARGUMENT, "a crossbar of {}x{}x{} nodes has no room for {} ranks", shape[0],
                std::max(1, shape[1]), std::max(1, shape[2]), spec.ranks);
        }
    }

    const auto ranks = static_cast<std::size_t>(spec.ranks);
    const std::size_t observations_at = round_up(control_bytes(spec.ranks, spec.lent_cpus), page_bytes());
    const std::size_t observations = spec.statistics ? observation_bytes(spec) : 0;
    const std::size_t control = round_up(observations_at + ranks * observations, kHugePage);
    std::size_t arena = spec.arena_bytes;
    if (arena == 0) {
        arena = default_arena_bytes(spec, control);
    } else {
        const std::size_t most = most_total_bytes();
        const std::size_t largest = largest_arena_in(most > control ? (most - control) / ranks : 0);
        if (arena > largest) {
            fail(FMPL_ERR_MEMORY,
                "a job of {} rank{} with arenas of {} each needs more address space than there is: at most {} for each "
                "arena (FMPL_ARENA_SIZE; ulimit -v and ulimit -f count too)",
                ranks, ranks == 1 ? "" : "s", bytes_in_words(arena), bytes_in_words(largest));
        }
        arena = round_up(arena, kHugePage);
    }
    const std::size_t tables = tables_bytes_beside(arena);
    const std::size_t first_arena = control + ranks * tables;
    const std::size_t total = first_arena + ranks * arena;

    JobMemory memory;
    memory.fd_ = memfd_create("fmpl-job", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory.fd_ < 0) fail_system("the job's memory cannot be made (memfd_create)");
    if (ftruncate(memory.fd_, static_cast<off_t>(total)) != 0) {
        fail_system(fmt::format("the job's memory cannot get its size, {} (ftruncate)", bytes_in_words(total)));
    }
    // From here on nobody can make it shorter under a rank that is reading it.
    if (fcntl(memory.fd_, F_ADD_SEALS, kSeals) != 0) fail_system("the job's memory cannot be sealed (F_ADD_SEALS)");

    // Ranks that are threads share one mapping, so only a job of processes needs a common address.
    std::uint64_t hint = 0;
    if (spec.has_launcher) hint = total <= kUpperRoom ? kUpperHint : kLowerHint;
    memory.map(total, hint);
    memory.commit(0, observations_at);

    ControlBlock& block = memory.control();
    block.version = kControlVersion;
    block.ranks = static_cast<std::uint32_t>(spec.ranks);
    block.total_bytes = total;
    block.arena_bytes = arena;
    block.first_arena = first_arena;
    block.tables_bytes = tables;
    block.first_tables = control;
    block.address_hint = hint;
    for (int d = 0; d < 3; ++d) block.shape[d] = static_cast<std::uint32_t>(std::max(1, shape[d]));
    block.dimensions = static_cast<std::uint32_t>(dimensions_of(shape));
    block.profile = spec.profile;
    block.engine = spec.engine;
    block.cpus = static_cast<std::uint32_t>(spec.cpus > 0 ? spec.cpus : available_cpus());
    block.lent_cpus = spec.lent_cpus;
    block.statistics = spec.statistics;
    block.clock = best_clock();
    block.clock_begin = read_both_clocks(block.clock);
    if (spec.statistics) {
        block.first_observation = observations_at;
        block.observation_bytes = observations;
        block.trace_events = spec.trace_events;
    }
    block.partition_exclusive = spec.partition_exclusive;
    block.partition_global = spec.partition_global;
    block.has_launcher = spec.has_launcher;
    block.launcher_pid = getpid();
    block.launcher_pid_namespace = pid_namespace();
    block.magic = kControlMagic;
    memory.constants_ = block;
    advise(memory.constants_, memory.base_);
    return memory;
}

JobMemory JobMemory::attach(int fd)
{
    const auto refuse = [fd](const std::string& why) {
        fail(FMPL_ERR_SYSTEM,
            "descriptor {} (FMPL_JOB_FD) is not the memory of a running job: {}. Start the program with fmplrun, or "
            "unset FMPL_JOB_FD to run it alone",
            fd, why);
    };
    struct stat status {};
    if (fstat(fd, &status) != 0) refuse(std::strerror(errno));
    if (!S_ISREG(status.st_mode)) refuse("it is not a memory object");
    // Checked before mapping: a page beyond the end of the object would be SIGBUS.
    const int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & kSeals) != kSeals) refuse("it is not sealed against resizing");
    JobConstants constants{};
    if (pread(fd, &constants, sizeof constants, 0) != static_cast<ssize_t>(sizeof constants)) refuse("it is too short");
    const JobConstants* const header = &constants;
    if (header->magic != kControlMagic) refuse("it does not begin as one");
    if (header->version != kControlVersion) {
        refuse(
            fmt::format("it was made by another version of FMPL (layout {} instead of {}); fmplrun and the "
                        "program's libfmpl must come from one installation",
                header->version, kControlVersion));
    }
    const std::uint64_t ranks = header->ranks;
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const bool whole = ranks >= 1 && ranks <= static_cast<std::uint64_t>(kMaxRanks) && header->total_bytes == size &&
                       size <= kMostBytes && header->lent_cpus <= ranks &&
                       header->first_tables >= control_bytes(static_cast<int>(ranks), header->lent_cpus) &&
                       header->first_tables <= header->first_arena && header->first_arena <= size &&
                       (header->first_arena - header->first_tables) / ranks == header->tables_bytes &&
                       (size - header->first_arena) / ranks == header->arena_bytes;
    const bool observed = header->first_observation != kNoOffset;
    const bool observation_fits =
        !observed ||
        (header->trace_events <= kMostTraceEvents &&
            header->observation_bytes >= ObservationLayout(static_cast<int>(ranks), header->trace_events).bytes &&
            header->first_observation >= control_bytes(static_cast<int>(ranks), header->lent_cpus) &&
            header->first_observation <= header->first_tables &&
            (header->first_tables - header->first_observation) / ranks >= header->observation_bytes);
    if (!whole || !observation_fits) refuse("its sizes contradict each other");

    JobMemory memory;
    memory.fd_ = fd;
    memory.constants_ = constants;
    try {
        memory.map(size, header->address_hint);
    } catch (...) {
        memory.fd_ = -1;  // the descriptor stays the caller's
        throw;
    }
    memcheck::backed(memory.base_, control_bytes(static_cast<int>(ranks), header->lent_cpus));
    // Programs that this rank starts are no ranks, and should not hold the memory of the job.
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    advise(constants, memory.base_);
    return memory;
}

void JobMemory::map(std::size_t bytes, std::uint64_t hint)
{
    const int protection = PROT_READ | PROT_WRITE;
    const int flags = MAP_SHARED | MAP_NORESERVE;
    // A suggestion: what the program has mapped there stays, and a sanitizer that the program was compiled with knows
    // better.
    void* const wanted = environment("FMPL_MAP_ANYWHERE") == nullptr ? reinterpret_cast<void*>(hint) : nullptr;
    void* const at = mmap(wanted, bytes, protection, flags, fd_, 0);
    if (at == MAP_FAILED) {
        fail(FMPL_ERR_MEMORY,
            "the job's memory ({} of address space) cannot be mapped: {}. A smaller FMPL_ARENA_SIZE or a larger "
            "ulimit -v helps",
            bytes_in_words(bytes), std::strerror(errno));
    }
    base_ = static_cast<std::byte*>(at);
    bytes_ = bytes;
    memcheck::mapped(base_, bytes_);
}

JobMemory::JobMemory(JobMemory&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      base_(std::exchange(other.base_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      constants_(std::exchange(other.constants_, {})),
      apart_begin_(std::exchange(other.apart_begin_, 0)),
      apart_end_(std::exchange(other.apart_end_, 0))
{
}

JobMemory& JobMemory::operator=(JobMemory&& other) noexcept
{
    JobMemory taken(std::move(other));
    std::swap(fd_, taken.fd_);
    std::swap(base_, taken.base_);
    std::swap(bytes_, taken.bytes_);
    std::swap(constants_, taken.constants_);
    std::swap(apart_begin_, taken.apart_begin_);
    std::swap(apart_end_, taken.apart_end_);
    return *this;
}

JobMemory::~JobMemory()
{
    if (base_ != nullptr) {
        leave();
        munmap(base_, bytes_);
    }
    if (fd_ >= 0) close(fd_);
}

std::size_t JobMemory::margin(int rank, std::size_t bytes)
{
    // As many pages as the larger second-level TLBs and caches have sets; a range that would lose much has no margin.
    constexpr std::size_t kMargins = 256;
    constexpr std::size_t kSmallest = 32;  // of the largest margins
    const std::size_t page = page_bytes();
    if (bytes < kSmallest * kMargins * page) return 0;
    // An odd step near the golden section: however many ranks there are, their margins are spread, and not at the
    // distances, powers of two, that programs choose.
    constexpr std::size_t kStep = 157;
    return static_cast<std::size_t>(rank) * kStep % kMargins * page;
}

void JobMemory::commit(Offset offset, std::size_t bytes) const
{
    if (offset > bytes_ || bytes > bytes_ - offset) fail_outside(offset, bytes);
    if (offset < apart_end_ && apart_begin_ < offset + bytes) {
        fail(FMPL_ERR_MEMORY,
            "the rest of the arena is the program's malloc heap (--rdma heap); a larger FMPL_ARENA_SIZE gives more to "
            "both");
    }
    // Only a range that held nothing may be emptied again when memory runs out half way.
    const off_t first_data = lseek(fd_, static_cast<off_t>(offset), SEEK_DATA);
    const bool was_empty = first_data < 0 ? errno == ENXIO : static_cast<Offset>(first_data) >= offset + bytes;
    const auto give_up = [&](const std::string& reason) {
        if (was_empty) release(offset, bytes);
        fail(FMPL_ERR_MEMORY, "not enough memory: {} wanted, {}", bytes_in_words(bytes), reason);
    };

    for (std::size_t done = 0; done < bytes;) {
        // A sixty-fourth stays free for page tables and for what the kernel charges beside the pages: at the very edge
        // it would kill the process instead of refusing the page.
        const std::size_t left = available_memory_bytes();
        const std::size_t available = left - left / 64;
        if (bytes - done > available) give_up(fmt::format("{} available", bytes_in_words(available + done)));

        const std::size_t piece = std::min(kCommitPiece, bytes - done);
        if (populate(base_ + offset + done, piece, fd_, offset + done) != 0) {
            if (errno == EINTR || errno == EAGAIN) continue;
            const std::string why = std::strerror(errno);
            give_up(fmt::format("the system gave only {} of it: {}", bytes_in_words(done), why));
        }
        done += piece;
    }
    memcheck::backed(base_ + offset, bytes);
}

void JobMemory::back(Offset offset, std::size_t bytes) const
{
    if (offset > bytes_ || bytes > bytes_ - offset) fail_outside(offset, bytes);
    while (populate(base_ + offset, bytes, fd_, offset) != 0) {
        if (errno == EINTR || errno == EAGAIN) continue;
        fail(FMPL_ERR_MEMORY, "not enough memory: {} wanted, which the system does not give: {}", bytes_in_words(bytes),
            std::strerror(errno));
    }
}

void JobMemory::fail_outside(Offset offset, std::size_t bytes) const
{
    fail(FMPL_ERR_INTERNAL, "{} bytes at offset {} leave the job's memory of {} bytes", bytes, offset, bytes_);
}

void JobMemory::declare_taken(Offset offset, std::size_t bytes) const noexcept
{
    memcheck::backed(base_ + offset, bytes);
}

std::pair<Offset, Offset> JobMemory::next_touched(Offset from, Offset end) const noexcept
{
    const off_t begin = lseek(fd_, static_cast<off_t>(from), SEEK_DATA);
    if (begin < 0) return errno == ENXIO ? std::pair{end, end} : std::pair{from, end};
    const off_t behind = lseek(fd_, begin, SEEK_HOLE);
    return {std::min(static_cast<Offset>(begin), end), behind < 0 ? end : std::min(static_cast<Offset>(behind), end)};
}

void JobMemory::leave() const noexcept
{
    memcheck::left(base_, bytes_);
}

void JobMemory::release(Offset offset, std::size_t bytes) const noexcept
{
    if (base_ == nullptr || offset > bytes_ || bytes > bytes_ - offset) return;
    depopulate(base_ + offset, bytes, fd_, offset);
    memcheck::released(base_ + offset, bytes);
}

}  // namespace fmpl
