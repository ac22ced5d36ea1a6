// The BLACS state of one process (one rank): its grids, its system contexts, its packing area. There is no other state.
#pragma once

#include "context.hpp"
#include "system_contexts.hpp"
#include "workspace.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace fmpl::blacs {

// The FMPL index of all point-to-point messages: each context has communicators of its own, so one is enough.
inline constexpr int kMessageIndex = 0;

class Process {
public:
    // Joins: calls fmpl_init if the program has not (blocks until all ranks do), and makes every send locally blocking.
    // took_over: an earlier Process of this rank initialized FMPL and left it to this one. Throws Error.
    explicit Process(bool took_over);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // Frees all grids, in the order in which they were made (which is the same on all processes that share some), and
    // the memory. The object is of no use after that. Throws Error.
    void leave();
    bool left() const { return left_; }

    // FMPL was initialized by the BLACS, so that Cblacs_exit(0) finalizes it.
    bool owns_fmpl() const { return owns_fmpl_; }

    // True when the calling thread is of the rank that this object belongs to.
    bool is_callers() const;

    int number() const { return number_; }
    int count() const { return count_; }

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

    bool owns_fmpl_ = false;
    bool left_ = false;
    int number_ = 0;
    int count_ = 0;
    void* token_ = nullptr;  // remote-DMA memory of this rank, by which is_callers knows it
    std::vector<Slot> contexts_;
    std::uint64_t created_ = 0;
    std::unique_ptr<SystemContexts> system_contexts_;
    Workspace workspace_;
};

}  // namespace fmpl::blacs
