// The BLACS state of one process (one rank): its grids, its system contexts, its packing area. There is no other state.
#pragma once

#include "context.hpp"
#include "system_contexts.hpp"
#include "transport.hpp"
#include "workspace.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace fmpl::blacs {

class Process {
public:
    // Joins the job, and starts the communication library if the program has not (blocks until all processes do).
    // took_over: an earlier Process of this rank started the library and left it to this one. Throws Error.
    explicit Process(bool took_over);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // Frees all grids, in the order in which they were made (which is the same on all processes that share some), and
    // the memory. The object is of no use after that. ends_library: finalize_library follows. Throws Error.
    void leave(bool ends_library);

    Job& job() { return job_; }

    // Null when there is no such grid here.
    Context* find_context(int handle) const
    {
        if (handle < 0 || static_cast<std::size_t>(handle) >= contexts_.size()) return nullptr;
        return contexts_[static_cast<std::size_t>(handle)].context.get();
    }
    Context& context(int handle) const  // throws Error when there is no such grid here
    {
        if (Context* c = find_context(handle)) [[likely]]
            return *c;
        no_such_context(handle);
    }
    int add_context(std::unique_ptr<Context> context);
    void remove_context(int handle);  // by all processes of the grid

    SystemContexts& system_contexts() { return *system_contexts_; }
    Workspace& workspace() { return workspace_; }

private:
    struct Slot {
        std::unique_ptr<Context> context;
        std::uint64_t created;  // counts the contexts of this process
    };
    [[noreturn]] static void no_such_context(int handle);

    Job job_;
    std::vector<Slot> contexts_;
    std::uint64_t created_ = 0;
    std::unique_ptr<SystemContexts> system_contexts_;
    Workspace workspace_;
};

}  // namespace fmpl::blacs
