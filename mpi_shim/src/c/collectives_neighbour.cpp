// MPI-3.1, sections 7.6 and 7.7: exchange with the neighbours of a topology, blocking or not.
#include "c/collective_arguments.hpp"
#include "coll/choose.hpp"
#include "group/topology.hpp"

namespace fmpl::mpi {
namespace {

int degree(const std::vector<int>& neighbours)
{
    return static_cast<int>(neighbours.size());
}

// What all of them have in common. send, receive: make a side of the call for so many neighbours.
template <class Send, class Receive>
void exchange(
    Communicator& comm, Schedule& schedule, const void* sendbuf, const void* recvbuf, Send&& send, Receive&& receive)
{
    const Neighbours& neighbours = neighbours_of(comm);
    check_not_in_place(sendbuf, "sendbuf");
    check_not_in_place(recvbuf, "recvbuf");
    const auto outgoing = send(degree(neighbours.destinations));
    const CallSide incoming = receive(degree(neighbours.sources));
    if (!neighbours.destinations.empty() && !neighbours.sources.empty()) {
        schedule.keep_error([&] { check_aliasing(outgoing(0), incoming(0)); });
    }
    coll::neighbours(schedule, neighbours, outgoing, incoming);
}

// Every neighbour gets the one block.
auto same_for_all(const CallSide& side)
{
    return [message = side.message()](int) { return message; };
}

// Each makes what fills the schedule of a call with these arguments.

auto neighbour_allgather_of(
    const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        exchange(
            comm, schedule, sendbuf, recvbuf,
            [&](int) { return same_for_all(CallSide::equal(process, sendbuf, sendcount, sendtype, kSendNames)); },
            [&](int) { return CallSide::equal(process, recvbuf, recvcount, recvtype, kReceiveNames); });
    };
}

auto neighbour_allgatherv_of(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    const int* recvcounts, const int* displs, MPI_Datatype recvtype)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        exchange(
            comm, schedule, sendbuf, recvbuf,
            [&](int) { return same_for_all(CallSide::equal(process, sendbuf, sendcount, sendtype, kSendNames)); },
            [&](int n) {
                return CallSide::varying(process, recvbuf, recvcounts, displs, recvtype, n, kReceivePartNames);
            });
    };
}

auto neighbour_alltoall_of(
    const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        exchange(
            comm, schedule, sendbuf, recvbuf,
            [&](int) { return CallSide::equal(process, sendbuf, sendcount, sendtype, kSendNames); },
            [&](int) { return CallSide::equal(process, recvbuf, recvcount, recvtype, kReceiveNames); });
    };
}

auto neighbour_alltoallv_of(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
    void* recvbuf, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        exchange(
            comm, schedule, sendbuf, recvbuf,
            [&](int n) { return CallSide::varying(process, sendbuf, sendcounts, sdispls, sendtype, n, kSendsNames); },
            [&](int n) {
                return CallSide::varying(process, recvbuf, recvcounts, rdispls, recvtype, n, kReceivesNames);
            });
    };
}

auto neighbour_alltoallw_of(const void* sendbuf, const int* sendcounts, const MPI_Aint* sdispls,
    const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts, const MPI_Aint* rdispls,
    const MPI_Datatype* recvtypes)
{
    return [=](Process& process, Communicator& comm, Schedule& schedule) {
        exchange(
            comm, schedule, sendbuf, recvbuf,
            [&](int n) {
                return CallSide::varying_types(process, sendbuf, sendcounts, sdispls, sendtypes, n, kSendsNames);
            },
            [&](int n) {
                return CallSide::varying_types(process, recvbuf, recvcounts, rdispls, recvtypes, n, kReceivesNames);
            });
    };
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm)
{
    return blocking_collective("MPI_Neighbor_allgather", comm, block_facts(comm, {sendcount, sendtype}),
        neighbour_allgather_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
}
FMPL_MPI_NAME(MPI_Neighbor_allgather)

int PMPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Ineighbor_allgather", comm, request, block_facts(comm, {sendcount, sendtype}),
        neighbour_allgather_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
}
FMPL_MPI_NAME(MPI_Ineighbor_allgather)

int PMPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return blocking_collective("MPI_Neighbor_allgatherv", comm, block_facts(comm, {sendcount, sendtype}),
        neighbour_allgatherv_of(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype));
}
FMPL_MPI_NAME(MPI_Neighbor_allgatherv)

int PMPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Ineighbor_allgatherv", comm, request, block_facts(comm, {sendcount, sendtype}),
        neighbour_allgatherv_of(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype));
}
FMPL_MPI_NAME(MPI_Ineighbor_allgatherv)

int PMPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm)
{
    return blocking_collective("MPI_Neighbor_alltoall", comm, blocks_facts(comm, {sendcount, sendtype}, To::neighbours),
        neighbour_alltoall_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
}
FMPL_MPI_NAME(MPI_Neighbor_alltoall)

int PMPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Ineighbor_alltoall", comm, request,
        blocks_facts(comm, {sendcount, sendtype}, To::neighbours),
        neighbour_alltoall_of(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
}
FMPL_MPI_NAME(MPI_Ineighbor_alltoall)

int PMPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return blocking_collective("MPI_Neighbor_alltoallv", comm, parts_facts(comm, sendcounts, sendtype, To::neighbours),
        neighbour_alltoallv_of(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype));
}
FMPL_MPI_NAME(MPI_Neighbor_alltoallv)

int PMPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
    MPI_Request* request)
{
    return nonblocking_collective("MPI_Ineighbor_alltoallv", comm, request,
        parts_facts(comm, sendcounts, sendtype, To::neighbours),
        neighbour_alltoallv_of(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype));
}
FMPL_MPI_NAME(MPI_Ineighbor_alltoallv)

int PMPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return blocking_collective("MPI_Neighbor_alltoallw", comm, parts_facts(comm, sendcounts, sendtypes, To::neighbours),
        neighbour_alltoallw_of(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes));
}
FMPL_MPI_NAME(MPI_Neighbor_alltoallw)

int PMPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request)
{
    return nonblocking_collective("MPI_Ineighbor_alltoallw", comm, request,
        parts_facts(comm, sendcounts, sendtypes, To::neighbours),
        neighbour_alltoallw_of(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes));
}
FMPL_MPI_NAME(MPI_Ineighbor_alltoallw)
