// The job's memory: shared through its descriptor, sealed, refused when it is not one.
#include "crossbar/expect_error.hpp"
#include "crossbar/host.hpp"
#include "crossbar/job_memory.hpp"
#include "error.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace fmpl;
using fmpl_test::expect_error;

constexpr std::size_t kMiB = std::size_t{1} << 20;

JobSpec small_spec(int ranks)
{
    JobSpec spec;
    spec.ranks = ranks;
    spec.arena_bytes = 2 * kMiB;
    return spec;
}

bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

// A memory object with the given beginning, sealed or not.
int foreign_object(const void* begin, std::size_t begin_bytes, std::size_t bytes, bool sealed)
{
    const int fd = memfd_create("foreign", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    EXPECT_GE(fd, 0);
    EXPECT_EQ(ftruncate(fd, static_cast<off_t>(bytes)), 0);
    EXPECT_EQ(pwrite(fd, begin, begin_bytes, 0), static_cast<ssize_t>(begin_bytes));
    if (sealed) {
        EXPECT_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
    }
    return fd;
}

void expect_refused(int fd)
{
    expect_error(FMPL_ERR_SYSTEM, {"descriptor " + std::to_string(fd), "FMPL_JOB_FD", "fmplrun"},
        [fd] { JobMemory::attach(fd); });
}

TEST(JobMemory, AttachSharesTheContentsAtAnotherAddress)
{
    for (const bool has_launcher : {false, true}) {
        JobSpec spec = small_spec(3);
        spec.has_launcher = has_launcher;
        const JobMemory made = JobMemory::create(spec);
        const JobMemory first = JobMemory::attach(fcntl(made.fd(), F_DUPFD_CLOEXEC, 0));
        const JobMemory second = JobMemory::attach(fcntl(made.fd(), F_DUPFD_CLOEXEC, 0));
        EXPECT_NE(made.base(), first.base());
        EXPECT_NE(made.base(), second.base());
        EXPECT_NE(first.base(), second.base());
        EXPECT_EQ(first.bytes(), made.bytes());
        EXPECT_EQ(first.ranks(), 3);
        for (int rank = 0; rank < 3; ++rank) {
            made.commit(made.arena_offset(rank), 4096);
            std::memset(made.arena(rank).data(), 'a' + rank, 4096);
        }
        std::memset(first.arena(1).data(), 'z', 10);
        for (int rank = 0; rank < 3; ++rank) {
            EXPECT_EQ(second.arena(rank).size(), made.arena(rank).size());
            EXPECT_EQ(std::memcmp(second.arena(rank).data(), made.arena(rank).data(), 4096), 0) << "rank " << rank;
        }
        EXPECT_EQ(static_cast<char>(second.arena(1)[9]), 'z');
        EXPECT_EQ(static_cast<char>(second.arena(1)[10]), 'b');
    }
}

TEST(JobMemory, TheArenasAreDisjointAndFillTheObject)
{
    const JobMemory memory = JobMemory::create(small_spec(5));
    EXPECT_GE(memory.arena_offset(0), control_bytes(5));
    for (int rank = 0; rank < 5; ++rank) {
        EXPECT_GE(memory.arena(rank).size(), 2 * kMiB);
        EXPECT_EQ(memory.arena_offset(rank) % 4096, 0u);
        EXPECT_EQ(memory.arena_offset(rank) + memory.arena(rank).size(),
            rank < 4 ? memory.arena_offset(rank + 1) : memory.bytes());
    }
}

TEST(JobMemory, TheNewsOfLentCpusLieBehindTheNodes)
{
    JobSpec spec = small_spec(9);
    spec.lent_cpus = 3;
    const JobMemory memory = JobMemory::create(spec);
    const auto end_of = [&](std::size_t cpu) {
        return static_cast<Offset>(reinterpret_cast<std::byte*>(memory.news(cpu) + 9) - memory.base());
    };
    EXPECT_EQ(reinterpret_cast<std::byte*>(memory.news(0)) - memory.base(), std::ptrdiff_t{control_bytes(9)});
    for (std::size_t cpu = 0; cpu < 3; ++cpu) {
        EXPECT_LE(end_of(cpu), control_bytes(9, cpu + 1));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.news(cpu)) % kLine, 0u);
    }
    EXPECT_LE(control_bytes(9, 3), memory.constants().first_tables);
    for (const std::uint32_t wrong : {10u, UINT32_MAX}) {
        memory.control().lent_cpus = wrong;
        expect_error(FMPL_ERR_SYSTEM, {"its sizes contradict each other"},
            [&] { JobMemory::attach(fcntl(memory.fd(), F_DUPFD_CLOEXEC, 0)); });
    }
}

// Second-level TLBs have 128 or 256 sets, which the lowest bits of the page's number choose.
TEST(JobMemory, TheMarginsOfTheArenasSpreadOverTheSetsOfATlb)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    JobSpec spec = small_spec(300);
    spec.arena_bytes = 32 * 256 * page;  // the smallest that have margins
    const JobMemory memory = JobMemory::create(spec);
    const auto set_of = [&](int rank) { return (memory.arena_offset(rank) + memory.arena_margin(rank)) / page % 256; };
    for (const int ranks : {2, 4, 8, 16, 64, 256}) {
        std::set<std::size_t> sets;
        for (int rank = 0; rank < ranks; ++rank) {
            EXPECT_EQ(memory.arena_margin(rank) % page, 0u);
            EXPECT_LT(memory.arena_margin(rank), memory.arena(rank).size() / 32);
            sets.insert(set_of(rank));
        }
        EXPECT_EQ(sets.size(), static_cast<std::size_t>(ranks));
        // No two much nearer to each other than equal distances would be.
        for (auto set = sets.begin(); std::next(set) != sets.end(); ++set) {
            EXPECT_GE((*std::next(set) - *set) * static_cast<std::size_t>(ranks), 256u / 3) << ranks << " ranks";
        }
    }
    // Pages of 16 ranks that lie 16 apart in each: 8 of each rank, no set of which has more than its share.
    std::map<std::size_t, int> pages_of_set;
    for (int rank = 0; rank < 16; ++rank) {
        for (std::size_t i = 0; i < 8; ++i) ++pages_of_set[(set_of(rank) + 16 * i) % 256];
    }
    for (const auto& [set, pages] : pages_of_set) EXPECT_LE(pages, 1) << "set " << set;
    EXPECT_EQ(memory.arena_margin(299), memory.arena_margin(43));
}

TEST(JobMemory, ASmallArenaHasNoMargin)
{
    JobSpec spec = small_spec(5);
    spec.arena_bytes = 32 * 256 * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) - 2 * kMiB;
    const JobMemory memory = JobMemory::create(spec);
    for (int rank = 0; rank < 5; ++rank) EXPECT_EQ(memory.arena_margin(rank), 0u);
}

TEST(JobMemory, ItsDescriptorIsNotInheritedByOtherPrograms)
{
    const JobMemory memory = JobMemory::create(small_spec(1));
    EXPECT_NE(fcntl(memory.fd(), F_GETFD) & FD_CLOEXEC, 0);
    const JobMemory attached = JobMemory::attach(fcntl(memory.fd(), F_DUPFD, 0));
    EXPECT_NE(fcntl(attached.fd(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(JobMemory, TheLastOwnerClosesTheDescriptorAndMovingKeepsIt)
{
    int fd = -1;
    {
        JobMemory memory = JobMemory::create(small_spec(1));
        fd = memory.fd();
        const JobMemory moved = std::move(memory);
        EXPECT_EQ(moved.fd(), fd);
        EXPECT_EQ(memory.fd(), -1);
        EXPECT_EQ(memory.base(), nullptr);
        EXPECT_TRUE(is_open(fd));
    }
    EXPECT_FALSE(is_open(fd));
}

TEST(JobMemory, CannotBeResized)
{
    const JobMemory memory = JobMemory::create(small_spec(1));
    for (const std::size_t bytes : {std::size_t{0}, memory.bytes() - 4096, memory.bytes() + 4096}) {
        EXPECT_EQ(ftruncate(memory.fd(), static_cast<off_t>(bytes)), -1);
        EXPECT_EQ(errno, EPERM);
    }
    EXPECT_EQ(fcntl(memory.fd(), F_ADD_SEALS, F_SEAL_WRITE), -1);
}

TEST(JobMemory, AttachRefusesAClosedDescriptor)
{
    const int fd = foreign_object(nullptr, 0, 4096, false);
    close(fd);
    expect_refused(fd);
    expect_refused(-1);
}

TEST(JobMemory, AttachRefusesAPipe)
{
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    expect_refused(ends[0]);
    for (const int end : ends) EXPECT_EQ(close(end), 0) << "a refused descriptor stays the caller's";
}

TEST(JobMemory, AttachRefusesForeignMemory)
{
    for (const bool sealed : {false, true}) {
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, 4 * kMiB}) {
            const int fd = foreign_object(nullptr, 0, bytes, sealed);
            expect_refused(fd);
            EXPECT_EQ(close(fd), 0) << "a refused descriptor stays the caller's";
        }
    }
}

TEST(JobMemory, AttachRefusesAJobWhoseSizesContradict)
{
    const JobMemory memory = JobMemory::create(small_spec(2));
    std::array<std::byte, sizeof(ControlBlock)> block;
    std::memcpy(block.data(), memory.base(), block.size());
    struct Case {
        const char* name;
        std::size_t at, bytes;
        std::uint64_t value;
        std::size_t object_bytes;
    };
    const Case cases[] = {
        {"object too long", offsetof(JobConstants, version), 4, kControlVersion, memory.bytes() + 2 * kMiB},
        {"object too short", offsetof(JobConstants, version), 4, kControlVersion, memory.bytes() - 2 * kMiB},
        {"other version", offsetof(JobConstants, version), 4, kControlVersion + 1, memory.bytes()},
        {"no ranks", offsetof(JobConstants, ranks), 4, 0, memory.bytes()},
        {"too many ranks", offsetof(JobConstants, ranks), 4, kMaxRanks + 1, memory.bytes()},
        {"arenas in the control block", offsetof(JobConstants, first_arena), 8, 64, memory.bytes()},
        {"arenas behind the end", offsetof(JobConstants, first_arena), 8, memory.bytes() + 4096, memory.bytes()},
        {"arenas too long", offsetof(JobConstants, arena_bytes), 8, 1u << 30, memory.bytes()},
        {"other magic", offsetof(JobConstants, magic), 8, 0x1234, memory.bytes()},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.name);
        auto changed = block;
        std::memcpy(changed.data() + c.at, &c.value, c.bytes);
        const int fd = foreign_object(changed.data(), changed.size(), c.object_bytes, true);
        expect_refused(fd);
        EXPECT_EQ(close(fd), 0) << "a refused descriptor stays the caller's";
    }
}

TEST(JobMemory, CommitOfMoreThanTheMachineHasFailsInWords)
{
    JobSpec spec = small_spec(1);
    spec.arena_bytes = 2 * physical_memory_bytes();
    const JobMemory memory = JobMemory::create(spec);
    const std::size_t wanted = memory.arena(0).size();
    expect_error(FMPL_ERR_MEMORY, {std::to_string(wanted) + " bytes", "wanted", "available"},
        [&] { memory.commit(memory.arena_offset(0), wanted); });
    memory.commit(memory.arena_offset(0), 4096);  // what there is can still be had
    memory.arena(0)[4095] = std::byte{1};
}

TEST(JobMemory, CommitOutsideTheObjectIsADefect)
{
    const JobMemory memory = JobMemory::create(small_spec(1));
    expect_error(FMPL_ERR_INTERNAL, {"4096 bytes"}, [&] { memory.commit(memory.bytes(), 4096); });
    expect_error(FMPL_ERR_INTERNAL, {"offset"}, [&] { memory.commit(~Offset{4095}, 4096); });
    expect_error(FMPL_ERR_INTERNAL, {"leave"}, [&] { memory.commit(4096, memory.bytes()); });
}

TEST(JobMemory, ReleasedPagesAreZeroAgain)
{
    const JobMemory memory = JobMemory::create(small_spec(1));
    memory.commit(memory.arena_offset(0), 8192);
    std::memset(memory.arena(0).data(), 'x', 8192);
    memory.release(memory.arena_offset(0) + 4096, 4096);
    EXPECT_EQ(static_cast<char>(memory.arena(0)[4095]), 'x');
    EXPECT_EQ(static_cast<char>(memory.arena(0)[4096]), '\0');
}

TEST(JobMemory, TheDefaultShapeHasAtMostEightNodesInEachOfTheFirstDimensions)
{
    struct Case {
        int ranks;
        std::array<std::uint32_t, 3> shape;
        std::uint32_t dimensions;
    };
    const Case cases[] = {{1, {1, 1, 1}, 1}, {7, {7, 1, 1}, 1}, {8, {8, 1, 1}, 1}, {9, {8, 2, 1}, 2},
        {64, {8, 8, 1}, 2}, {65, {8, 8, 2}, 3}, {1000, {8, 8, 16}, 3}};
    for (const Case& c : cases) {
        const JobMemory memory = JobMemory::create(small_spec(c.ranks));
        const ControlBlock& block = memory.control();
        EXPECT_EQ((std::array{block.shape[0], block.shape[1], block.shape[2]}), c.shape) << c.ranks << " ranks";
        EXPECT_EQ(block.dimensions, c.dimensions) << c.ranks << " ranks";
    }
}

TEST(JobMemory, TheControlBlockRepeatsTheSpec)
{
    JobSpec spec = small_spec(6);
    spec.shape[0] = 3;
    spec.shape[1] = 2;
    spec.profile = Profile::sr8000;
    spec.engine = EngineKind::unmapped;
    spec.cpus = 5;
    spec.statistics = true;
    spec.partition_global = false;
    const JobMemory memory = JobMemory::create(spec);
    const ControlBlock& block = memory.control();
    EXPECT_EQ(block.ranks, 6u);
    EXPECT_EQ((std::array{block.shape[0], block.shape[1], block.shape[2]}), (std::array<std::uint32_t, 3>{3, 2, 1}));
    EXPECT_EQ(block.dimensions, 2u);
    EXPECT_EQ(block.profile, Profile::sr8000);
    EXPECT_EQ(block.engine, EngineKind::unmapped);
    EXPECT_EQ(block.cpus, 5u);
    EXPECT_EQ(block.statistics, 1u);
    EXPECT_EQ(block.partition_exclusive, 1u);
    EXPECT_EQ(block.partition_global, 0u);
    EXPECT_EQ(block.has_launcher, 0u);
    EXPECT_EQ(block.abort_state.load(), 0u);
}

TEST(JobMemory, CreateRefusesAnImpossibleSpec)
{
    for (const int ranks : {0, -1, kMaxRanks + 1}) {
        expect_error(FMPL_ERR_ARGUMENT, {std::to_string(ranks) + " ranks", std::to_string(kMaxRanks)},
            [&] { JobMemory::create(small_spec(ranks)); });
    }
    JobSpec spec = small_spec(9);
    spec.shape[0] = 4;
    spec.shape[1] = 2;
    expect_error(FMPL_ERR_ARGUMENT, {"4x2", "9 ranks"}, [&] { JobMemory::create(spec); });
    spec = small_spec(4);
    spec.arena_bytes = std::size_t{1} << 45;
    expect_error(FMPL_ERR_MEMORY, {"4 ranks", "FMPL_ARENA_SIZE", "bytes"}, [&] { JobMemory::create(spec); });
    spec.arena_bytes = ~std::size_t{0};
    expect_error(FMPL_ERR_MEMORY, {"FMPL_ARENA_SIZE"}, [&] { JobMemory::create(spec); });
}

}  // namespace
