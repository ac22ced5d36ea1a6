// Which CPUs each rank may run on when ranks are bound to cores.
#pragma once

#include <string>
#include <vector>

namespace fmpl::launcher {

// For each of `ranks` ranks the CPU numbers to bind it to, out of those that this process may use. Ranks get distinct
// physical cores while there are enough: each its equal share of them, but no more than it has threads (at least one
// core, with all its hardware threads). With more ranks than cores, hardware threads are dealt out in turn, first one
// of each core, then the second of each; with more ranks than these, each is shared by consecutive ranks. Loads the
// machine's topology (milliseconds). Throws Error(SYSTEM) when that is not possible.
std::vector<std::vector<int>> bind_to_cores(int ranks, int threads_per_rank);

// Whether ranks that share CPUs are bound best: the same number to each, and no quota that lets the job use fewer CPUs
// at a time than its affinity names.
bool divides_evenly(int ranks, int cpus);

// "0-3,8".
std::string cpu_list(const std::vector<int>& cpus);

}  // namespace fmpl::launcher
