// Pages of a peer's memory are mapped together, before the first copy, and asked for once.
#include "crossbar/crossbar.hpp"
#include "crossbar/peer_pages.hpp"
#include "crossbar/populate.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace fmpl;

constexpr std::size_t kPages = 128;

std::size_t page_bytes()
{
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Two nodes, the memory of the second held, and mapped a second time as another process would: no page is mapped
// there yet.
class PeerPagesTest : public ::testing::Test {
protected:
    PeerPagesTest()
    {
        JobSpec spec;
        spec.ranks = 2;
        spec.arena_bytes = 2 * kPages * page_bytes();
        owner_ = std::make_unique<JobMemory>(JobMemory::create(spec));
        elsewhere_ = std::make_shared<JobMemory>(JobMemory::attach(fcntl(owner_->fd(), F_DUPFD_CLOEXEC, 0)));
        // So that pages are mapped one by one, whatever the system does for shared memory.
        for (const JobMemory* memory : {owner_.get(), elsewhere_.get()}) {
            madvise(memory->base(), memory->bytes(), MADV_NOHUGEPAGE);
        }
        owner_->commit(owner_->arena_offset(1), kPages * page_bytes());
    }

    void SetUp() override
    {
        if (madvise(elsewhere_->base(), page_bytes(), MADV_POPULATE_WRITE) != 0 && errno == EINVAL)
            GTEST_SKIP() << "this kernel cannot map pages ahead";
    }

    std::byte* page(std::size_t i) const { return elsewhere_->base() + elsewhere_->arena_offset(1) + i * page_bytes(); }

    // How many of the pages this process has mapped there: by their present bits, since faults are also those of a
    // sanitizer.
    static std::size_t mapped_at(const std::byte* first, std::size_t pages)
    {
        const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
        std::vector<std::uint64_t> entries(pages);
        const auto at = reinterpret_cast<std::uintptr_t>(first) / page_bytes() * sizeof(std::uint64_t);
        EXPECT_EQ(pread(map, entries.data(), pages * sizeof(std::uint64_t), static_cast<off_t>(at)),
            static_cast<ssize_t>(pages * sizeof(std::uint64_t)));
        close(map);
        std::size_t present = 0;
        for (const std::uint64_t entry : entries) present += entry >> 63;
        return present;
    }
    std::size_t mapped(std::size_t first, std::size_t pages) const { return mapped_at(page(first), pages); }

    // Whether the job's memory holds nothing there.
    bool is_hole(std::size_t offset) const
    {
        const off_t data = lseek(owner_->fd(), static_cast<off_t>(offset), SEEK_DATA);
        return data < 0 ? errno == ENXIO : static_cast<std::size_t>(data) >= offset + page_bytes();
    }

    std::unique_ptr<JobMemory> owner_;
    std::shared_ptr<JobMemory> elsewhere_;
};

TEST_F(PeerPagesTest, NothingIsMappedBeforeItIsAskedFor)
{
    const PeerPages pages(elsewhere_->base(), elsewhere_->bytes());
    EXPECT_EQ(mapped(0, kPages), 0u);
    *const_cast<volatile std::byte*>(page(5)) = std::byte{1};
    EXPECT_EQ(mapped(0, kPages), 1u);
}

TEST_F(PeerPagesTest, WhatIsAskedForIsMappedAndNothingBeside)
{
    PeerPages pages(elsewhere_->base(), elsewhere_->bytes());
    pages.map(page(3) + 100, 90 * page_bytes());  // pages 3 to 93
    EXPECT_EQ(mapped(3, 91), 91u);
    EXPECT_EQ(mapped(0, kPages), 91u);
    pages.map(page(100), 1);
    pages.map(page(102) - 1, 2);  // pages 101 and 102
    EXPECT_EQ(mapped(100, 3), 3u);
    EXPECT_EQ(mapped(0, kPages), 94u);
}

TEST_F(PeerPagesTest, WhatHasBeenAskedForIsNotAskedForAgain)
{
    PeerPages pages(elsewhere_->base(), elsewhere_->bytes());
    pages.map(page(0), kPages * page_bytes());
    // Taken out of the page table behind its back: it believes that they are mapped.
    ASSERT_EQ(madvise(page(0), kPages * page_bytes(), MADV_DONTNEED), 0);
    ASSERT_EQ(mapped(0, kPages), 0u);
    pages.map(page(0), kPages * page_bytes());
    EXPECT_EQ(mapped(0, kPages), 0u);
}

TEST_F(PeerPagesTest, ARangeThatIsPartlyMappedIsMappedWhole)
{
    PeerPages pages(elsewhere_->base(), elsewhere_->bytes());
    pages.map(page(60), 10 * page_bytes());
    pages.map(page(0), kPages * page_bytes());
    EXPECT_EQ(mapped(0, kPages), kPages);
}

TEST_F(PeerPagesTest, OtherMemoryIsLeftAlone)
{
    PeerPages pages(elsewhere_->base(), elsewhere_->bytes());
    const std::size_t last = elsewhere_->bytes() - page_bytes();
    ASSERT_TRUE(is_hole(last));
    pages.map(elsewhere_->base() + last, 2 * page_bytes());  // leaves the job's memory
    pages.map(elsewhere_->base() - page_bytes(), 2 * page_bytes());
    pages.map(page(0), 0);
    const std::size_t behind = elsewhere_->arena_offset(1) + kPages * page_bytes();
    pages.map(page(kPages - 1), page_bytes());
    EXPECT_TRUE(is_hole(last));
    EXPECT_TRUE(is_hole(behind));
    EXPECT_EQ(mapped(0, kPages), 1u);

    const std::size_t room = 8 * page_bytes();
    auto* const own =
        static_cast<std::byte*>(mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(own, MAP_FAILED);
    pages.map(own, room);
    EXPECT_EQ(mapped_at(own, 8), 0u);
    munmap(own, room);
}

TEST_F(PeerPagesTest, TheCrossbarMapsLongPartsOfPeersAlone)
{
    const Crossbar crossbar(elsewhere_, 0), of_owner(elsewhere_, 1);
    of_owner.map_pages(page(0), kPages * page_bytes());  // its own
    for (std::size_t i = 0; i < 8; ++i) crossbar.map_pages(page(i), PeerPages::kLeastBytes - 1);
    EXPECT_EQ(mapped(0, kPages), 0u);
    crossbar.map_pages(page(8), 100 * page_bytes());
    EXPECT_EQ(mapped(8, 100), 100u);
    EXPECT_EQ(mapped(0, kPages), 100u);
}

}  // namespace
