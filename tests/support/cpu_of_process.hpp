// On which CPU a rank's process is, and how often it has changed.
#pragma once

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/resource.h>

#include <array>
#include <cstdint>

namespace fmpl_test {

// Under a sanitizer what a rank does while it runs takes long beside a slice, and beside the time for which one keeps
// its CPU.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

// Of the calling thread so far: how often its CPU went on with another one.
inline std::int64_t changes_of_process()
{
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return static_cast<std::int64_t>(used.ru_nvcsw + used.ru_nivcsw);
}

// The CPU that this process may run on, -1: there are several.
inline int only_cpu()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    return CPU_COUNT(&set) == 1 ? sched_getcpu() : -1;
}

// Whether fmplrun has bound four ranks two by two. home: only_cpu() of this rank as it began; homes: of all.
template <class Number>
bool four_share_two_cpus(int home, const std::array<Number, 4>& homes)
{
    return home >= 0 && homes[0] == homes[1] && homes[2] == homes[3] && homes[0] != homes[2];
}

}  // namespace fmpl_test
