// Copies to a reader that may be far away: which way they take by the rates of those before, and that all bytes arrive.
#include "crossbar/copies_to_reader.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace {

using namespace fmpl;
using Next = ReaderDistance::Next;

constexpr std::size_t kBytes = 8192;
constexpr std::uint64_t kSlowTicks = kBytes;  // a byte a tick
constexpr std::uint64_t kFastTicks = kBytes / 8;

// The next copies up to one that is timed, which takes so long; how many came before it.
int time_one(ReaderDistance& distance, std::uint64_t ticks)
{
    int before = 0;
    while (distance.next() != Next::timed) ++before;
    distance.was_copied(kBytes, ticks);
    return before;
}

TEST(ReaderDistance, OfNearReadersFewCopiesAreTimed)
{
    ReaderDistance distance;
    for (int i = 0; i < 100; ++i) EXPECT_EQ(time_one(distance, kFastTicks), ReaderDistance::kOneOf - 1);
    EXPECT_FALSE(distance.is_far());
}

TEST(ReaderDistance, SlowCopiesOneAfterTheOtherTellThatItIsFar)
{
    ReaderDistance distance;
    time_one(distance, kSlowTicks);
    for (int i = 1; i < ReaderDistance::kFar; ++i) {
        EXPECT_FALSE(distance.is_far());
        EXPECT_EQ(time_one(distance, kSlowTicks), 0) << "after a slow one each is timed";
    }
    EXPECT_TRUE(distance.is_far());
    EXPECT_EQ(distance.next(), Next::past_caches);
}

TEST(ReaderDistance, SlowCopiesAmongFastOnesTellNothing)
{
    ReaderDistance distance;
    for (int i = 0; i < 100; ++i) {
        time_one(distance, kSlowTicks);
        time_one(distance, kFastTicks);
    }
    EXPECT_FALSE(distance.is_far());
}

TEST(ReaderDistance, OneThatHasComeNearIsFound)
{
    ReaderDistance distance;
    for (int i = 0; i < ReaderDistance::kFar; ++i) time_one(distance, kSlowTicks);
    for (int i = 0; i < 10; ++i) {
        EXPECT_LT(time_one(distance, kSlowTicks), ReaderDistance::kProbed);
        EXPECT_TRUE(distance.is_far());
    }
    int probes = 0;
    for (; distance.is_far(); ++probes) EXPECT_EQ(time_one(distance, kFastTicks), ReaderDistance::kProbed - 1);
    EXPECT_EQ(probes, ReaderDistance::kFar / ReaderDistance::kWeightOfFast);
    EXPECT_NE(distance.next(), Next::past_caches);
}

// All lengths around a few lines, at all places in a line: what is copied, and that nothing beside it is written.
TEST(CopyPastCaches, CopiesAllBytesAndNoOthers)
{
    constexpr std::size_t kRoom = 512;
    std::vector<std::byte> from(kRoom);
    for (std::size_t i = 0; i < kRoom; ++i) from[i] = static_cast<std::byte>(i * 7 + 1);
    for (std::size_t bytes = 0; bytes <= 200; ++bytes) {
        for (std::size_t at = 0; at < kLine; at += 5) {
            std::vector<std::byte> to(kRoom, std::byte{0xee});
            copy_past_caches(to.data() + at, from.data() + bytes % 17, bytes);
            for (std::size_t i = 0; i < kRoom; ++i) {
                const bool copied = i >= at && i < at + bytes;
                ASSERT_EQ(to[i], copied ? from[i - at + bytes % 17] : std::byte{0xee}) << bytes << " bytes at " << at;
            }
        }
    }
}

TEST(CopiesToReader, CopiesAtAnyDistance)
{
    CopiesToReader copies;
    std::vector<std::byte> from(64 * 1024);
    std::vector<std::byte> to(from.size());
    for (int turn = 0; turn < 1000; ++turn) {
        const std::size_t bytes = static_cast<std::size_t>(turn) * 997 % from.size();
        for (std::size_t i = 0; i < bytes; i += 61) from[i] = static_cast<std::byte>(turn + static_cast<int>(i));
        copies.copy(to.data(), from.data(), bytes);
        for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(to[i], from[i]) << "turn " << turn;
    }
}

}  // namespace
