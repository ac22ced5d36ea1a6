// What the control groups above this process leave it: memory and CPU time, versions 1 and 2 of the interface.
//
// Reads /proc/self/cgroup, /proc/self/mountinfo and the files of the process's own group and of all its ancestors that
// are visible here (a container may see only its own). Whatever cannot be read is no limit. Never throws, never blocks.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

namespace fmpl {

struct CgroupLimits {
    std::size_t memory_left = std::numeric_limits<std::size_t>::max();  // bytes; max(): no limit
    double cpus = std::numeric_limits<double>::infinity();              // CPUs' worth of time; infinity: no quota
};

// `root` is put before every path that is read ("" for the real system; tests give a folder that looks like one).
CgroupLimits cgroup_limits(const std::string& root = "");

}  // namespace fmpl
