// MPI-3.1, sections 3.2, 3.4 and 3.7: sends of the standard, the synchronous and the ready mode, blocking or not. A
// ready send is a standard one: that the receive is posted allows nothing here that the standard protocol does not do
// anyway.
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "messenger/short_ways.hpp"

namespace fmpl::mpi {
namespace {

int send(const char* name, SendMode mode, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm)
{
    return call_on(name, comm, send_facts(count, datatype, dest, tag, comm), [&](Process& process) {
        Communicator& on = *process.communicator(number_of(comm));
        const MessageBuffer message = message_buffer(process, buf, count, datatype);
        dest = rank_in(dest);
        tag = tag_in(tag);
        check_destination(on, dest);
        check_send_tag(tag);
        process.messenger.send(message, on, Traffic::point_to_point, dest, tag, mode);
    });
}

// Out of line, so that a short message's way needs no registers for it.
[[gnu::noinline]] MPI_Request begin_send(
    Process& process, const MessageBuffer& message, Communicator& on, int dest, int tag, SendMode mode)
{
    RequestRef made = process.messenger.isend(message, on, Traffic::point_to_point, dest, tag, mode);
    made->comm_handle = on.handle;
    return handle_for<MPI_Request>(process.add(std::move(made)));
}

// Inlined, with the whole way of a short message, in each of the calls.
[[gnu::always_inline]] inline int isend(const char* name, SendMode mode, const void* buf, int count,
    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)
{
    const auto body = [&](Process & process) __attribute__((always_inline))
    {
        Communicator& on = *process.communicator(number_of(comm));
        const MessageBuffer message = message_buffer(process, buf, count, datatype);
        dest = rank_in(dest);
        tag = tag_in(tag);
        check_destination(on, dest);
        check_send_tag(tag);
        check_pointer(request, "request");
        *request = mode == SendMode::standard &&
                           process.messenger.send_without_request(message, on, Traffic::point_to_point, dest, tag)
                       ? handle_for<MPI_Request>(process.sent->handle)
                       : begin_send(process, message, on, dest, tag, mode);
    };
    return call_on(name, comm, send_facts(count, datatype, dest, tag, comm), body);
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return send("MPI_Send", SendMode::standard, buf, count, datatype, dest, tag, comm);
}
FMPL_MPI_NAME(MPI_Send)

int PMPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return send("MPI_Ssend", SendMode::synchronous, buf, count, datatype, dest, tag, comm);
}
FMPL_MPI_NAME(MPI_Ssend)

int PMPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return send("MPI_Rsend", SendMode::standard, buf, count, datatype, dest, tag, comm);
}
FMPL_MPI_NAME(MPI_Rsend)

int PMPI_Isend(
    const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)
{
    return isend("MPI_Isend", SendMode::standard, buf, count, datatype, dest, tag, comm, request);
}
FMPL_MPI_NAME(MPI_Isend)

int PMPI_Issend(
    const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)
{
    return isend("MPI_Issend", SendMode::synchronous, buf, count, datatype, dest, tag, comm, request);
}
FMPL_MPI_NAME(MPI_Issend)

int PMPI_Irsend(
    const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)
{
    return isend("MPI_Irsend", SendMode::standard, buf, count, datatype, dest, tag, comm, request);
}
FMPL_MPI_NAME(MPI_Irsend)
