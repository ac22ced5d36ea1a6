// Memory of messages that come before their receives: kept, of each length, but not without end.
#include "p2p/body_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

namespace {

using fmpl::mpi::BodyPool;

constexpr std::size_t kBytes = 16 * 1024;

// Takes bodies for so much memory at once, and gives them back.
void burst(BodyPool& pool, std::size_t bytes, std::size_t total)
{
    std::vector<BodyPool::Body> bodies;
    for (std::size_t taken = 0; taken < total; taken += bytes) {
        bodies.push_back(pool.take(bytes));
        std::memset(bodies.back().get(), 1, bytes);
    }
    for (BodyPool::Body& body : bodies) pool.give_back(std::move(body), bytes);
}

TEST(BodyPool, GivesWhatHasComeBack)
{
    BodyPool pool;
    BodyPool::Body body = pool.take(kBytes - 1);
    const std::byte* const memory = body.get();
    pool.give_back(std::move(body), kBytes - 1);
    EXPECT_EQ(pool.kept_bytes(), kBytes);
    body = pool.take(kBytes - 4095);  // of the same pages
    EXPECT_EQ(body.get(), memory);
    EXPECT_EQ(pool.kept_bytes(), 0u);
    EXPECT_NE(pool.take(kBytes).get(), memory);
}

TEST(BodyPool, KeepsNeitherShortNorLongOnes)
{
    BodyPool pool;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, BodyPool::kShortest - 1, BodyPool::kLongest + 1}) {
        burst(pool, bytes, bytes);
        EXPECT_EQ(pool.kept_bytes(), 0u) << bytes;
    }
    burst(pool, BodyPool::kShortest, BodyPool::kShortest);
    EXPECT_EQ(pool.kept_bytes(), 4096u);
    burst(pool, BodyPool::kLongest, BodyPool::kLongest);
    EXPECT_EQ(pool.kept_bytes(), 4096u + BodyPool::kLongest);
}

// Lengths that come no more give way.
TEST(BodyPool, KeepsALimitedNumberOfTheLengthInUse)
{
    BodyPool pool;
    for (const std::size_t bytes : {kBytes, 3 * kBytes, kBytes / 4, BodyPool::kLongest, kBytes}) {
        burst(pool, bytes, 2 * BodyPool::kMostKept);
        EXPECT_LE(pool.kept_bytes(), BodyPool::kMostKept);
        const std::size_t before = pool.kept_bytes();
        std::vector<BodyPool::Body> bodies;
        while ((bodies.size() + 1) * bytes <= BodyPool::kMostKept) bodies.push_back(pool.take(bytes));
        EXPECT_EQ(pool.kept_bytes(), before - bodies.size() * bytes) << bytes;
        for (BodyPool::Body& body : bodies) pool.give_back(std::move(body), bytes);
    }
}

}  // namespace
