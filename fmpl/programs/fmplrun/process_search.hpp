// Finds processes through /proc. What cannot be read is skipped; never throws for that.
#pragma once

#include <set>
#include <string>

#include <sys/types.h>

namespace fmpl::launcher {

// The processes whose parent is `parent`.
std::set<pid_t> children_of(pid_t parent);

// Was the process started with `identity` in its variable FMPL_JOB_ID? Processes of other users: false.
bool belongs_to_job(pid_t pid, const std::string& identity);

// The processes for which that is so, but for the caller.
std::set<pid_t> processes_of_job(const std::string& identity);

// True when the process is stopped (SIGSTOP, or by a debugger).
bool process_is_stopped(pid_t pid);

}  // namespace fmpl::launcher
