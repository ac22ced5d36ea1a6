// The job and this rank in it: joining, leaving, ending; errors in words; the clock. Each call is one of the
// calling thread's rank.
#include "api/binding.hpp"
#include "api/boundary.hpp"
#include "crossbar/abort.hpp"

#include <fmpl.h>
#include <fmpl/job.h>
#include <fmpl/layer_calls.h>
#include <fmpl/layer_slots.h>

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

using namespace fmpl;

extern "C" {

int fmpl_init(fmpl_match_t* ma, fmpl_flag_t* fa, int count)
{
    Binding& b = binding();
    try {
        if (b.own && b.own->initialized()) {
            fail(FMPL_ERR_ALREADY_INITIALIZED, "called a second time; a rank joins its job once");
        }
        if (b.own && b.own->finalized()) {
            fail(FMPL_ERR_ALREADY_INITIALIZED, "called after fmpl_finalize; a rank joins its job once");
        }
        Rank& own = b.attach();
        own.node.call = Call::init;
        own.init(ma, fa, count);
        return FMPL_SUCCESS;
    } catch (...) {
        return b.report_current_exception("fmpl_init");
    }
}

int fmpl_finalize(void)
{
    return boundary(Call::finalize, 0, [](Rank& own) { own.finalize(); });
}

int fmpl_initialized(int* flag)
{
    Binding& b = binding();
    if (flag == nullptr) return b.report("fmpl_initialized", Error(FMPL_ERR_ARGUMENT, "flag is a null pointer"));
    *flag = b.own && b.own->initialized() ? 1 : 0;
    return FMPL_SUCCESS;
}

void fmpl_abort(int code, const char* reason)
{
    Binding& b = binding();
    const int status = code >= 1 && code <= 255 ? code : 1;
    const std::string words = reason == nullptr ? "no reason given" : reason;
    const bool has_seat = b.seat.has_value();
    if (has_seat) abort_job(b.seat->memory->control(), b.seat->rank, status, words);
    const bool has_launcher = has_seat && b.seat->memory->control().has_launcher != 0;
    if (has_seat && b.seat->is_thread && !has_launcher) throw AbortRequest(words);  // run_ranks ends the job
    if (!has_launcher)
        std::fprintf(stderr, "%s%s\n", b.speaks == SpokenLibrary::fmpl ? "fmpl_abort: " : "", words.c_str());
    // Not all streams where other ranks live here: one of them may hold a stream's lock while it waits for input.
    if (has_seat && b.seat->is_thread) {
        std::fflush(stdout);
        std::fflush(stderr);
    } else {
        std::fflush(nullptr);
    }
    _exit(status);
}

int fmpl_cpus_suffice(void)
{
    const Binding& b = binding();
    return b.own && b.own->initialized() && b.own->node.waiter.policy().cpus_suffice ? 1 : 0;
}

int fmpl_ranks_of_cpu(void)
{
    const Binding& b = binding();
    if (!b.own || !b.own->initialized()) return 1;
    return b.own->node.crossbar.memory().ranks_of_cpu();
}

void fmpl_layer_speaks(enum fmpl_spoken_library library)
{
    Binding& b = binding();
    if (b.own == nullptr && b.speaks == SpokenLibrary::fmpl) b.speaks = static_cast<SpokenLibrary>(library);
}

fmpl_slot* fmpl_layer_slot(fmpl_layer layer)
{
    return &binding().layer_slots[layer];
}

double fmpl_wtime(void)
{
    return static_cast<double>(monotonic_ns()) * 1e-9;
}

const char* fmpl_error_message(void)
{
    return binding().error_message.c_str();
}

const char* fmpl_strerror(int code)
{
    static constexpr const char* phrases[] = {"success", "FMPL is not initialized", "FMPL is initialized already",
        "invalid argument", "rank out of range", "index out of range", "no such communicator",
        "message longer than the receive buffer", "a nonblocking call is outstanding", "no such nonblocking call",
        "out of memory", "the ranks gave different arguments", "messages were never received", "the job is ending",
        "the system refused", "internal error"};
    static_assert(sizeof phrases / sizeof phrases[0] == FMPL_ERR_INTERNAL + 1);
    return code >= 0 && code <= FMPL_ERR_INTERNAL ? phrases[code] : "unknown error code";
}

int fmpl_job_size(void)
{
    Binding& b = binding();
    try {
        return b.seat ? b.seat->memory->ranks() : size_from_environment();
    } catch (...) {
        b.report_current_exception("fmpl_job_size");
        return 1;
    }
}

int fmpl_rank_is_thread(void)
{
    const Binding& b = binding();
    return b.seat && b.seat->is_thread ? 1 : 0;
}

int fmpl_rank_shares_thread(void)
{
    const Binding& b = binding();
    return b.seat && b.seat->shared_thread != nullptr ? 1 : 0;
}

int fmpl_job_rank(void)
{
    Binding& b = binding();
    try {
        return b.seat ? b.seat->rank : rank_from_environment();
    } catch (...) {
        b.report_current_exception("fmpl_job_rank");
        return 0;
    }
}

}  // extern "C"
