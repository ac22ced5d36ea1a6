#include "process.hpp"

#include "error.hpp"

namespace fmpl::blacs {

Process::Process(bool took_over) : job_(took_over), system_contexts_(std::make_unique<SystemContexts>()) {}

void Process::leave(bool ends_library)
{
    for (;;) {
        int oldest = -1;
        for (std::size_t h = 0; h < contexts_.size(); ++h) {
            if (!contexts_[h].context) continue;
            if (oldest < 0 || contexts_[h].created < contexts_[static_cast<std::size_t>(oldest)].created) {
                oldest = static_cast<int>(h);
            }
        }
        if (oldest < 0) break;
        remove_context(oldest);
    }
    workspace_.release();
    job_.leave(ends_library);
}

int Process::add_context(std::unique_ptr<Context> context)
{
    std::size_t handle = 0;
    while (handle < contexts_.size() && contexts_[handle].context) ++handle;
    if (handle == contexts_.size()) contexts_.emplace_back();
    contexts_[handle] = {std::move(context), created_++};
    return static_cast<int>(handle);
}

void Process::remove_context(int handle)
{
    Context& c = context(handle);
    system_contexts_->forget_comm(c.system_comm());
    const std::unique_ptr<Context> ended = std::move(contexts_[static_cast<std::size_t>(handle)].context);
    ended->free();
}

void Process::no_such_context(int handle)
{
    if (handle == -1) {
        refuse("the context is -1: this process is not in the grid; ask blacs_gridinfo, and call only when myrow >= 0");
    }
    refuse(
        "{} is not a context of this process; use a handle from blacs_gridinit or blacs_gridmap, before its "
        "blacs_gridexit",
        handle);
}

}  // namespace fmpl::blacs
