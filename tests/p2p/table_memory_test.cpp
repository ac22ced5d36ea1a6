// Memory for records of pairs of ranks: what is never touched takes none, and what is given back is zero again.
#include "p2p/table_memory.hpp"

#include "crossbar/host.hpp"
#include "error.hpp"
#include "p2p/small_job.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

namespace {

using namespace fmpl;
using namespace fmpl_test;

class TableMemoryTest : public ::testing::Test {
protected:
    std::byte* at(Offset offset) const { return job_->base() + offset; }
    std::size_t touched(Offset offset, std::size_t bytes) const { return touched_bytes(tables_, offset, bytes); }

    const std::size_t page_ = page_bytes();
    std::shared_ptr<JobMemory> job_ = make_job(2, std::size_t{2} << 20);
    TableMemory tables_{*job_, 0};
};

TEST_F(TableMemoryTest, OnlyWhatIsWrittenIsThere)
{
    const Offset block = tables_.take(20 * page_);
    EXPECT_EQ(touched(block, 20 * page_), 0u);
    *at(block + 5 * page_ + 100) = std::byte{1};
    *at(block + 9 * page_) = std::byte{1};
    EXPECT_EQ(touched(block, 20 * page_), 2 * page_);
    EXPECT_TRUE(tables_.is_touched(block + 5 * page_, 1));
    EXPECT_FALSE(tables_.is_touched(block + 6 * page_, 3 * page_));
}

TEST_F(TableMemoryTest, WhatIsTakenIsZeroAlsoAfterItHasBeenUsed)
{
    const Offset before = tables_.take(3 * page_ + 1);
    std::memset(at(before), 0xff, 4 * page_);
    tables_.give_back(before);
    EXPECT_EQ(touched(before, 4 * page_), 0u);
    const Offset again = tables_.take(4 * page_);
    EXPECT_EQ(again, before);
    for (std::size_t i = 0; i < 4 * page_; ++i) ASSERT_EQ(*at(again + i), std::byte{0}) << "byte " << i;
}

TEST_F(TableMemoryTest, BackingTouchesThePagesOfThePartAndNoOthers)
{
    const Offset block = tables_.take(10 * page_);
    tables_.back(block + page_ + 8, page_);
    EXPECT_EQ(touched(block, 10 * page_), 2 * page_);
    EXPECT_FALSE(tables_.is_touched(block, page_));
}

TEST_F(TableMemoryTest, MoreThanTheAddressSpaceIsAnErrorInWords)
{
    try {
        tables_.take(std::size_t{1} << 40);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), FMPL_ERR_MEMORY);
        EXPECT_NE(std::string(error.what()).find("FMPL_ARENA_SIZE"), std::string::npos) << error.what();
    }
    EXPECT_NE(tables_.take(page_), kNoOffset);
    tables_.give_back(kNoOffset);
}

}  // namespace
