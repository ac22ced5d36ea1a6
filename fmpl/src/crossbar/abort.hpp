// The end of a job before its time.
#pragma once

#include "crossbar/control_block.hpp"

#include <string>

namespace fmpl {

// Wakes every rank that sleeps, to look at the state of the job.
void ring_all(ControlBlock& control);

// Ends the job: records who and why (the first to call wins) and wakes every rank, whose waits then throw
// Error(ABORTED).
void abort_job(ControlBlock& control, int rank, int code, const std::string& reason);

// Throws Error(ABORTED) if the job is ending.
void check_abort(const ControlBlock& control);

}  // namespace fmpl
