#include "api/binding.hpp"

#include "crossbar/abort.hpp"
#include "error.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <pthread.h>
#include <unistd.h>

namespace {
constexpr fmpl_slot kNoSlots[FMPL_LAYERS] = {};  // of a thread that is not bound
}  // namespace

__thread const fmpl_slot* fmpl_layer_slots = kNoSlots;

namespace fmpl {

constinit thread_local Binding* bound = nullptr;

Binding* bind(Binding* rank)
{
    fmpl_layer_slots = rank != nullptr ? rank->layer_slots.data() : kNoSlots;
    return std::exchange(bound, rank);
}

Binding* bind_to_process()
{
    bind(&process_binding());
    return bound;
}

Binding& process_binding()
{
    // Not destroyed at exit: another thread, or a destructor of the program, may still call.
    static Binding* const binding = new Binding;
    return *binding;
}

namespace {

ErrorReport error_report()
{
    const char* text = std::getenv("FMPL_ERRORS");
    const std::string_view mode = text == nullptr ? "print" : text;
    if (mode == "return") return ErrorReport::silent;
    if (mode == "abort") return ErrorReport::abort;
    return ErrorReport::print;
}

// Which process the rank is, so that a child that it forks knows whose it is. Written before the first fork that
// matters.
int rank_process = 0;

void in_forked_child()
{
    process_binding().become_forked_child(rank_process);
    if (bound != nullptr && bound != &process_binding()) bound->become_forked_child(rank_process);
}

void watch_forks()
{
    static const bool watching = [] {
        rank_process = getpid();
        return pthread_atfork(nullptr, nullptr, in_forked_child) == 0;
    }();
    static_cast<void>(watching);  // without memory for the handler, a child's calls go unnoticed
}

}  // namespace

Rank& Binding::attach()
{
    if (forked_from != 0) throw forked_child_error();
    if (!seat) seat = seat_from_environment();
    if (!own) {
        seat->memory->control().nodes[seat->rank].speaks = speaks;
        own = std::make_unique<Rank>(*seat);
        watch_forks();
    }
    return *own;
}

const RankHeap& Binding::claim_heap()
{
    if (std::getenv("FMPL_JOB_FD") == nullptr) fail(FMPL_ERR_ARGUMENT, "this process is not a rank of fmplrun's");
    if (heap || own || forked_from != 0) {
        fail(FMPL_ERR_ALREADY_INITIALIZED, "the rank's heap is taken, or its arena in use");
    }
    // Kept even where the heap is refused: giving up the seat would close the job's memory for good.
    if (!seat) seat = seat_from_environment();
    heap = RankHeap::claim(seat->memory, seat->rank);
    watch_forks();
    return *heap;
}

void Binding::become_forked_child(int parent)
{
    if (!seat) return;  // no rank has forked it: it may become one
    forked_from = parent;
    // Not destroyed: its destructor would give back what the parent still uses.
    if (own) parents_rank = own.release();
}

Error Binding::forked_child_error() const
{
    return Error(FMPL_ERR_SYSTEM,
        fmt::format("called in a forked child of process {}, which is no rank; only the process that fmplrun started "
                    "can communicate",
            forked_from));
}

void Binding::destroy_layers() noexcept
{
    for (std::size_t layer = layer_slots.size(); layer-- > 0;) {
        fmpl_slot& slot = layer_slots[layer];
        // Empty while it is destroyed: what that calls finds the layer down.
        void* const state = std::exchange(slot.state, nullptr);
        if (state != nullptr && slot.destroy != nullptr) slot.destroy(state);
    }
}

int Binding::rank() const
{
    if (seat) return seat->rank;
    try {
        return rank_from_environment();
    } catch (const Error&) {
        return 0;  // the variables are no good; the call at hand says so
    }
}

int Binding::report(const char* call, const Error& error)
{
    error_message = fmt::format("rank {}: {}: {}", rank(), spoken_name(speaks, call), error.what());
    // A rank that learns of the job's end has nothing to add to what the failing rank said. A layer has the words from
    // fmpl_error_message, and error handlers of its own.
    const ErrorReport mode = error_report();
    const bool of_layer = own && own->node.waiter.layer_call() != nullptr;
    if (mode != ErrorReport::silent && error.code() != FMPL_ERR_ABORTED && !of_layer) {
        const std::string line = "fmpl: " + error_message + "\n";
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());  // in one piece
    }
    if (mode == ErrorReport::abort) fmpl_abort(error.code(), error_message.c_str());
    return error.code();
}

int Binding::report_failed_call(const char* call)
{
    const int code = report_current_exception(call);
    if (code == FMPL_ERR_SYSTEM && own) {
        abort_job(own->node.crossbar.control(), own->rank(), code, fmt::format("{} failed", call));
    }
    return code;
}

int Binding::report_current_exception(const char* call)
{
    try {
        throw;
    } catch (const Error& error) {
        return report(call, error);
    } catch (const std::bad_alloc&) {
        return report(call, Error(FMPL_ERR_MEMORY, "the process has no memory left"));
    } catch (const std::exception& error) {
        return report(call, Error(FMPL_ERR_INTERNAL, error.what()));
    }
}

}  // namespace fmpl
