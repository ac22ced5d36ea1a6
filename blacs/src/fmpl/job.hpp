// This process as a rank of an FMPL job. See transport.hpp.
#pragma once

#include <fmpl/layers.h>

#include <cstddef>

namespace fmpl::blacs {

class Job {
public:
    // Calls fmpl_init if the program has not (blocks until all ranks do), and makes every send locally blocking.
    // took_over: the BLACS initialized FMPL earlier and left it to this object. Throws Error.
    explicit Job(bool took_over);
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // Gives back what the object holds. ends_library: finalize_library follows.
    void leave(bool ends_library);

    // FMPL was initialized by the BLACS, so that Cblacs_exit(0) finalizes it.
    bool owns_library() const { return owns_fmpl_; }

    // True when the calling thread is of the rank that this object belongs to.
    bool is_callers() const;

    // Whether FMPL wants to know of each routine: see observed_call.hpp.
    bool is_observed() const { return *observed_ != 0; }

    int number() const { return number_; }
    int count() const { return count_; }

    // Where FMPL looks for the name of the BLACS routine that the rank is in.
    const char** call_place() const { return call_place_; }

    // Nothing of a message is left here between two calls: FMPL's send buffer has it.
    void free_buffers() {}

private:
    bool owns_fmpl_ = false;
    int number_ = 0;
    int count_ = 0;
    const int* observed_ = nullptr;
    void* token_ = nullptr;  // remote-DMA memory of this rank, by which is_callers knows it
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

bool library_is_up();
// Messages that nobody received are no failure of the program that leaves: FMPL lists them on standard error.
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
