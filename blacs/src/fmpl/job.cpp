#include "job.hpp"

#include "../error.hpp"
#include "communicators.hpp"
#include "observed_call.hpp"

#include <fmpl/job.h>
#include <fmpl/layer_calls.h>
#include <fmpl/observe.h>

namespace fmpl::blacs {
namespace {

// Indices when the BLACS start FMPL, without MPI. They need one, in communicators of their own; the rest is for the
// program's own messages in FMPL_COMM_WORLD. A program that wants more calls fmpl_init before the BLACS.
constexpr int kIndices = 8;

void start()
{
    fmpl_layer_speaks(FMPL_SPEAKS_BLACS);
    if (const fmpl_mpi_services* const mpi = linked_mpi()) {
        check_mpi(mpi->init());
    } else {
        check(fmpl_init(nullptr, nullptr, kIndices));
    }
}

}  // namespace

Job::Job(bool took_over)
{
    beside_other_mpi_ = other_mpi_is_up();
    if (beside_other_mpi_ && fmpl_job_size() > 1) {
        refuse(
            "the program has started an MPI that is not FMPL's (MPI_Init), in which each of the {} processes is alone; "
            "start it by fmplrun --mpi --blacs, compile it with mpicc.fmpl, mpicxx.fmpl or mpifort.fmpl, or leave MPI "
            "out",
            fmpl_job_size());
    }
    int initialized = 0;
    check(fmpl_initialized(&initialized));
    if (!initialized) start();
    owns_library_ = took_over || !initialized || mpi_beside() != nullptr;
    call_place_ = fmpl_layer_call();
    observed_ = fmpl_layer_observed();
    const ObservedCall starting(*this, "blacs_pinfo");
    check(fmpl_comm_rank(FMPL_COMM_WORLD, &number_));
    check(fmpl_comm_size(FMPL_COMM_WORLD, &count_));
    // A send buffer that grows, and no waiting before it is used: every send is locally blocking, whatever its size.
    check(fmpl_sendbuf_set(nullptr, 0, 0));
}

bool library_is_up()
{
    int initialized = 0;
    return fmpl_initialized(&initialized) == FMPL_SUCCESS && initialized != 0;
}

void finalize_library()
{
    if (const fmpl_mpi_services* const mpi = mpi_beside()) {
        check_mpi(mpi->finalize());
        return;
    }
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
