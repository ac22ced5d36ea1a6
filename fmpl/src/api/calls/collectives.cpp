// Communicators and collective communication. Each call is one of the calling
// thread's rank.
#include "api/binding.hpp"
#include "api/boundary.hpp"
#include "api/calls/checks.hpp"
#include "api/calls/facts.hpp"

#include <fmpl.h>
#include <fmpl/columns.h>
#include <fmpl/groups.h>
#include <fmpl/reductions.h>

using namespace fmpl;

namespace {

void allreduce(Rank& own, const void* operand, void* result, size_t count, fmpl_op_t op, fmpl_comm_t comm, void* work)
{
    Communicator& c = own.communicators.find(comm);
    check_operation(operand, count, op);
    check_result(operand, result, count * op->element_size);
    own.collectives.reduce(
        c, {static_cast<const std::byte*>(operand), static_cast<std::byte*>(result)}, {count, op, kAllMembers}, work);
}

}  // namespace

extern "C" {

int fmpl_comm_create(fmpl_comm_t* comm, int key)
{
    return boundary(Call::comm_create, 0, [&](Rank& own) { own.communicators.create(comm, key); });
}

int fmpl_comm_create_group(fmpl_comm_t* comm, const int* world_ranks, int n)
{
    return boundary(Call::comm_create_group, 0, [&](Rank& own) {
        if (world_ranks == nullptr || n < 1)
            fail(FMPL_ERR_ARGUMENT, "n = {}: a list of at least one rank is needed", n);
        own.communicators.create_group(comm, {world_ranks, static_cast<std::size_t>(n)});
    });
}

int fmpl_comm_free(fmpl_comm_t* comm)
{
    return boundary(Call::comm_free, 0, [&](Rank& own) { own.communicators.free(comm); });
}

int fmpl_comm_rank(fmpl_comm_t comm, int* rank)
{
    return query("fmpl_comm_rank", [&](Rank& own) {
        if (rank == nullptr) fail(FMPL_ERR_ARGUMENT, "rank is a null pointer");
        *rank = own.communicators.find(comm).rank();
    });
}

int fmpl_comm_size(fmpl_comm_t comm, int* size)
{
    return query("fmpl_comm_size", [&](Rank& own) {
        if (size == nullptr) fail(FMPL_ERR_ARGUMENT, "size is a null pointer");
        *size = own.communicators.find(comm).size();
    });
}

int fmpl_comm_world_rank(fmpl_comm_t comm, int rank, int* world_rank)
{
    return query("fmpl_comm_world_rank", [&](Rank& own) {
        const Communicator& c = own.communicators.find(comm);
        c.check_rank(rank, "rank");
        if (world_rank == nullptr) fail(FMPL_ERR_ARGUMENT, "world_rank is a null pointer");
        *world_rank = c.members()[static_cast<std::size_t>(rank)];
    });
}

int fmpl_bcast(void* buf, size_t size, int root, fmpl_comm_t comm)
{
    return boundary(Call::bcast, with_peer(root, kNoIndex, comm, size), [&](Rank& own) {
        Communicator& c = checked(own, comm, "root", root);
        check_buffer(buf, size);
        own.collectives.bcast(c, buf, size, root);
    });
}

int fmpl_bcast_columns(void* base, const fmpl_columns* columns, int root, fmpl_comm_t comm)
{
    return boundary(Call::bcast, with_peer(root, kNoIndex, comm, columns), [&](Rank& own) {
        Communicator& c = checked(own, comm, "root", root);
        own.collectives.bcast(c, static_cast<std::byte*>(base), checked_columns(base, columns), root);
    });
}

int fmpl_reduce(void* buf, size_t count, fmpl_op_t func, int root, fmpl_comm_t comm, void* work)
{
    const size_t bytes = func == nullptr ? 0 : count * func->element_size;
    return boundary(Call::reduce, with_peer(root, kNoIndex, comm, bytes), [&](Rank& own) {
        Communicator& c = checked(own, comm, "root", root);
        check_operation(buf, count, func);
        auto* const buffer = static_cast<std::byte*>(buf);
        own.collectives.reduce(c, {buffer, buffer}, {count, func, root}, work);
    });
}

int fmpl_reduce_to(const void* operand, void* result, size_t count, fmpl_op_t func, int root, fmpl_comm_t comm)
{
    const size_t bytes = func == nullptr ? 0 : count * func->element_size;
    return boundary(Call::reduce, with_peer(root, kNoIndex, comm, bytes), [&](Rank& own) {
        Communicator& c = checked(own, comm, "root", root);
        check_operation(operand, count, func);
        const bool is_root = c.rank() == root;  // result is not looked at elsewhere
        if (is_root) check_result(operand, result, bytes);
        auto* const result_at = is_root ? static_cast<std::byte*>(result) : nullptr;
        own.collectives.reduce(c, {static_cast<const std::byte*>(operand), result_at}, {count, func, root}, nullptr);
    });
}

int fmpl_allreduce(void* buf, size_t count, fmpl_op_t func, fmpl_comm_t comm, void* work)
{
    const size_t bytes = func == nullptr ? 0 : count * func->element_size;
    return boundary(Call::allreduce, bytes, [&](Rank& own) { allreduce(own, buf, buf, count, func, comm, work); });
}

int fmpl_allreduce_to(const void* operand, void* result, size_t count, fmpl_op_t func, fmpl_comm_t comm)
{
    const size_t bytes = func == nullptr ? 0 : count * func->element_size;
    return boundary(
        Call::allreduce, bytes, [&](Rank& own) { allreduce(own, operand, result, count, func, comm, nullptr); });
}

int fmpl_barrier(fmpl_comm_t comm)
{
    return boundary(Call::barrier, 0, [&](Rank& own) { own.collectives.barrier(own.communicators.find(comm)); });
}

}  // extern "C"
