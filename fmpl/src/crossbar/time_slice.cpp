#include "crossbar/time_slice.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace fmpl {
namespace {

// struct sched_attr of linux/sched/types.h in its first version, which some C libraries do not have and others define
// themselves.
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

// The slice of a thread that has one of its own, whatever its policy; 0: of none.
std::uint64_t slice_of(pid_t thread, SchedulingAttributes& attributes)
{
    const bool found = syscall(SYS_sched_getattr, thread, &attributes, sizeof attributes, 0) == 0;
    const bool is_fair = attributes.policy == SCHED_OTHER || attributes.policy == SCHED_BATCH;
    return found && is_fair ? attributes.runtime : 0;
}

// All else stays as it was found a moment ago.
bool set_slice(pid_t thread, SchedulingAttributes attributes, std::uint64_t ns)
{
    attributes.runtime = ns;
    return syscall(SYS_sched_setattr, thread, &attributes, 0) == 0;
}

}  // namespace

std::uint64_t TimeSlice::usual_ns()
{
    if (!usual_ns_) {
        SchedulingAttributes attributes;
        const std::uint64_t ns = slice_of(0, attributes);
        usual_ns_ = attributes.policy == SCHED_OTHER ? ns : 0;
    }
    return *usual_ns_;
}

void TimeSlice::set(std::uint64_t ns)
{
    restore();
    const auto thread = static_cast<pid_t>(syscall(SYS_gettid));
    SchedulingAttributes attributes;
    before_ns_ = slice_of(thread, attributes);
    if (before_ns_ != 0 && set_slice(thread, attributes, ns)) {
        thread_ = thread;
    } else {
        usual_ns_ = 0;  // not here, or no longer
    }
}

// The system's own slice again, which 0 stands for, unless the thread had another.
void TimeSlice::restore()
{
    if (thread_ == 0) return;
    const pid_t thread = std::exchange(thread_, 0);
    SchedulingAttributes attributes;
    if (slice_of(thread, attributes) == 0 || !set_slice(thread, attributes, 0)) return;
    if (slice_of(thread, attributes) != before_ns_) set_slice(thread, attributes, before_ns_);
}

}  // namespace fmpl
