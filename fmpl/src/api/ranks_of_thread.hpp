// Ranks that take turns on one thread of the system. Each has a stack of its own; when it waits in FMPL, the next one
// runs (user-level threads; Boost.Context switches between them). A turn costs 0.2 us with all that a wait does, a
// change of processes 2 to 8, and the caches of translations stay as they are.
//
// The ranks run round and round, in their order. One that sleeps (Waiter::sleep) is left out until its doorbell has
// rung; when all do, the thread sleeps on all of their doorbells. Between two turns this holds apart what belongs to
// the thread in C and C++ and has to follow the rank: the binding of FMPL's calls, and the exceptions that are under
// way.
//
// A rank that waits for something else than FMPL, by a lock or a system call, keeps all ranks of its thread waiting.
#pragma once

#include <functional>
#include <memory>
#include <span>

namespace fmpl {

class SharedThread;

// The stacks of a job's ranks, on all of its threads. They stay until none of the threads runs any more: when a job
// ends early, a rank may still copy from or to what another one had there.
class RankStacks {
public:
    RankStacks();
    ~RankStacks();
    RankStacks(const RankStacks&) = delete;
    RankStacks& operator=(const RankStacks&) = delete;

private:
    friend class RanksOfThread;
    friend void run_ranks_of_thread(std::span<const int>, const std::function<void(int, SharedThread&)>&, RankStacks&);
    struct All;
    std::unique_ptr<All> all_;
};

// Runs rank_main(rank, thread) for each of the ranks on the calling thread, and returns when all have returned; it
// must not throw. `thread` is for the rank's JobSeat. Throws Error(MEMORY) when there is no memory for the stacks:
// then none has run.
void run_ranks_of_thread(
    std::span<const int> ranks, const std::function<void(int rank, SharedThread& thread)>& rank_main);

}  // namespace fmpl
