// This process as a rank of an FMPL job. See transport.hpp.
#pragma once

#include <fmpl.h>
#include <fmpl/layer_slots.h>

#include <cstddef>

namespace fmpl::blacs {

class Job {
public:
    // Starts FMPL if the program has not (blocks until all ranks do), by MPI where the process has FMPL's, and makes
    // every send locally blocking. took_over: the BLACS started it earlier and left it to this object. Throws Error.
    explicit Job(bool took_over);
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // Nothing of FMPL is held here.
    void leave(bool /*ends_library*/) {}

    // FMPL was started by the BLACS, so that Cblacs_exit(0) ends it; so that ends MPI, whoever started it.
    bool owns_library() const { return owns_library_; }

    // Whether FMPL stays up after Cblacs_exit(1). Not beside an MPI that is not FMPL's: it is that which the program
    // goes on with, and ends.
    bool outlives_blacs() const { return !beside_other_mpi_; }

    // Whether FMPL wants to know of each routine: see observed_call.hpp.
    bool is_observed() const { return *observed_ != 0; }

    int number() const { return number_; }
    int count() const { return count_; }

    // Where FMPL looks for the name of the BLACS routine that the rank is in.
    const char** call_place() const { return call_place_; }

    // Nothing of a message is left here between two calls: FMPL's send buffer has it.
    void free_buffers() {}

private:
    bool owns_library_ = false;
    bool beside_other_mpi_ = false;
    int number_ = 0;
    int count_ = 0;
    const int* observed_ = nullptr;
    const char** call_place_ = nullptr;
};

// For its lifetime, the rank is in a routine of that name, should somebody ask fmplrun. May outlive the job.
class CallName {
public:
    CallName(const Job& job, const char* routine) : place_(job.call_place()), before_(*place_) { *place_ = routine; }
    ~CallName() { *place_ = before_; }
    CallName(const CallName&) = delete;
    CallName& operator=(const CallName&) = delete;

private:
    const char** place_;
    const char* before_;
};

// What is kept of the calling rank between its calls, and its state alone, by one load.
inline fmpl_slot& rank_slot()
{
    return *fmpl_layer_slot(FMPL_LAYER_BLACS);
}
inline void* rank_state()
{
    return fmpl_layer_state(FMPL_LAYER_BLACS);
}

bool library_is_up();
// By MPI where that is up. Messages that nobody received are no failure of the program that leaves: FMPL lists them
// on standard error.
void finalize_library();

// The caller's rank, before and after the job too.
int job_rank();
[[noreturn]] void end_job(int status, const char* reason);

double wall_seconds();

// Remote-DMA memory. Null when there is too little; then no_memory_reason says why.
void* allocate_memory(std::size_t bytes);
void release_memory(void* memory);
const char* no_memory_reason();

}  // namespace fmpl::blacs
