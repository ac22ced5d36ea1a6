// A process beside the launcher that ends the job when the launcher is killed.
//
// It holds the reading end of a pipe whose only writing end is the launcher's. Through it, it learns the process groups
// of the ranks. When the pipe ends without farewell, the launcher is dead: the guardian kills all these groups, and all
// processes that carry the job's identity, and ends.
#pragma once

#include "process_search.hpp"

#include <sys/types.h>

namespace fmpl::launcher {

class Guardian {
public:
    // Starts it. To be called before the launcher has descriptors or signal masks of its own. Throws Error(SYSTEM).
    explicit Guardian(const JobIdentity& identity);
    ~Guardian();  // dismisses it: nothing of the job is left. Blocks half a second at most
    Guardian(const Guardian&) = delete;
    Guardian& operator=(const Guardian&) = delete;

    pid_t pid() const { return pid_; }

    void protect(pid_t group);       // a process group of the job
    void forget(pid_t group);        // it has ended; its number may soon be somebody else's
    void has_ended() { pid_ = -1; }  // the launcher has reaped it

private:
    void tell(int what, pid_t group);
    pid_t pid_ = -1;
    int pipe_ = -1;
};

}  // namespace fmpl::launcher
