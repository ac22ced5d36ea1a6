// Pages of a peer's memory are mapped together, before the first copy, and asked for once.
#include "crossbar/crossbar.hpp"
#include "crossbar/peer_pages.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

using namespace fmpl;

constexpr std::size_t kPages = 128;
// Faults of the test's own code and data beside those that are counted.
constexpr long kOthers = 16;

std::size_t page_bytes()
{
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

long faults()
{
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_minflt;
}

// Two nodes, the memory of the second held, and mapped a second time as another process would: no page is mapped there yet.
class PeerPagesTest : public ::testing::Test {
protected:
    PeerPagesTest()
    {
        JobSpec spec;
        spec.ranks = 2;
        spec.arena_bytes = std::size_t{4} << 20;
        owner_ = std::make_unique<JobMemory>(JobMemory::create(spec));
        owner_->commit(owner_->arena_offset(1), kPages * page_bytes());
        elsewhere_ = std::make_shared<JobMemory>(JobMemory::attach(dup(owner_->fd())));
    }

    std::byte* page(std::size_t i) const { return elsewhere_->base() + elsewhere_->arena_offset(1) + i * page_bytes(); }
    // Faults while the pages are written to.
    long faults_of_writing(std::size_t first, std::size_t pages) const
    {
        const long before = faults();
        for (std::size_t i = first; i < first + pages; ++i) *const_cast<volatile std::byte*>(page(i)) = std::byte{1};
        return faults() - before;
    }

    std::unique_ptr<JobMemory> owner_;
    std::shared_ptr<JobMemory> elsewhere_;
};

TEST_F(PeerPagesTest, EachPageThatNobodyAskedForCostsAFault)
{
    EXPECT_GE(faults_of_writing(0, kPages), static_cast<long>(kPages));
}

TEST_F(PeerPagesTest, PagesThatWereAskedForCostNone)
{
    PeerPages pages(elsewhere_->base(), elsewhere_->bytes());
    pages.map(page(3) + 100, 90 * page_bytes());  // pages 3 to 93
    EXPECT_LT(faults_of_writing(3, 91), kOthers);
    EXPECT_GE(faults_of_writing(0, 3) + faults_of_writing(94, kPages - 94), static_cast<long>(kPages - 91));
}

TEST_F(PeerPagesTest, WhatHasBeenAskedForIsNotAskedForAgain)
{
    PeerPages pages(elsewhere_->base(), elsewhere_->bytes());
    pages.map(page(0), kPages * page_bytes());
    // Taken out of the page table behind its back: it believes that they are mapped.
    ASSERT_EQ(madvise(page(0), kPages * page_bytes(), MADV_DONTNEED), 0);
    pages.map(page(0), kPages * page_bytes());
    EXPECT_GE(faults_of_writing(0, kPages), static_cast<long>(kPages));
}

TEST_F(PeerPagesTest, ARangeThatIsPartlyMappedIsMappedWhole)
{
    PeerPages pages(elsewhere_->base(), elsewhere_->bytes());
    pages.map(page(60), 10 * page_bytes());
    pages.map(page(0), kPages * page_bytes());
    EXPECT_LT(faults_of_writing(0, kPages), kOthers);
}

TEST_F(PeerPagesTest, OtherMemoryIsLeftAlone)
{
    PeerPages pages(elsewhere_->base(), elsewhere_->bytes());
    std::vector<std::byte> own(64 * page_bytes());
    pages.map(own.data(), own.size());
    pages.map(elsewhere_->base() + elsewhere_->bytes() - page_bytes(), 2 * page_bytes());  // leaves the job's memory
    pages.map(elsewhere_->base() - page_bytes(), 2 * page_bytes());
    pages.map(page(0), 0);
    EXPECT_GE(faults_of_writing(0, kPages), static_cast<long>(kPages));
}

TEST_F(PeerPagesTest, TheCrossbarMapsLongPartsOfPeersAlone)
{
    const Crossbar crossbar(elsewhere_, 0), of_owner(elsewhere_, 1);
    of_owner.map_pages(page(0), kPages * page_bytes());  // its own
    for (std::size_t i = 0; i < 8; ++i) crossbar.map_pages(page(i), PeerPages::kLeastBytes - 1);
    EXPECT_GE(faults_of_writing(0, 8), 8);
    crossbar.map_pages(page(8), (kPages - 8) * page_bytes());
    EXPECT_LT(faults_of_writing(8, kPages - 8), kOthers);
}

}  // namespace
