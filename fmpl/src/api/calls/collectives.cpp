// Communicators and collective communication. Each call is translated to the endpoint of the calling thread.
#include "api/binding.hpp"
#include "api/boundary.hpp"
#include "api/calls/facts.hpp"

#include <fmpl.h>
#include <fmpl/columns.h>
#include <fmpl/groups.h>
#include <fmpl/reductions.h>

using namespace fmpl;

extern "C" {

int fmpl_comm_create(fmpl_comm_t* comm, int key)
{
    return boundary(Call::comm_create, 0, [&](Endpoint& e) { e.communicators.create(comm, key); });
}

int fmpl_comm_create_group(fmpl_comm_t* comm, const int* world_ranks, int n)
{
    return boundary(Call::comm_create_group, 0, [&](Endpoint& e) {
        if (world_ranks == nullptr || n < 1)
            fail(FMPL_ERR_ARGUMENT, "n = {}: a list of at least one rank is needed", n);
        e.communicators.create_group(comm, {world_ranks, static_cast<std::size_t>(n)});
    });
}

int fmpl_comm_free(fmpl_comm_t* comm)
{
    return boundary(Call::comm_free, 0, [&](Endpoint& e) { e.communicators.free(comm); });
}

int fmpl_comm_rank(fmpl_comm_t comm, int* rank)
{
    return query("fmpl_comm_rank", [&](Endpoint& e) {
        if (rank == nullptr) fail(FMPL_ERR_ARGUMENT, "rank is a null pointer");
        *rank = e.communicator(comm).rank();
    });
}

int fmpl_comm_size(fmpl_comm_t comm, int* size)
{
    return query("fmpl_comm_size", [&](Endpoint& e) {
        if (size == nullptr) fail(FMPL_ERR_ARGUMENT, "size is a null pointer");
        *size = e.communicator(comm).size();
    });
}

int fmpl_comm_world_rank(fmpl_comm_t comm, int rank, int* world_rank)
{
    return query("fmpl_comm_world_rank", [&](Endpoint& e) {
        const Communicator& c = e.communicator(comm);
        c.check_rank(rank, "rank");
        if (world_rank == nullptr) fail(FMPL_ERR_ARGUMENT, "world_rank is a null pointer");
        *world_rank = c.members()[static_cast<std::size_t>(rank)];
    });
}

int fmpl_bcast(void* buf, size_t size, int root, fmpl_comm_t comm)
{
    return boundary(
        Call::bcast, with_peer(root, kNoIndex, comm, size), [&](Endpoint& e) { e.bcast(buf, size, root, comm); });
}

int fmpl_bcast_columns(void* base, const fmpl_columns* columns, int root, fmpl_comm_t comm)
{
    return boundary(Call::bcast, with_peer(root, kNoIndex, comm, columns),
        [&](Endpoint& e) { e.bcast_columns(base, columns, root, comm); });
}

int fmpl_reduce(void* buf, size_t count, fmpl_op_t func, int root, fmpl_comm_t comm, void* work)
{
    const size_t bytes = func == nullptr ? 0 : count * func->element_size;
    return boundary(Call::reduce, with_peer(root, kNoIndex, comm, bytes),
        [&](Endpoint& e) { e.reduce(buf, count, func, root, comm, work); });
}

int fmpl_reduce_to(const void* operand, void* result, size_t count, fmpl_op_t func, int root, fmpl_comm_t comm)
{
    const size_t bytes = func == nullptr ? 0 : count * func->element_size;
    return boundary(Call::reduce, with_peer(root, kNoIndex, comm, bytes),
        [&](Endpoint& e) { e.reduce_to(operand, result, count, func, root, comm); });
}

int fmpl_allreduce(void* buf, size_t count, fmpl_op_t func, fmpl_comm_t comm, void* work)
{
    const size_t bytes = func == nullptr ? 0 : count * func->element_size;
    return boundary(Call::allreduce, bytes, [&](Endpoint& e) { e.allreduce(buf, buf, count, func, comm, work); });
}

int fmpl_allreduce_to(const void* operand, void* result, size_t count, fmpl_op_t func, fmpl_comm_t comm)
{
    const size_t bytes = func == nullptr ? 0 : count * func->element_size;
    return boundary(
        Call::allreduce, bytes, [&](Endpoint& e) { e.allreduce(operand, result, count, func, comm, nullptr); });
}

int fmpl_barrier(fmpl_comm_t comm)
{
    return boundary(Call::barrier, 0, [&](Endpoint& e) { e.barrier(comm); });
}

}  // extern "C"
