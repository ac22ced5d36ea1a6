// Which ranks of a job share a thread, where a process carries several, and on which CPUs the threads run.
#pragma once

#include <vector>

namespace fmpl {

// Successive ones, as many on each thread as on every other one, or one more. 1 <= threads <= ranks.
std::vector<int> ranks_of_thread(int thread, int threads, int ranks);

// The CPU that each thread is bound to: evenly, over those that this process may use. Empty where they are not bound:
// the threads are no multiple of the CPUs, or a quota lets the process use fewer CPUs at a time than it may run on.
std::vector<int> cpus_of_threads(int threads);

}  // namespace fmpl
