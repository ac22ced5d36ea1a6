// The children of this process that have ended, one after the other.
#pragma once

#include <functional>
#include <optional>

#include <sys/types.h>

namespace fmpl::launcher {

struct EndedChild {
    pid_t pid;
    int wait_status;
};

// Reaps a child that has ended; empty when there is none. Calls `before` with its pid first: until then, nobody else
// can get the number of its process group. (Where waitid is forbidden, right after instead; numbers are given out in
// turn, so that one comes again late.) Never blocks. Throws Error(SYSTEM) when nothing tells of ends.
std::optional<EndedChild> reap_ended_child(const std::function<void(pid_t)>& before);

}  // namespace fmpl::launcher
