// SharedCopy: two sides, or one alone, copy every byte once, whatever the size; late comers find nothing.
#include "p2p/shared_copy.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using fmpl::HeadBody;
using fmpl::SharedCopy;
using End = SharedCopy::End;

constexpr std::size_t kTheSizes[] = {
    1, 63, 64, 4096, 16383, 16384, 16385, 32768, 65535, 65536, 65537, 99991, 262143, 1048576, 1048577, 4194304 + 7};

struct Copied {
    explicit Copied(std::size_t bytes) : times(bytes) {}
    void operator()(std::size_t begin, std::size_t bytes)
    {
        for (std::size_t i = begin; i < begin + bytes; ++i) ++times[i];
    }
    bool each_byte_once() const
    {
        for (const unsigned char t : times) {
            if (t != 1) return false;
        }
        return true;
    }
    std::vector<unsigned char> times;  // plain: ThreadSanitizer would report two writers of a byte
};

End other(End end)
{
    return end == End::front ? End::back : End::front;
}

TEST(SharedCopy, OneSideAloneCopiesEverything)
{
    for (const std::size_t bytes : kTheSizes) {
        for (const End end : {End::front, End::back}) {
            HeadBody body{bytes, 0, SharedCopy::kClosed, 0};
            SharedCopy copy(body, bytes, end);
            Copied copied(bytes);
            EXPECT_FALSE(copy.done());
            copy.open();
            EXPECT_TRUE(copy.copy(copied, true)) << bytes;
            EXPECT_TRUE(copy.done());
            EXPECT_TRUE(copied.each_byte_once()) << bytes;
            // The other side comes late.
            SharedCopy late(body, bytes, other(end));
            EXPECT_FALSE(late.copy(copied, false));
            EXPECT_TRUE(late.done());
            EXPECT_TRUE(copied.each_byte_once()) << bytes;
        }
    }
}

TEST(SharedCopy, TheRestIsOnePiece)
{
    for (const std::size_t bytes : kTheSizes) {
        for (const End end : {End::front, End::back}) {
            HeadBody body{bytes, 0, SharedCopy::kClosed, 0};
            Copied copied(bytes);
            int pieces = 0;
            const auto counted = [&](std::size_t begin, std::size_t n) {
                copied(begin, n);
                ++pieces;
            };
            SharedCopy copy(body, bytes, end), others(body, bytes, other(end));
            EXPECT_FALSE(copy.copy_rest(counted)) << "closed";
            copy.open_for_any();
            const std::uint64_t one = SharedCopy::opened_at(other(end));
            if (bytes > 65536) body.work = one;  // the other side has taken its first chunk, and copies it later
            EXPECT_EQ(copy.copy_rest(counted), bytes <= 65536);
            EXPECT_EQ(pieces, 1);
            EXPECT_FALSE(copy.copy_rest(counted));
            EXPECT_EQ(others.copy(counted, bytes > 65536), bytes > 65536);
            EXPECT_TRUE(copy.done());
            EXPECT_TRUE(copied.each_byte_once()) << bytes;
        }
    }
}

TEST(SharedCopy, NothingIsTakenBeforeItIsOpen)
{
    HeadBody body{100000, 0, SharedCopy::kClosed, 0};
    SharedCopy copy(body, 100000, End::back);
    Copied copied(100000);
    EXPECT_FALSE(SharedCopy(body, 100000, End::front).copy(copied, false));
    EXPECT_FALSE(copy.copy(copied, false));
    EXPECT_FALSE(copy.copy_rest(copied));
    EXPECT_FALSE(copy.done());
    copy.open();
    EXPECT_TRUE(copy.copy(copied, true));
    EXPECT_TRUE(copied.each_byte_once());
}

TEST(SharedCopy, TheOtherSidesFirstChunkIsKeptForIt)
{
    for (const End end : {End::front, End::back}) {
        HeadBody body{8192, 0, SharedCopy::kClosed, 0};
        SharedCopy copy(body, 8192, end, 4096);
        Copied copied(8192);
        copy.open_for_both();
        EXPECT_FALSE(copy.copy(copied, true));
        EXPECT_FALSE(copy.done());
        const std::size_t own = end == End::front ? 0 : 4096;
        EXPECT_EQ(copied.times[own], 1);
        EXPECT_EQ(copied.times[4096 - own], 0);
        SharedCopy late(body, 8192, other(end), 4096);
        EXPECT_TRUE(late.copy(copied, late.has_kept_chunk()));
        EXPECT_TRUE(copied.each_byte_once());
    }
}

// A copy of one chunk is its opener's.
TEST(SharedCopy, NothingIsKeptOfOneChunk)
{
    HeadBody body{4096, 0, SharedCopy::kClosed, 0};
    SharedCopy copy(body, 4096, End::back, 4096);
    Copied copied(4096);
    copy.open_for_both();
    EXPECT_FALSE(copy.has_kept_chunk());
    EXPECT_TRUE(copy.copy(copied, true));
    EXPECT_TRUE(copied.each_byte_once());
}

TEST(SharedCopy, TwoSidesCopyEveryByteOnceAndOneOfThemIsTheLast)
{
    for (int round = 0; round < 20; ++round) {
        for (const std::size_t bytes : kTheSizes) {
            const End opener = round % 2 == 0 ? End::front : End::back;
            const bool for_both = round % 4 >= 2;
            const bool takes_rest = round % 3 == 0;  // the one that does not open it
            HeadBody body{bytes, 0, SharedCopy::kClosed, 0};
            Copied copied(bytes);
            std::atomic<int> lasts{0};
            std::atomic_ref<std::uint64_t> work(body.work);
            const auto take_part = [&](End end) {
                SharedCopy copy(body, bytes, end);
                if (end == opener) {
                    for_both ? copy.open_for_both() : copy.open();
                } else {
                    while (work.load(std::memory_order_acquire) == SharedCopy::kClosed) std::this_thread::yield();
                }
                if (takes_rest && end != opener && copy.copy_rest(copied)) ++lasts;
                if (copy.copy(copied, end == opener || (for_both && copy.has_kept_chunk()))) ++lasts;
                while (!copy.done()) {
                    if (copy.copy(copied, false)) ++lasts;
                    std::this_thread::yield();
                }
                EXPECT_TRUE(copied.each_byte_once()) << bytes;
            };
            std::thread back(take_part, End::back);
            take_part(End::front);
            back.join();
            EXPECT_EQ(lasts, 1);
        }
    }
}

}  // namespace
