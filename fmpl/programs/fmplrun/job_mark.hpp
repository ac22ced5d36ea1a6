// What tells the processes of a job from others, whatever they do to their environment, session and descriptors.
//
// A limit that no process ever reaches (RLIMIT_RTTIME, the time that a real-time thread may run without a break,
// beyond ten thousand years) holds a random number. The kernel hands limits on to all descendants, also to those of
// another user, and shows them in /proc/PID/limits, and it lets everybody lower them. Of jobs within a job, the soft
// limit is the innermost one's mark, the hard limit the outermost one's.
//
// Where the user has set that limit, or a process sets it, there is no mark.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

namespace fmpl::launcher {

class JobMark {
public:
    JobMark();  // a new one, for the jobs that this process starts

    void put_on_this_process() const;  // and on those that it starts
    bool is_on(pid_t pid) const;       // false when that cannot be seen

private:
    rlimit limits_{};
    bool exists_ = false;
    rlim_t number_ = 0;
};

}  // namespace fmpl::launcher
