// What this host lets the calling process use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fmpl {

// Bytes that can still be allocated: the least of the system's available memory and what the memory cgroups above this
// process leave.
std::size_t available_memory_bytes();

std::size_t physical_memory_bytes();

std::size_t page_bytes();

// CPUs that this process may use at the same time: its affinity mask, cut by the CPU quotas of the cgroups above it
// (rounded up, at least 1).
int available_cpus();

// The number of the PID namespace that this process lives in, in which its process number counts; 0 where /proc does
// not tell.
std::uint64_t pid_namespace();

// The CPU numbers of a thread's affinity mask, ascending; 0: the calling one's. Empty where that cannot be told.
std::vector<int> affinity_cpus(int thread = 0);
// The only CPU that it may run on; -1: there are several, or that cannot be told.
int only_cpu(int thread = 0);
// Lets it run on these alone; whether the system has done so, which it has not where none of them is there.
bool bind_thread(int thread, std::span<const int> cpus);

}  // namespace fmpl
