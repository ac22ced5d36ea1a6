// Over an MPI: by the profiling interface. The calls that the BLACS make while a matrix is multiplied are defined here,
// where the dynamic linker finds them before the library's, and pass on to the PMPI names.
#include "comm_seconds.hpp"

#include <mpi.h>

#include <chrono>

namespace fmpl::pdgemm {
namespace {

using Clock = std::chrono::steady_clock;

// The program makes its calls from one thread.
bool counting = false;
Clock::duration spent{};

template <class Call>
int timed(Call&& call)
{
    if (!counting) return call();
    const Clock::time_point start = Clock::now();
    const int code = call();
    spent += Clock::now() - start;
    return code;
}

}  // namespace

void count_comm_seconds()
{
    counting = true;
}

double comm_seconds()
{
    return std::chrono::duration<double>(spent).count();
}

}  // namespace fmpl::pdgemm

using fmpl::pdgemm::timed;

extern "C" {

int MPI_Isend(
    const void* data, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, MPI_Request* request)
{
    return timed([&] { return PMPI_Isend(data, count, type, destination, tag, comm, request); });
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status)
{
    return timed([&] { return PMPI_Recv(data, count, type, source, tag, comm, status); });
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status)
{
    return timed([&] { return PMPI_Test(request, done, status); });
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return timed([&] { return PMPI_Bcast(data, count, type, root, comm); });
}

int MPI_Reduce(const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    return timed([&] { return PMPI_Reduce(data, result, count, type, op, root, comm); });
}

int MPI_Allreduce(const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return timed([&] { return PMPI_Allreduce(data, result, count, type, op, comm); });
}

int MPI_Barrier(MPI_Comm comm)
{
    return timed([&] { return PMPI_Barrier(comm); });
}

int MPI_Pack(const void* data, int count, MPI_Datatype type, void* out, int out_bytes, int* position, MPI_Comm comm)
{
    return timed([&] { return PMPI_Pack(data, count, type, out, out_bytes, position, comm); });
}

int MPI_Pack_size(int count, MPI_Datatype type, MPI_Comm comm, int* bytes)
{
    return timed([&] { return PMPI_Pack_size(count, type, comm, bytes); });
}

int MPI_Type_vector(int count, int length, int stride, MPI_Datatype type, MPI_Datatype* made)
{
    return timed([&] { return PMPI_Type_vector(count, length, stride, type, made); });
}

int MPI_Type_create_hindexed(
    int count, const int* lengths, const MPI_Aint* places, MPI_Datatype type, MPI_Datatype* made)
{
    return timed([&] { return PMPI_Type_create_hindexed(count, lengths, places, type, made); });
}

int MPI_Type_commit(MPI_Datatype* type)
{
    return timed([&] { return PMPI_Type_commit(type); });
}

int MPI_Type_free(MPI_Datatype* type)
{
    return timed([&] { return PMPI_Type_free(type); });
}

}  // extern "C"
