// How a rank that waits leaves the CPU, where ranks take turns on one thread of the system: to the next of them
// instead of to the system's scheduler.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

namespace fmpl {

class SharedThread {
public:
    virtual ~SharedThread() = default;

    // The other ranks of the thread run, each until it waits. again: this rank has waited for the same before, in vain.
    virtual void yield(bool again) = 0;
    // What futex_wait is to a thread: returns when word != expected, after the time-out (relative; nullptr: none), or
    // for no reason. The other ranks of the thread go on meanwhile; the thread sleeps when all of them do.
    virtual void sleep(std::atomic<std::uint32_t>& word, std::uint32_t expected, const timespec* timeout) = 0;
};

}  // namespace fmpl
