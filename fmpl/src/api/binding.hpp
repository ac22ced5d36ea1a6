// Which rank the calling thread is: the one piece of state that the C and Fortran calls keep beside the ranks.
//
// A thread of run_ranks or run_process is bound to its own rank, or, where several take turns on it, to the one that
// runs (ranks_of_thread.hpp). Every other thread belongs to the rank of its process.
#pragma once

#include "api/rank.hpp"
#include "launch/job_seat.hpp"
#include "launch/rank_heap.hpp"

#include <fmpl/layer_slots.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace fmpl {

enum class ErrorReport { print, silent, abort };  // FMPL_ERRORS=print (default), return, abort

// What fmpl_abort throws in a thread of run_ranks, which cannot end its process.
class AbortRequest : public Error {
public:
    explicit AbortRequest(const std::string& reason) : Error(FMPL_ERR_ABORTED, "fmpl_abort: " + reason) {}
};

struct Binding {
    // Taken from the environment when it is first needed; given beforehand to the threads of run_ranks.
    std::optional<JobSeat> seat;
    std::unique_ptr<Rank> own;       // from the first fmpl_malloc or fmpl_init on
    std::unique_ptr<RankHeap> heap;  // under --rdma heap, from before main on
    SpokenLibrary speaks = SpokenLibrary::fmpl;
    int forked_from = 0;           // pid of the rank that this process is a forked child of
    Rank* parents_rank = nullptr;  // in such a child
    std::string error_message;
    // Of fmpl_op_create, and the subroutine of the one that is being applied. A deque: operations keep their addresses.
    using FortranFunction = void (*)(const void* in, void* inout, const int* count);
    struct FortranOperation {
        fmpl_op operation;
        FortranFunction function;
    };
    std::deque<FortranOperation> fortran_operations;
    FortranFunction fortran_function = nullptr;
    std::array<fmpl_slot, FMPL_LAYERS> layer_slots{};

    int rank() const;

    // The rank, made if need be. Throws Error(SYSTEM) in a forked child of a rank.
    Rank& attach();

    // See fmpl_heap_range; throws Error.
    const RankHeap& claim_heap();

    // In a child that the rank's process has forked: it is no rank, and leaves what belongs to the rank alone.
    void become_forked_child(int parent);
    Error forked_child_error() const;  // what its calls get

    // As the rank ends, by its thread while it is bound.
    void destroy_layers() noexcept;

    // Keeps the words of an error, "rank 2: fmpl_send: ...", reports them as FMPL_ERRORS says, returns its code. What
    // a layer calls (fmpl_layer_call) is not printed.
    int report(const char* call, const Error& error);
    int report_current_exception(const char* call);
    // As report_current_exception, for a call that communicates: where the operating system has refused something, a
    // transfer may be half done, and the job ends.
    int report_failed_call(const char* call);
};

Binding& process_binding();

// nullptr until the thread has made a call or run_ranks has bound it. Changed by bind() and bind_to_process() alone.
extern constinit thread_local Binding* bound [[gnu::tls_model("initial-exec")]];

// From now on the calling thread is that rank, for fmpl_layer_state too; nullptr: none until its next call. Returns
// which it was.
Binding* bind(Binding* rank);
Binding* bind_to_process();  // which it is now

inline Binding& binding()
{
    if (bound == nullptr) [[unlikely]]
        bound = bind_to_process();  // it is so already; written here, too, it saves fmpl_send an instruction
    return *bound;
}

}  // namespace fmpl
