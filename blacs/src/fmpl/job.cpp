#include "job.hpp"

#include "communicators.hpp"
#include "observed_call.hpp"

#include <fmpl/layers.h>

namespace fmpl::blacs {
namespace {

// Indices when the BLACS start FMPL. They need one, in communicators of their own; the rest is for the program's own
// messages in FMPL_COMM_WORLD. A program that wants more calls fmpl_init before the BLACS.
constexpr int kIndices = 8;

constexpr std::size_t kTokenBytes = 64;

}  // namespace

Job::Job(bool took_over)
{
    int initialized = 0;
    check(fmpl_initialized(&initialized));
    if (!initialized) check(fmpl_init(nullptr, nullptr, kIndices));
    owns_fmpl_ = took_over || !initialized;
    call_place_ = fmpl_layer_call();
    observed_ = fmpl_layer_observed();
    const ObservedCall starting(*this, "blacs_pinfo");
    check(fmpl_comm_rank(FMPL_COMM_WORLD, &number_));
    check(fmpl_comm_size(FMPL_COMM_WORLD, &count_));
    // A send buffer that grows, and no waiting before it is used: every send is locally blocking, whatever its size.
    check(fmpl_sendbuf_set(nullptr, 0, 0));
    token_ = fmpl_malloc(kTokenBytes);
    if (token_ == nullptr) throw Error(fmpl_error_message());
}

void Job::leave(bool)
{
    fmpl_free(token_);
    token_ = nullptr;
}

bool Job::is_callers() const
{
    return fmpl_is_remote_dma(token_, kTokenBytes) != 0;
}

bool library_is_up()
{
    int initialized = 0;
    return fmpl_initialized(&initialized) == FMPL_SUCCESS && initialized != 0;
}

void finalize_library()
{
    const int code = fmpl_finalize();
    if (code != FMPL_ERR_PENDING) check(code);
}

int job_rank()
{
    return fmpl_job_rank();
}

void end_job(int status, const char* reason)
{
    fmpl_abort(status, reason);
}

double wall_seconds()
{
    return fmpl_wtime();
}

void* allocate_memory(std::size_t bytes)
{
    return fmpl_malloc(bytes);
}

void release_memory(void* memory)
{
    fmpl_free(memory);
}

const char* no_memory_reason()
{
    return fmpl_error_message();
}

}  // namespace fmpl::blacs
