// Finds processes through /proc. What cannot be read is skipped; never throws for that.
#pragma once

#include "job_mark.hpp"

#include <set>
#include <string>

#include <sys/types.h>

namespace fmpl::launcher {

// False where /proc is not mounted, or is that of other processes (of another namespace): the searches below are no
// use then.
bool processes_can_be_found();

// The processes whose parent is `parent`.
std::set<pid_t> children_of(pid_t parent);

// How the processes of a job are known: by what FMPL_JOB_ID was when they were started, or by the mark that they
// cannot shed.
struct JobIdentity {
    std::string id;  // the part of FMPL_JOB_ID that only processes of this job have
    JobMark mark;
};
bool belongs_to_job(pid_t pid, const JobIdentity& identity);

// The processes for which that is so, but for the caller.
std::set<pid_t> processes_of_job(const JobIdentity& identity);

// True when the process is stopped (SIGSTOP, or by a debugger).
bool process_is_stopped(pid_t pid);

// True when it has ended and only its parent, or who traces it, has not looked yet.
bool process_has_ended(pid_t pid);

std::string name_of_process(pid_t pid);  // "?" when that cannot be read

}  // namespace fmpl::launcher
