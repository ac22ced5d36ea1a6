// The start of one rank: a child process in a process group of its own, which dies with the launcher.
#pragma once

#include "job_mark.hpp"

#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

namespace fmpl::launcher {

struct RankStart {
    std::vector<std::string> program;      // name and arguments; the name is looked up in PATH
    std::vector<std::string> environment;  // NAME=VALUE
    int standard[3] = {0, 1, 2};           // what becomes its standard input, output and error
    int job_fd = -1;                       // stays open in it, under the same number
    std::vector<int> cpus;                 // it may run on these; empty: as the launcher
    bool keep_hangup_ignored = false;      // started under nohup
    rlimit open_files{};                   // the limit that the user has set
    JobMark mark;                          // it carries this
};

// How far a start came, and why not further.
struct StartFailure {
    enum class Step : int { none, fork, prepare, execute } step = Step::none;
    int error = 0;  // errno
};

// Starts the process and returns its pid once the program runs in it; on a failure -1, and `failure` says why. Blocks
// only on the kernel. The launcher must be single-threaded.
pid_t start_rank(const RankStart& start, StartFailure& failure);

}  // namespace fmpl::launcher
