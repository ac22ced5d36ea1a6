// A rank's place in a job: the job's memory and the rank's number in it, before the rank has joined.
#pragma once

#include "crossbar/job_memory.hpp"

#include <memory>
#include <string>

namespace fmpl {

class SharedThread;

struct JobSeat {
    std::shared_ptr<JobMemory> memory;
    int rank = 0;
    bool is_thread = false;                 // other ranks live in this process
    SharedThread* shared_thread = nullptr;  // other ranks live on this thread; outlives the seat
};

// The seat that fmplrun gave to this process (FMPL_JOB_FD, FMPL_RANK), or, without it, the only seat of a job of its
// own. Throws Error(SYSTEM, ARGUMENT).
JobSeat seat_from_environment();

// The threads on which this process is to run all ranks of its job, as fmplrun has decided (FMPL_PROCESS_THREADS); 0:
// it is one rank. And the memory of such a job. Both throw Error(SYSTEM, ARGUMENT).
int threads_from_environment();
std::shared_ptr<JobMemory> whole_job_from_environment();

// What the environment says before a seat is taken: ranks and own rank, 1 and 0 without fmplrun.
int size_from_environment();
int rank_from_environment();

}  // namespace fmpl
