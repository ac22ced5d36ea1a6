#include "current.hpp"

#include "error.hpp"

#include <memory>
#include <mutex>

namespace fmpl::blacs {

constinit thread_local Process* process_of_thread = nullptr;

namespace {

// Keeps the thread's process alive should another thread of the rank make it leave.
thread_local std::shared_ptr<Process> held;

// After Cblacs_exit(1): the library is still up because the BLACS started it.
constinit thread_local bool owes_finalize = false;

// The slow path: other threads of a process that is one rank. A rank that is a thread has none.
struct ProcessWide {
    std::mutex mutex;
    std::shared_ptr<Process> process;
};
ProcessWide& process_wide()
{
    static ProcessWide instance;
    return instance;
}

}  // namespace

Process* find_process_of_others()
{
    if (rank_is_thread()) return nullptr;
    ProcessWide& wide = process_wide();
    const std::lock_guard lock(wide.mutex);
    return wide.process.get();
}

void refuse_without_process()
{
    refuse("the BLACS are not initialized; call blacs_pinfo, then make a grid with blacs_gridinit");
}

Process& join_process()
{
    if (Process* p = find_process()) return *p;
    auto joined = std::make_shared<Process>(owes_finalize && library_is_up());
    owes_finalize = false;
    held = joined;
    process_of_thread = joined.get();
    if (!rank_is_thread()) {
        ProcessWide& wide = process_wide();
        const std::lock_guard lock(wide.mutex);
        wide.process = joined;
    }
    return *joined;
}

void leave_process(bool go_on)
{
    bool finalizes = owes_finalize && library_is_up();
    bool ends = !go_on;
    if (Process* p = find_process()) {
        std::shared_ptr<Process> last = process_of_thread == p ? held : nullptr;
        {
            ProcessWide& wide = process_wide();
            const std::lock_guard lock(wide.mutex);
            if (wide.process.get() == p) {
                if (!last) last = wide.process;
                wide.process.reset();
            }
        }
        finalizes = p->job().owns_library();
        ends = ends || !p->job().outlives_blacs();
        p->leave(finalizes && ends);
        held.reset();
        process_of_thread = nullptr;
    }
    if (finalizes && ends) finalize_library();
    owes_finalize = finalizes && !ends;
}

}  // namespace fmpl::blacs
