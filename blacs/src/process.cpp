#include "process.hpp"

#include "error.hpp"

#include <fmpl/layers.h>

namespace fmpl::blacs {
namespace {

// Indices when the BLACS start FMPL. They need one, in communicators of their own; the rest is for the program's own
// messages in FMPL_COMM_WORLD. A program that wants more calls fmpl_init before the BLACS.
constexpr int kIndices = 8;

constexpr std::size_t kTokenBytes = 64;

}  // namespace

Process::Process(bool took_over)
{
    int initialized = 0;
    check(fmpl_initialized(&initialized));
    if (!initialized) check(fmpl_init(nullptr, nullptr, kIndices));
    owns_fmpl_ = took_over || !initialized;
    check(fmpl_comm_rank(FMPL_COMM_WORLD, &number_));
    check(fmpl_comm_size(FMPL_COMM_WORLD, &count_));
    // A send buffer that grows, and no waiting before it is used: every send is locally blocking, whatever its size.
    check(fmpl_sendbuf_set(nullptr, 0, 0));
    token_ = fmpl_malloc(kTokenBytes);
    if (token_ == nullptr) throw Error(FMPL_ERR_MEMORY, fmpl_error_message());
    system_contexts_ = std::make_unique<SystemContexts>();
}

void Process::leave()
{
    left_ = true;
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
    fmpl_free(token_);
    token_ = nullptr;
}

bool Process::is_callers() const
{
    return fmpl_is_remote_dma(token_, kTokenBytes) != 0;
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
    system_contexts_->forget_comm(c.all().comm);
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
