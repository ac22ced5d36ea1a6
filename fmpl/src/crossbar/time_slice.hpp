// The time slice of a thread, by which it is moved in the order in which Linux takes the threads of a CPU.
//
// Linux' fair scheduler (EEVDF) takes the thread of the earliest virtual deadline. One that yields gives up what is
// left of its slice (as measured with 6.18; kernel commit "sched/fair: Forfeit vruntime on yield"), so that its
// deadline is put off by one slice whatever it has run. Threads that wait by yielding are so taken round and round,
// in the order in which their deadlines came to lie when they began. A slice that is longer or shorter for one yield
// moves the thread back or forth in it. Programs may choose their slices since Linux 6.12, without a privilege
// (sched_setattr(2), sched_runtime of SCHED_OTHER).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace fmpl {

class TimeSlice {
public:
    // has_thread: the caller has a thread to itself, whose order is the system's.
    explicit TimeSlice(bool has_thread = true)
    {
        if (!has_thread) usual_ns_ = 0;
    }
    ~TimeSlice() { restore(); }
    TimeSlice(const TimeSlice&) = delete;
    TimeSlice& operator=(const TimeSlice&) = delete;

    // The calling thread's, when first asked, in ns; 0: it is not of SCHED_OTHER, or the kernel (a seccomp filter)
    // has no such thing.
    std::uint64_t usual_ns();
    // Of the calling thread, until restore(). The kernel makes it 0.1 to 100 ms.
    void set(std::uint64_t ns);
    bool is_set() const { return thread_ != 0; }
    void restore();

private:
    std::optional<std::uint64_t> usual_ns_;
    pid_t thread_ = 0;             // whose slice is set
    std::uint64_t before_ns_ = 0;  // it was so long
};

}  // namespace fmpl
