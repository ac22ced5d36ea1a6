#include "job.hpp"

#include "communicators.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace fmpl::blacs {
namespace {

bool was_finalized()
{
    int finalized = 0;
    return MPI_Finalized(&finalized) == MPI_SUCCESS && finalized != 0;
}

}  // namespace

Job::Job(bool took_over)
{
    if (was_finalized()) refuse("MPI has been finalized, and starts only once; call blacs_exit(1) to go on after it");
    const bool was_up = library_is_up();
    if (!was_up) check(MPI_Init(nullptr, nullptr));
    owns_mpi_ = took_over || !was_up;
    check(MPI_Comm_rank(MPI_COMM_WORLD, &number_));
    check(MPI_Comm_size(MPI_COMM_WORLD, &count_));
}

void Job::leave(bool ends_library)
{
    operations_.free();
    if (!ends_library) {
        sends_.wait_and_release();
        return;
    }
    if (const std::size_t abandoned = sends_.abandon_and_release(); abandoned > 0) {
        fmt::print(stderr, "BLACS: process {} leaves, and of the messages that it sent {} were never received.\n",
            number_, abandoned);
    }
}

bool library_is_up()
{
    int initialized = 0;
    return MPI_Initialized(&initialized) == MPI_SUCCESS && initialized != 0 && !was_finalized();
}

void finalize_library()
{
    check(MPI_Finalize());
}

int job_rank()
{
    int rank = 0;
    if (library_is_up()) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

void end_job(int status, const char* reason)
{
    fmt::print(stderr, "{}\n", reason);
    std::fflush(stderr);
    if (library_is_up()) MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
}

double wall_seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void* allocate_memory(std::size_t bytes)
{
    void* memory = nullptr;
    return MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, &memory) == MPI_SUCCESS ? memory : nullptr;
}

void release_memory(void* memory)
{
    if (memory != nullptr) MPI_Free_mem(memory);
}

const char* no_memory_reason()
{
    return "MPI_Alloc_mem has no more";
}

}  // namespace fmpl::blacs
