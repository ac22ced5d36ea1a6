// TimeSlice: a thread's slice is as it was when the object ends, and nothing else of its scheduling changes.
#include "crossbar/time_slice.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <thread>

namespace {

using fmpl::TimeSlice;

std::uint64_t slice_now()
{
    return TimeSlice().usual_ns();
}

TEST(TimeSlice, IsSetAndRestored)
{
    const std::uint64_t before = slice_now();
    if (before == 0) GTEST_SKIP() << "this kernel lets nobody choose a slice";
    ASSERT_EQ(setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1), 0);
    const int nice = getpriority(PRIO_PROCESS, 0);
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
    EXPECT_EQ(getpriority(PRIO_PROCESS, 0), nice);
}

TEST(TimeSlice, OfAThreadIsRestoredByAnother)
{
    const std::uint64_t before = slice_now();
    if (before == 0) GTEST_SKIP() << "this kernel lets nobody choose a slice";
    TimeSlice slice;
    ASSERT_EQ(slice.usual_ns(), before);
    slice.set(before * 2);
    std::thread([&] {
        EXPECT_EQ(slice_now(), before * 2);  // inherited
        slice.restore();
    }).join();
    EXPECT_EQ(slice_now(), before);
}

TEST(TimeSlice, WhatTheKernelRefusesIsNotTriedAgain)
{
    TimeSlice slice;
    if (slice.usual_ns() == 0) GTEST_SKIP() << "this kernel lets nobody choose a slice";
    sched_param none{};
    ASSERT_EQ(sched_setscheduler(0, SCHED_BATCH, &none), 0);
    slice.set(1'000'000);
    EXPECT_FALSE(slice.is_set());
    EXPECT_EQ(slice.usual_ns(), 0u);
    EXPECT_EQ(slice_now(), 0u);  // not of the fair scheduler's usual kind
    ASSERT_EQ(sched_setscheduler(0, SCHED_OTHER, &none), 0);
}

}  // namespace
