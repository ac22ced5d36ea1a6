#include "crossbar/time_slice.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace fmpl {
namespace {

// struct sched_attr of linux/sched/types.h in its first version, which some C libraries do not have and others define themselves.
struct SchedulingAttributes {
    std::uint32_t size = sizeof(SchedulingAttributes);
    std::uint32_t policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0;  // ns; of SCHED_OTHER: the time slice, 0 where the kernel knows none of a thread's own
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

bool get(pid_t thread, SchedulingAttributes& attributes)
{
    return syscall(SYS_sched_getattr, thread, &attributes, sizeof attributes, 0) == 0 &&
           attributes.policy == SCHED_OTHER && attributes.runtime != 0;
}

// All else stays: the thread's nice value may have changed since.
bool set_slice(pid_t thread, std::uint64_t ns)
{
    SchedulingAttributes attributes;
    if (!get(thread, attributes)) return false;
    attributes.runtime = ns;
    return syscall(SYS_sched_setattr, thread, &attributes, 0) == 0;
}

}  // namespace

std::uint64_t TimeSlice::usual_ns()
{
    if (!usual_ns_) {
        SchedulingAttributes attributes;
        usual_ns_ = get(0, attributes) ? attributes.runtime : 0;
    }
    return *usual_ns_;
}

void TimeSlice::set(std::uint64_t ns)
{
    restore();
    const auto thread = static_cast<pid_t>(syscall(SYS_gettid));
    if (set_slice(thread, ns)) {
        thread_ = thread;
    } else {
        usual_ns_ = 0;  // not allowed here
    }
}

void TimeSlice::restore()
{
    if (thread_ != 0) set_slice(std::exchange(thread_, 0), *usual_ns_);
}

}  // namespace fmpl
