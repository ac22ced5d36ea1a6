// SharedCopy: two sides, or one alone, copy every byte once, whatever the size; late comers find nothing.
#include "p2p/shared_copy.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using fmpl::HeadBody;
using fmpl::SharedCopy;

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

TEST(SharedCopy, OneSideAloneCopiesEverything)
{
    for (const std::size_t bytes : kTheSizes) {
        for (const bool front : {true, false}) {
            HeadBody body{bytes, 0, SharedCopy::kClosed, 0};
            if (front) body.work = SharedCopy::kOpenedInFront;
            SharedCopy copy(body, bytes);
            Copied copied(bytes);
            EXPECT_FALSE(copy.done());
            if (!front) copy.open_behind();
            EXPECT_TRUE(front ? copy.copy_from_front(copied, true) : copy.copy_from_back(copied, true)) << bytes;
            EXPECT_TRUE(copy.done());
            EXPECT_TRUE(copied.each_byte_once()) << bytes;
            // The other side comes late.
            SharedCopy late(body, bytes);
            EXPECT_FALSE(front ? late.copy_from_back(copied, false) : late.copy_from_front(copied, false));
            EXPECT_TRUE(late.done());
            EXPECT_TRUE(copied.each_byte_once()) << bytes;
        }
    }
}

TEST(SharedCopy, NothingIsTakenBeforeItIsOpen)
{
    HeadBody body{100000, 0, SharedCopy::kClosed, 0};
    SharedCopy copy(body, 100000);
    Copied copied(100000);
    EXPECT_FALSE(copy.copy_from_front(copied, false));
    EXPECT_FALSE(copy.copy_from_back(copied, false));
    EXPECT_FALSE(copy.done());
    copy.open_behind();
    EXPECT_TRUE(copy.copy_from_back(copied, true));
    EXPECT_TRUE(copied.each_byte_once());
}

TEST(SharedCopy, TwoSidesCopyEveryByteOnceAndOneOfThemIsTheLast)
{
    for (int round = 0; round < 20; ++round) {
        for (const std::size_t bytes : kTheSizes) {
            const bool front = round % 2 == 0;  // which side opens the copy
            HeadBody body{bytes, 0, front ? SharedCopy::kOpenedInFront : SharedCopy::kClosed, 0};
            Copied copied(bytes);
            std::atomic<int> lasts{0};
            std::thread back([&] {
                SharedCopy copy(body, bytes);
                if (!front) copy.open_behind();
                if (copy.copy_from_back(copied, !front)) ++lasts;
                while (!copy.done()) {
                    if (copy.copy_from_back(copied, false)) ++lasts;
                    std::this_thread::yield();
                }
                EXPECT_TRUE(copied.each_byte_once()) << bytes;
            });
            SharedCopy copy(body, bytes);
            if (copy.copy_from_front(copied, front)) ++lasts;
            while (!copy.done()) {
                if (copy.copy_from_front(copied, false)) ++lasts;
                std::this_thread::yield();
            }
            EXPECT_TRUE(copied.each_byte_once()) << bytes;
            back.join();
            EXPECT_EQ(lasts, 1);
        }
    }
}

}  // namespace
