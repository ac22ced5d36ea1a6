// This process as one of an MPI job. A process is one rank. See transport.hpp.
#pragma once

#include "operation_table.hpp"
#include "send_buffers.hpp"

#include <atomic>
#include <cstddef>

namespace fmpl::blacs {

class Job {
public:
    // Calls MPI_Init if the program has not (blocks until all processes do). took_over: the BLACS initialized MPI
    // earlier and left it to this object. Throws Error, after MPI_Finalize too: MPI starts once.
    explicit Job(bool took_over);
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // Gives back what the object holds. ends_library: finalize_library follows; blocks until all processes leave, and
    // reports messages that nobody received on standard error. Else blocks until every message sent has been received.
    void leave(bool ends_library);

    // MPI was initialized by the BLACS, so that Cblacs_exit(0) finalizes it.
    bool owns_library() const { return owns_mpi_; }

    bool outlives_blacs() const { return true; }

    int number() const { return number_; }
    int count() const { return count_; }

    void free_buffers() { sends_.release_finished(); }

    SendBuffers& sends() { return sends_; }
    OperationTable& operations() { return operations_; }

private:
    bool owns_mpi_ = false;
    int number_ = 0;
    int count_ = 0;
    SendBuffers sends_;
    OperationTable operations_;
};

// An MPI does not ask which routine of the BLACS calls it.
struct CallName {
    CallName(const Job&, const char*) {}
};

// What is kept of the calling rank between its calls, as FMPL keeps it of its own ranks (fmpl/layer_slots.h). A rank
// is a process here, whose end destroys nothing.
struct RankSlot {
    void* state = nullptr;
    void (*destroy)(void*) = nullptr;
    int mark = 0;
};
inline constinit RankSlot slot_of_process;
inline RankSlot& rank_slot()
{
    return slot_of_process;
}
inline void* rank_state()
{
    return std::atomic_ref(slot_of_process.state).load(std::memory_order_acquire);  // pairs with join_process
}

bool library_is_up();
void finalize_library();

// The caller's rank; 0 before MPI_Init and after MPI_Finalize.
int job_rank();
// Prints the reason and calls MPI_Abort.
[[noreturn]] void end_job(int status, const char* reason);

double wall_seconds();

// MPI_Alloc_mem. Null when there is too little; then no_memory_reason says why.
void* allocate_memory(std::size_t bytes);
void release_memory(void* memory);
const char* no_memory_reason();

}  // namespace fmpl::blacs
