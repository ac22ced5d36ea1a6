// What this host lets the calling process use.
#pragma once

#include <cstddef>
#include <vector>

namespace fmpl {

// Bytes that can still be allocated: the least of the system's available memory and what the memory cgroups above this
// process leave.
std::size_t available_memory_bytes();

std::size_t physical_memory_bytes();

// CPUs that this process may use at the same time: its affinity mask, cut by the CPU quotas of the cgroups above it
// (rounded up, at least 1).
int available_cpus();

// The CPU numbers of the affinity mask of this process, ascending.
std::vector<int> affinity_cpus();

}  // namespace fmpl
