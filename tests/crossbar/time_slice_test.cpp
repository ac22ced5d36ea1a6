// TimeSlice: a thread's slice is as it was when the object ends, and nothing else of its scheduling changes.
#include "crossbar/time_slice.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/resource.h>

#include <thread>

namespace {

using fmpl::TimeSlice;

std::uint64_t slice_now()
{
    return TimeSlice().usual_ns();
}

constexpr const char* kNoSlices = "this kernel lets nobody choose a slice";

TEST(TimeSlice, IsSetAndRestored)
{
    const std::uint64_t before = slice_now();
    if (before == 0) GTEST_SKIP() << kNoSlices;
    // A thread of its own has its own nice value.
    std::thread([before] {
        setpriority(PRIO_PROCESS, 0, 5);
        {
            TimeSlice slice;
            EXPECT_FALSE(slice.is_set());
            EXPECT_EQ(slice.usual_ns(), before);
            slice.set(before * 3 / 2);
            EXPECT_TRUE(slice.is_set());
            EXPECT_EQ(slice_now(), before * 3 / 2);
            EXPECT_EQ(slice.usual_ns(), before);
            slice.restore();
            EXPECT_FALSE(slice.is_set());
            EXPECT_EQ(slice_now(), before);
            slice.set(before * 2);
        }
        EXPECT_EQ(slice_now(), before);
        EXPECT_GE(getpriority(PRIO_PROCESS, 0), 5);
    }).join();
}

TEST(TimeSlice, OfAThreadIsRestoredByAnother)
{
    const std::uint64_t before = slice_now();
    if (before == 0) GTEST_SKIP() << kNoSlices;
    TimeSlice slice;
    slice.set(before * 2);
    EXPECT_EQ(slice_now(), before * 2);
    std::thread([&] { slice.restore(); }).join();
    EXPECT_EQ(slice_now(), before);
}

TEST(TimeSlice, AnotherThanTheSystemsIsKept)
{
    const std::uint64_t before = slice_now();
    if (before == 0) GTEST_SKIP() << kNoSlices;
    TimeSlice of_the_user;
    of_the_user.set(before * 3);
    TimeSlice slice;
    slice.set(before * 2);
    slice.restore();
    EXPECT_EQ(slice_now(), before * 3);
}

TEST(TimeSlice, IsOfTheUsualPolicyOnly)
{
    TimeSlice slice;
    const std::uint64_t before = slice.usual_ns();
    if (before == 0) GTEST_SKIP() << kNoSlices;
    const sched_param none{};
    slice.set(before * 2);
    ASSERT_EQ(sched_setscheduler(0, SCHED_BATCH, &none), 0);
    EXPECT_EQ(slice_now(), 0u);
    slice.restore();
    ASSERT_EQ(sched_setscheduler(0, SCHED_OTHER, &none), 0);
    EXPECT_EQ(slice_now(), before);
}

}  // namespace
