#include "abi/current.hpp"

#include "error.hpp"

#include <fmpl/job.h>

#include <atomic>
#include <memory>

namespace fmpl::mpi {
namespace {

// Who the calls mean. A rank that is an operating-system process has one for all its threads; a rank that is a thread of
// fmpl::run_ranks has its own.
struct Seat {
    std::unique_ptr<Process> owned;
    std::atomic<bool> joined{false};
    std::atomic<bool> left{false};
};
Seat seat_of_process;
thread_local Seat seat_of_thread;

// The fast path to the same. release and acquire: another thread of the rank sees the Process that the joining one has made.
std::atomic<Process*> process_of_all{nullptr};
constinit thread_local Process* process_of_thread [[gnu::tls_model("initial-exec")]] = nullptr;

Seat& seat()
{
    return fmpl_rank_is_thread() != 0 ? seat_of_thread : seat_of_process;
}

}  // namespace

Process* find_process()
{
    if (Process* const process = process_of_thread) return process;
    return process_of_all.load(std::memory_order_acquire);  // pairs with join_process
}

Process& join_process(int thread_level)
{
    Seat& s = seat();
    if (s.joined) {
        fail(MPI_ERR_OTHER, "called {}; a process calls MPI_Init or MPI_Init_thread once",
            s.left ? "after MPI_Finalize" : "a second time");
    }
    s.owned = std::make_unique<Process>(thread_level);
    s.joined = true;
    if (&s == &seat_of_thread) {
        process_of_thread = s.owned.get();
    } else {
        process_of_all.store(s.owned.get(), std::memory_order_release);  // pairs with find_process
    }
    return *s.owned;
}

void leave_process()
{
    Seat& s = seat();
    s.owned->leave();
    s.left = true;
    process_of_thread = nullptr;
    process_of_all.store(nullptr, std::memory_order_release);  // pairs with find_process
    s.owned.reset();
}

bool has_joined()
{
    return seat().joined;
}

bool has_left()
{
    return seat().left;
}

}  // namespace fmpl::mpi
