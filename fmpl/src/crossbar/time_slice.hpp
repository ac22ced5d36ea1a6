// The time slice of a thread, by which it is moved in the order in which Linux takes the threads of a CPU.
//
// Linux' fair scheduler (EEVDF, since 6.6) takes the thread of the earliest virtual deadline; one that yields has its own put off by
// a time slice. Threads that wait by yielding are so taken round and round, in the order in which their deadlines came to lie when
// they began, and what one of them does in its turn, if short beside a slice, changes nothing in it. A slice that is longer or shorter
// for one turn moves the thread back or forth. Programs may choose their slices since Linux 6.12, without a privilege
// (sched_setattr(2), sched_runtime of SCHED_OTHER).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace fmpl {

class TimeSlice {
public:
    TimeSlice() = default;
    ~TimeSlice() { restore(); }
    TimeSlice(const TimeSlice&) = delete;
    TimeSlice& operator=(const TimeSlice&) = delete;

    // The calling thread's, when first asked, in ns; 0: the kernel lets nobody choose it, or the thread is not of the fair scheduler.
    std::uint64_t usual_ns();
    // Of the calling thread, from its next turn on. The kernel takes 0.1 to 100 ms.
    void set(std::uint64_t ns);
    bool is_set() const { return thread_ != 0; }
    void restore();

private:
    std::optional<std::uint64_t> usual_ns_;
    pid_t thread_ = 0;  // whose slice is set
};

}  // namespace fmpl
