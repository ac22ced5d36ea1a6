// MPI-3.1, section 3.9: persistent requests.
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "c/completion.hpp"
#include "messenger/persistent_request.hpp"

namespace fmpl::mpi {
namespace {

using Transfer = PersistentRequest::Kind;

int prepare(const char* name, Transfer kind, const void* buf, int count, MPI_Datatype datatype, int peer, int tag,
    MPI_Comm comm, MPI_Request* request)
{
    return call_on(name, comm, [&](Process& process) {
        const CommunicatorPtr& on = process.communicator(number_of(comm));
        MessageBuffer message = message_buffer(process, buf, count, datatype);
        peer = rank_in(peer);
        tag = tag_in(tag);
        if (kind == Transfer::receive) {
            check_source(*on, peer);
            check_receive_tag(tag);
        } else {
            check_destination(*on, peer);
            check_send_tag(tag);
        }
        check_pointer(request, "request");
        *request = handle_for<MPI_Request>(process.add(RequestRef(
            new PersistentRequest(process.buffered_sends, process.sent, kind, std::move(message), on, peer, tag))));
    });
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Send_init(
    const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)
{
    return prepare("MPI_Send_init", Transfer::standard_send, buf, count, datatype, dest, tag, comm, request);
}
FMPL_MPI_NAME(MPI_Send_init)

int PMPI_Bsend_init(
    const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)
{
    return prepare("MPI_Bsend_init", Transfer::buffered_send, buf, count, datatype, dest, tag, comm, request);
}
FMPL_MPI_NAME(MPI_Bsend_init)

int PMPI_Ssend_init(
    const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)
{
    return prepare("MPI_Ssend_init", Transfer::synchronous_send, buf, count, datatype, dest, tag, comm, request);
}
FMPL_MPI_NAME(MPI_Ssend_init)

int PMPI_Rsend_init(
    const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)
{
    return prepare("MPI_Rsend_init", Transfer::standard_send, buf, count, datatype, dest, tag, comm, request);
}
FMPL_MPI_NAME(MPI_Rsend_init)

int PMPI_Recv_init(
    void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request)
{
    return prepare("MPI_Recv_init", Transfer::receive, buf, count, datatype, source, tag, comm, request);
}
FMPL_MPI_NAME(MPI_Recv_init)

int PMPI_Start(MPI_Request* request)
{
    return call_then_on("MPI_Start", [&](Process& process, HandleNumber& comm) {
        check_pointer(request, "request");
        Request& found = process.request(number_of(*request));
        if (found.comm_handle != 0) comm = found.comm_handle;
        found.start(process.messenger);
    });
}
FMPL_MPI_NAME(MPI_Start)

int PMPI_Startall(int count, MPI_Request requests[])
{
    return call_then_on("MPI_Startall", [&](Process& process, HandleNumber& comm) {
        for (const MPI_Request request : array_of(requests, count, "array_of_requests")) {
            Request& found = process.request(number_of(request), "a request of the array");
            if (found.comm_handle != 0) comm = found.comm_handle;
            found.start(process.messenger);
        }
    });
}
FMPL_MPI_NAME(MPI_Startall)
