// MPI-3.1, sections 5.9 to 5.12: reductions, blocking or not.
#include "c/collective_arguments.hpp"
#include "coll/choose.hpp"
#include "coll/fast_path.hpp"

#include <numeric>
#include <span>
#include <vector>

namespace fmpl::mpi {
namespace {

struct Reduction {
    std::int64_t count;
    MPI_Datatype datatype;
    MPI_Op op;

    struct Objects {
        const OperationPtr& operation;
        const TypeObjectPtr& type;
    };
    // Checks count, type and operation.
    Objects check(Process& process, const char* count_argument = "count") const
    {
        check_count(count, count_argument);
        const OperationPtr& operation = process.operation(number_of(op));
        const TypeObjectPtr& type = process.committed_type_object(number_of(datatype));
        operation->check(*type);
        return {operation, type};
    }
    // The same, and gives them to the schedule.
    void prepare(Process& process, Schedule& schedule, const char* count_argument = "count") const
    {
        const Objects objects = check(process, count_argument);
        schedule.set_reduction(objects.operation, objects.type, number_of(datatype));
    }
};

void check_elements(const TypeObject& type, const void* buffer, std::int64_t count, const char* argument)
{
    if (may_be_missing(buffer) || type.dense_bytes == 0) [[unlikely]]
        check_buffer(buffer, type.layout->bytes(count), type, argument);
}

// The rank's operand: sendbuf, or recvbuf in place. Checks each of them, and not that they are two: this rank alone
// sees that, and says it when the call is complete, so that the others are not left waiting.
const void* contribution_of(const Communicator& comm, const TypeObject& type, const void* sendbuf, std::int64_t sends,
    const void* recvbuf, std::int64_t receives)
{
    check_elements(type, recvbuf, receives, "recvbuf");
    if (is_in_place(comm, sendbuf)) return recvbuf;
    check_elements(type, sendbuf, sends, "sendbuf");
    return sendbuf;
}

// Of a call of FMPL's own, whose type has no gaps. It refuses an operand that lies partly where the result comes, and
// before it takes part: then the operand is what lies there, and the error comes after it.
bool overlap(const void* sendbuf, const void* recvbuf, std::int64_t count, const TypeObject& type)
{
    const auto bytes = static_cast<std::uintptr_t>(count * type.dense_bytes);
    const auto from = reinterpret_cast<std::uintptr_t>(sendbuf);
    const auto to = reinterpret_cast<std::uintptr_t>(recvbuf);
    return from - to < bytes || to - from < bytes;
}
[[noreturn, gnu::noinline]] void fail_overlap()
{
    fail(ErrorClass::buffer, "sendbuf overlaps recvbuf; give two buffers, or MPI_IN_PLACE where it is allowed");
}

void refuse_aliasing(Schedule& schedule, const void* sendbuf, const void* recvbuf, std::int64_t count)
{
    schedule.keep_error([&] { check_aliasing(sendbuf, recvbuf, count > 0); });
}

// The same for a reduction to a root; nullptr at the root of an intercommunicator, which has none.
const void* contribution_to(const Communicator& comm, const TypeObject& type, const void* sendbuf, const void* recvbuf,
    std::int64_t count, int root)
{
    if (comm.is_inter() && root == kRoot) {
        check_elements(type, recvbuf, count, "recvbuf");
        return nullptr;
    }
    if (!comm.is_inter() && root == comm.rank()) return contribution_of(comm, type, sendbuf, count, recvbuf, count);
    check_elements(type, sendbuf, count, "sendbuf");
    return sendbuf;
}

// Also a reduction of no elements: where the others have some, all hear of it.
auto reduce_at_once(const void* sendbuf, void* recvbuf, Reduction reduction, int root)
{
    return [=](Process& process, Communicator& comm) {
        check_root(comm, root);
        const auto [operation, type] = reduction.check(process);
        const fmpl_op* const form = operation->fmpl_form(*type);
        if (form == nullptr) return false;  // before what this rank alone may fail
        const std::int64_t count = reduction.count;
        const void* operand = contribution_to(comm, *type, sendbuf, recvbuf, count, root);
        const bool overlaps = root == comm.rank() && overlap(sendbuf, recvbuf, count, *type);
        if (overlaps) [[unlikely]]
            operand = recvbuf;
        if (!fast_reduce(process.collective, comm, operand, recvbuf, count, *form, root)) return false;
        if (overlaps) [[unlikely]]
            fail_overlap();
        return true;
    };
}

auto reduce_of(const void* sendbuf, void* recvbuf, Reduction reduction, int root)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        const std::int64_t count = reduction.count;
        check_root(comm, root);
        if (root == kProcNull) return;
        reduction.prepare(process, schedule);
        const void* const contribution = contribution_to(comm, schedule.type(), sendbuf, recvbuf, count, root);
        if (!comm.is_inter() && root == comm.rank()) refuse_aliasing(schedule, sendbuf, recvbuf, count);
        coll::reduce(schedule, contribution, recvbuf, count, root);
    };
}

auto allreduce_at_once(const void* sendbuf, void* recvbuf, Reduction reduction)
{
    return [=](Process& process, Communicator& comm) {
        const std::int64_t count = reduction.count;
        const auto [operation, type] = reduction.check(process);
        const fmpl_op* const form = operation->fmpl_form(*type);
        if (form == nullptr) return false;
        const void* operand = contribution_of(comm, *type, sendbuf, count, recvbuf, count);
        const bool overlaps = overlap(sendbuf, recvbuf, count, *type);
        if (overlaps) [[unlikely]]
            operand = recvbuf;
        if (!fast_allreduce(process.collective, comm, operand, recvbuf, count, *form)) return false;
        if (overlaps) [[unlikely]]
            fail_overlap();
        return true;
    };
}

auto allreduce_of(const void* sendbuf, void* recvbuf, Reduction reduction)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        const std::int64_t count = reduction.count;
        reduction.prepare(process, schedule);
        const void* const contribution = contribution_of(comm, schedule.type(), sendbuf, count, recvbuf, count);
        refuse_aliasing(schedule, sendbuf, recvbuf, count);
        coll::allreduce(schedule, contribution, recvbuf, count);
    };
}

// What reduce_scatter and reduce_scatter_block have in common. counts: of all ranks of the group.
void reduce_scatter(Communicator& comm, Schedule& schedule, const void* sendbuf, void* recvbuf,
    std::span<const std::int64_t> counts, Lengths lengths)
{
    const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const std::int64_t mine = counts[static_cast<std::size_t>(comm.rank())];
    const void* const contribution =
        contribution_of(comm, schedule.type(), sendbuf, total, recvbuf, sendbuf == MPI_IN_PLACE ? total : mine);
    refuse_aliasing(schedule, sendbuf, recvbuf, total);
    coll::reduce_scatter(schedule, contribution, recvbuf, counts, lengths);
}

auto reduce_scatter_of(const void* sendbuf, void* recvbuf, const int* recvcounts, MPI_Datatype datatype, MPI_Op op)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        const std::span<const int> given = array_of(recvcounts, comm.size(), "recvcounts");
        for (const int count : given) check_count(count, "recvcounts");
        Reduction{0, datatype, op}.prepare(process, schedule);
        reduce_scatter(
            comm, schedule, sendbuf, recvbuf, std::vector<std::int64_t>(given.begin(), given.end()), Lengths::varying);
    };
}

auto reduce_scatter_block_of(const void* sendbuf, void* recvbuf, Reduction reduction)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        reduction.prepare(process, schedule, "recvcount");
        const std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()), reduction.count);
        reduce_scatter(comm, schedule, sendbuf, recvbuf, counts, Lengths::equal);
    };
}

auto scan_of(const void* sendbuf, void* recvbuf, Reduction reduction, bool inclusive)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        check_intracommunicator(comm);
        reduction.prepare(process, schedule);
        // Nothing comes to rank 0 from ranks before it.
        const bool receives = inclusive || comm.rank() > 0 || sendbuf == MPI_IN_PLACE;
        const void* const contribution =
            contribution_of(comm, schedule.type(), sendbuf, reduction.count, recvbuf, receives ? reduction.count : 0);
        refuse_aliasing(schedule, sendbuf, recvbuf, reduction.count);
        coll::scan(schedule, contribution, recvbuf, reduction.count, inclusive);
    };
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Reduce(
    const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    return blocking_collective("MPI_Reduce", comm, block_facts(comm, {count, datatype}, root),
        reduce_at_once(sendbuf, recvbuf, {count, datatype, op}, rank_in(root)),
        reduce_of(sendbuf, recvbuf, {count, datatype, op}, rank_in(root)));
}
FMPL_MPI_NAME(MPI_Reduce)

int PMPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
    MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Ireduce", comm, request, block_facts(comm, {count, datatype}, root),
        reduce_of(sendbuf, recvbuf, {count, datatype, op}, rank_in(root)));
}
FMPL_MPI_NAME(MPI_Ireduce)

int PMPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return blocking_collective("MPI_Allreduce", comm, block_facts(comm, {count, datatype}),
        allreduce_at_once(sendbuf, recvbuf, {count, datatype, op}),
        allreduce_of(sendbuf, recvbuf, {count, datatype, op}));
}
FMPL_MPI_NAME(MPI_Allreduce)

int PMPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
    MPI_Request* request)
{
    return nonblocking_collective("MPI_Iallreduce", comm, request, block_facts(comm, {count, datatype}),
        allreduce_of(sendbuf, recvbuf, {count, datatype, op}));
}
FMPL_MPI_NAME(MPI_Iallreduce)

int PMPI_Reduce_scatter(
    const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return blocking_collective("MPI_Reduce_scatter", comm, parts_facts(comm, recvcounts, datatype),
        reduce_scatter_of(sendbuf, recvbuf, recvcounts, datatype, op));
}
FMPL_MPI_NAME(MPI_Reduce_scatter)

int PMPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Ireduce_scatter", comm, request, parts_facts(comm, recvcounts, datatype),
        reduce_scatter_of(sendbuf, recvbuf, recvcounts, datatype, op));
}
FMPL_MPI_NAME(MPI_Ireduce_scatter)

int PMPI_Reduce_scatter_block(
    const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return blocking_collective("MPI_Reduce_scatter_block", comm, blocks_facts(comm, {recvcount, datatype}),
        reduce_scatter_block_of(sendbuf, recvbuf, {recvcount, datatype, op}));
}
FMPL_MPI_NAME(MPI_Reduce_scatter_block)

int PMPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Ireduce_scatter_block", comm, request, blocks_facts(comm, {recvcount, datatype}),
        reduce_scatter_block_of(sendbuf, recvbuf, {recvcount, datatype, op}));
}
FMPL_MPI_NAME(MPI_Ireduce_scatter_block)

int PMPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return blocking_collective(
        "MPI_Scan", comm, block_facts(comm, {count, datatype}), scan_of(sendbuf, recvbuf, {count, datatype, op}, true));
}
FMPL_MPI_NAME(MPI_Scan)

int PMPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
    MPI_Request* request)
{
    return nonblocking_collective("MPI_Iscan", comm, request, block_facts(comm, {count, datatype}),
        scan_of(sendbuf, recvbuf, {count, datatype, op}, true));
}
FMPL_MPI_NAME(MPI_Iscan)

int PMPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return blocking_collective("MPI_Exscan", comm, block_facts(comm, {count, datatype}),
        scan_of(sendbuf, recvbuf, {count, datatype, op}, false));
}
FMPL_MPI_NAME(MPI_Exscan)

int PMPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
    MPI_Request* request)
{
    return nonblocking_collective("MPI_Iexscan", comm, request, block_facts(comm, {count, datatype}),
        scan_of(sendbuf, recvbuf, {count, datatype, op}, false));
}
FMPL_MPI_NAME(MPI_Iexscan)
