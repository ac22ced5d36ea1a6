// MPI-3.1, sections 5.3 to 5.8 and 5.12: barrier, broadcast, gather, scatter, all-to-all, blocking or not.
#include "c/collective_arguments.hpp"
#include "coll/choose.hpp"
#include "coll/fast_path.hpp"

#include <algorithm>
#include <cstdint>

namespace fmpl::mpi {
namespace {

// Also a broadcast of no bytes: where the others have some, all hear of it.
bool bcast_at_once(Process& process, Communicator& comm, void* buffer, int count, MPI_Datatype datatype, int root)
{
    check_root(comm, root);
    return fast_bcast(process.collective, comm, message_buffer(process, buffer, count, datatype, "buffer"), root);
}

void bcast(
    Process& process, Communicator& comm, Schedule& schedule, void* buffer, int count, MPI_Datatype datatype, int root)
{
    check_root(comm, root);
    if (root == kProcNull) return;
    coll::bcast(schedule, message_buffer(process, buffer, count, datatype, "buffer"), root);
}

// Where the two overlap, the call fails when it is complete: this rank alone sees it, and the others are not left
// waiting.
void copy_own_block(Schedule& schedule, const void* sendbuf, const void* recvbuf, const MessageBuffer& sent,
    const MessageBuffer& received)
{
    schedule.keep_error([&] {
        check_aliasing(sendbuf, recvbuf, sent.bytes > 0);
        check_aliasing(sent, received);
        schedule.copy(sent, received);
    });
}

// What gather and gatherv (scatter and scatterv) have in common. single: makes the side of every rank, `parts` that
// of root.
template <class Single, class Parts>
void gather(Communicator& comm, Schedule& schedule, const void* sendbuf, const void* recvbuf, int root, Single&& single,
    Parts&& parts)
{
    const bool root_stays = comm.keeps_root(root);  // before a check that this rank alone may fail
    check_root(comm, root);
    const auto none = [](int) { return MessageBuffer(); };
    if (comm.is_inter()) {
        if (root == kProcNull) return;
        if (root == kRoot) return coll::gather(schedule, {}, parts(comm.peers().size()), root, root_stays);
        return coll::gather(schedule, single().message(), none, root, root_stays);
    }
    if (comm.rank() != root) {
        check_not_in_place(sendbuf, "sendbuf");
        return coll::gather(schedule, single().message(), none, root, root_stays);
    }
    const CallSide blocks = parts(comm.size());
    if (sendbuf != MPI_IN_PLACE) {
        const MessageBuffer mine = single().message();
        copy_own_block(schedule, sendbuf, recvbuf, mine, blocks.at(root));
    }
    coll::gather(schedule, {}, blocks, root, root_stays);
}

template <class Parts, class Single>
void scatter(Communicator& comm, Schedule& schedule, const void* sendbuf, const void* recvbuf, int root,
    Lengths lengths, Parts&& parts, Single&& single)
{
    const bool root_stays = comm.keeps_root(root);  // before a check that this rank alone may fail
    check_root(comm, root);
    const auto from_others = [&](const CallSide& blocks) {
        coll::scatter(schedule, blocks, blocks.at(0).bytes, {}, root, lengths, root_stays);
    };
    const auto to_others = [&](const MessageBuffer& mine) {
        const auto none = [](int) { return MessageBuffer(); };
        coll::scatter(schedule, none, mine.bytes, mine, root, lengths, root_stays);
    };
    if (comm.is_inter()) {
        if (root == kProcNull) return;
        return root == kRoot ? from_others(parts(comm.peers().size())) : to_others(single().message());
    }
    if (comm.rank() != root) {
        check_not_in_place(recvbuf, "recvbuf");
        return to_others(single().message());
    }
    const CallSide blocks = parts(comm.size());
    if (recvbuf != MPI_IN_PLACE) {
        const MessageBuffer mine = single().message();
        copy_own_block(schedule, sendbuf, recvbuf, blocks.at(root), mine);
    }
    from_others(blocks);
}

// What allgather and allgatherv have in common. single: makes the side that sends. blocks: so many of `receive` have
// lengths of their own.
template <class Single>
void allgather(
    Communicator& comm, Schedule& schedule, const void* sendbuf, Single&& single, const CallSide& receive, int blocks)
{
    const int rank = comm.rank();
    MessageBuffer mine;
    if (is_in_place(comm, sendbuf)) {
        mine = receive.at(rank);
    } else {
        mine = single().message();
        if (comm.is_inter()) {
            schedule.keep_error([&] { check_aliasing(sendbuf, receive.buffer(), mine.bytes > 0); });
        } else {
            copy_own_block(schedule, sendbuf, receive.buffer(), mine, receive.at(rank));
        }
    }
    std::uint64_t longest = 0;
    for (int i = 0; i < blocks; ++i) longest = std::max(longest, receive.at(i).bytes);
    coll::allgather(schedule, mine, receive, longest, blocks == 1 ? Lengths::equal : Lengths::varying);
}

// What alltoall, alltoallv and alltoallw have in common.
template <class Send>
void alltoall(
    Communicator& comm, Schedule& schedule, const void* sendbuf, Lengths lengths, Send&& send, const CallSide& receive)
{
    if (is_in_place(comm, sendbuf)) return coll::alltoall(schedule, receive, receive, lengths, false);
    const int rank = comm.rank();
    const CallSide outgoing = send();
    bool is_apart = false;
    schedule.keep_error([&] {
        check_aliasing(outgoing.at(0), receive.at(0));
        if (!comm.is_inter()) check_aliasing(outgoing.at(rank), receive.at(rank));
        is_apart = true;
    });
    if (is_apart && !comm.is_inter()) schedule.copy(outgoing.at(rank), receive.at(rank));
    coll::alltoall(schedule, outgoing, receive, lengths, is_apart);
}

// Each makes what fills the schedule of a call with these arguments.

auto gather_of(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, int root)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        gather(
            comm, schedule, sendbuf, recvbuf, root,
            [&] { return CallSide::equal(process, sendbuf, sendcount, sendtype, kSendNames); },
            [&](int) { return CallSide::equal(process, recvbuf, recvcount, recvtype, kReceiveNames); });
    };
}

auto gatherv_of(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
    const int* displs, MPI_Datatype recvtype, int root)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        gather(
            comm, schedule, sendbuf, recvbuf, root,
            [&] { return CallSide::equal(process, sendbuf, sendcount, sendtype, kSendNames); },
            [&](int peers) {
                return CallSide::varying(process, recvbuf, recvcounts, displs, recvtype, peers, kReceivePartNames);
            });
    };
}

auto scatter_of(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, int root)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        scatter(
            comm, schedule, sendbuf, recvbuf, root, Lengths::equal,
            [&](int) { return CallSide::equal(process, sendbuf, sendcount, sendtype, kSendNames); },
            [&] { return CallSide::equal(process, recvbuf, recvcount, recvtype, kReceiveNames); });
    };
}

auto scatterv_of(const void* sendbuf, const int* sendcounts, const int* displs, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, int root)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        scatter(
            comm, schedule, sendbuf, recvbuf, root, Lengths::varying,
            [&](int peers) {
                return CallSide::varying(process, sendbuf, sendcounts, displs, sendtype, peers, kSendPartNames);
            },
            [&] { return CallSide::equal(process, recvbuf, recvcount, recvtype, kReceiveNames); });
    };
}

auto allgather_of(
    const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        allgather(
            comm, schedule, sendbuf, [&] { return CallSide::equal(process, sendbuf, sendcount, sendtype, kSendNames); },
            CallSide::equal(process, recvbuf, recvcount, recvtype, kReceiveNames), 1);
    };
}

auto allgatherv_of(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
    const int* displs, MPI_Datatype recvtype)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        allgather(
            comm, schedule, sendbuf, [&] { return CallSide::equal(process, sendbuf, sendcount, sendtype, kSendNames); },
            CallSide::varying(process, recvbuf, recvcounts, displs, recvtype, comm.peers().size(), kReceivePartNames),
            comm.peers().size());
    };
}

auto alltoall_of(
    const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        alltoall(
            comm, schedule, sendbuf, Lengths::equal,
            [&] { return CallSide::equal(process, sendbuf, sendcount, sendtype, kSendNames); },
            CallSide::equal(process, recvbuf, recvcount, recvtype, kReceiveNames));
    };
}

auto alltoallv_of(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype, void* recvbuf,
    const int* recvcounts, const int* rdispls, MPI_Datatype recvtype)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        const int peers = comm.peers().size();
        alltoall(
            comm, schedule, sendbuf, Lengths::varying,
            [&] { return CallSide::varying(process, sendbuf, sendcounts, sdispls, sendtype, peers, kSendsNames); },
            CallSide::varying(process, recvbuf, recvcounts, rdispls, recvtype, peers, kReceivesNames));
    };
}

auto alltoallw_of(const void* sendbuf, const int* sendcounts, const int* sdispls, const MPI_Datatype* sendtypes,
    void* recvbuf, const int* recvcounts, const int* rdispls, const MPI_Datatype* recvtypes)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        const int peers = comm.peers().size();
        alltoall(
            comm, schedule, sendbuf, Lengths::varying,
            [&] {
                return CallSide::varying_types(process, sendbuf, sendcounts, sdispls, sendtypes, peers, kSendsNames);
            },
            CallSide::varying_types(process, recvbuf, recvcounts, rdispls, recvtypes, peers, kReceivesNames));
    };
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Barrier(MPI_Comm comm)
{
    return blocking_collective(
        "MPI_Barrier", comm, NoFacts(),
        [](Process& process, Communicator& on) { return on.size() == 1 || fast_barrier(process.collective, on); },
        [](Process&, Communicator&, Schedule& schedule) { coll::barrier(schedule); });
}
FMPL_MPI_NAME(MPI_Barrier)

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Ibarrier", comm, request, NoFacts(),
        [](Process&, Communicator&, Schedule& schedule) { coll::barrier(schedule); });
}
FMPL_MPI_NAME(MPI_Ibarrier)

int PMPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    return blocking_collective(
        "MPI_Bcast", comm, block_facts(comm, {count, datatype}, root),
        [&](Process& process, Communicator& on) {
            return bcast_at_once(process, on, buffer, count, datatype, rank_in(root));
        },
        [&](Process& process, Communicator& on, Schedule& schedule) {
            bcast(process, on, schedule, buffer, count, datatype, rank_in(root));
        });
}
FMPL_MPI_NAME(MPI_Bcast)

int PMPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Ibcast", comm, request, block_facts(comm, {count, datatype}, root),
        [&](Process& process, Communicator& on, Schedule& schedule) {
            bcast(process, on, schedule, buffer, count, datatype, rank_in(root));
        });
}
FMPL_MPI_NAME(MPI_Ibcast)

int PMPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return blocking_collective("MPI_Gather", comm,
        block_facts(comm, operand(sendbuf, {sendcount, sendtype}, kNothing), root),
        gather_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, rank_in(root)));
}
FMPL_MPI_NAME(MPI_Gather)

int PMPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Igather", comm, request,
        block_facts(comm, operand(sendbuf, {sendcount, sendtype}, kNothing), root),
        gather_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, rank_in(root)));
}
FMPL_MPI_NAME(MPI_Igather)

int PMPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
    const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return blocking_collective("MPI_Gatherv", comm,
        block_facts(comm, operand(sendbuf, {sendcount, sendtype}, kNothing), root),
        gatherv_of(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, rank_in(root)));
}
FMPL_MPI_NAME(MPI_Gatherv)

int PMPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
    const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Igatherv", comm, request,
        block_facts(comm, operand(sendbuf, {sendcount, sendtype}, kNothing), root),
        gatherv_of(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, rank_in(root)));
}
FMPL_MPI_NAME(MPI_Igatherv)

int PMPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return blocking_collective("MPI_Scatter", comm,
        block_facts(comm, operand(recvbuf, {recvcount, recvtype}, kNothing), root),
        scatter_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, rank_in(root)));
}
FMPL_MPI_NAME(MPI_Scatter)

int PMPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Iscatter", comm, request,
        block_facts(comm, operand(recvbuf, {recvcount, recvtype}, kNothing), root),
        scatter_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, rank_in(root)));
}
FMPL_MPI_NAME(MPI_Iscatter)

int PMPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return blocking_collective("MPI_Scatterv", comm,
        block_facts(comm, operand(recvbuf, {recvcount, recvtype}, kNothing), root),
        scatterv_of(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, rank_in(root)));
}
FMPL_MPI_NAME(MPI_Scatterv)

int PMPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
    void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Iscatterv", comm, request,
        block_facts(comm, operand(recvbuf, {recvcount, recvtype}, kNothing), root),
        scatterv_of(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, rank_in(root)));
}
FMPL_MPI_NAME(MPI_Iscatterv)

int PMPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm)
{
    return blocking_collective("MPI_Allgather", comm,
        block_facts(comm, operand(sendbuf, {sendcount, sendtype}, {recvcount, recvtype})),
        allgather_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
}
FMPL_MPI_NAME(MPI_Allgather)

int PMPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Iallgather", comm, request,
        block_facts(comm, operand(sendbuf, {sendcount, sendtype}, {recvcount, recvtype})),
        allgather_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
}
FMPL_MPI_NAME(MPI_Iallgather)

int PMPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
    const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return blocking_collective("MPI_Allgatherv", comm,
        own_part_facts(comm, sendbuf, {sendcount, sendtype}, recvcounts, recvtype),
        allgatherv_of(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype));
}
FMPL_MPI_NAME(MPI_Allgatherv)

int PMPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
    const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Iallgatherv", comm, request,
        own_part_facts(comm, sendbuf, {sendcount, sendtype}, recvcounts, recvtype),
        allgatherv_of(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype));
}
FMPL_MPI_NAME(MPI_Iallgatherv)

int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm)
{
    return blocking_collective("MPI_Alltoall", comm,
        blocks_facts(comm, operand(sendbuf, {sendcount, sendtype}, {recvcount, recvtype})),
        alltoall_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
}
FMPL_MPI_NAME(MPI_Alltoall)

int PMPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Ialltoall", comm, request,
        blocks_facts(comm, operand(sendbuf, {sendcount, sendtype}, {recvcount, recvtype})),
        alltoall_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
}
FMPL_MPI_NAME(MPI_Ialltoall)

int PMPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return blocking_collective("MPI_Alltoallv", comm,
        parts_facts(
            comm, sendbuf == MPI_IN_PLACE ? recvcounts : sendcounts, sendbuf == MPI_IN_PLACE ? recvtype : sendtype),
        alltoallv_of(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype));
}
FMPL_MPI_NAME(MPI_Alltoallv)

int PMPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
    MPI_Request* request)
{
    return nonblocking_collective("MPI_Ialltoallv", comm, request,
        parts_facts(
            comm, sendbuf == MPI_IN_PLACE ? recvcounts : sendcounts, sendbuf == MPI_IN_PLACE ? recvtype : sendtype),
        alltoallv_of(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype));
}
FMPL_MPI_NAME(MPI_Ialltoallv)

int PMPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
    void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return blocking_collective("MPI_Alltoallw", comm,
        parts_facts(
            comm, sendbuf == MPI_IN_PLACE ? recvcounts : sendcounts, sendbuf == MPI_IN_PLACE ? recvtypes : sendtypes),
        alltoallw_of(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes));
}
FMPL_MPI_NAME(MPI_Alltoallw)

int PMPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
    void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
    MPI_Request* request)
{
    return nonblocking_collective("MPI_Ialltoallw", comm, request,
        parts_facts(
            comm, sendbuf == MPI_IN_PLACE ? recvcounts : sendcounts, sendbuf == MPI_IN_PLACE ? recvtypes : sendtypes),
        alltoallw_of(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes));
}
FMPL_MPI_NAME(MPI_Ialltoallw)
