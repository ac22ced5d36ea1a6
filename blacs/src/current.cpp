#include "current.hpp"

#include "error.hpp"

#include <memory>
#include <mutex>

namespace fmpl::blacs {
namespace {

// The fast path: the thread that joined. `held` keeps the object alive should another thread of the rank make it leave.
constinit thread_local Process* bound = nullptr;
thread_local std::shared_ptr<Process> held;

// After Cblacs_exit(1): the library is still up because the BLACS started it.
constinit thread_local bool owes_finalize = false;

// The slow path: other threads of a process that is one rank. With ranks as threads, the first to join is here; others
// do not take it for theirs, because Job::is_callers tells.
struct ProcessWide {
    std::mutex mutex;
    std::shared_ptr<Process> process;
};
ProcessWide& process_wide()
{
    static ProcessWide instance;
    return instance;
}

Process* find_process_wide()
{
    ProcessWide& wide = process_wide();
    const std::lock_guard lock(wide.mutex);
    return wide.process && wide.process->job().is_callers() ? wide.process.get() : nullptr;
}

}  // namespace

Process* find_process()
{
    if (bound != nullptr) [[likely]]
        return bound->left() ? nullptr : bound;
    return find_process_wide();
}

Process& require_process()
{
    if (Process* p = find_process()) [[likely]]
        return *p;
    refuse("the BLACS are not initialized; call blacs_pinfo, then make a grid with blacs_gridinit");
}

Process& join_process()
{
    if (Process* p = find_process()) return *p;
    auto joined = std::make_shared<Process>(owes_finalize && library_is_up());
    owes_finalize = false;
    held = joined;
    bound = joined.get();
    ProcessWide& wide = process_wide();
    const std::lock_guard lock(wide.mutex);
    if (!wide.process) wide.process = joined;
    return *joined;
}

void leave_process(bool go_on)
{
    bool finalizes = owes_finalize && library_is_up();
    if (Process* p = find_process()) {
        std::shared_ptr<Process> last = bound == p ? held : nullptr;
        {
            ProcessWide& wide = process_wide();
            const std::lock_guard lock(wide.mutex);
            if (wide.process.get() == p) {
                if (!last) last = wide.process;
                wide.process.reset();
            }
        }
        finalizes = p->job().owns_library();
        p->leave(finalizes && !go_on);
        held.reset();
        bound = nullptr;
    }
    if (finalizes && !go_on) finalize_library();
    owes_finalize = finalizes && go_on;
}

}  // namespace fmpl::blacs
