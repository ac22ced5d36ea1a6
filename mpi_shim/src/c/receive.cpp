// MPI-3.1, sections 3.2.4 and 3.7.2: receives.
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "c/completion.hpp"
#include "messenger/short_ways.hpp"

using namespace fmpl::mpi;

int PMPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status)
{
    return call_on("MPI_Recv", comm, receive_facts(count, datatype, source, tag, comm), [&](Process& process) {
        Communicator& on = *process.communicator(number_of(comm));
        const MessageBuffer message = message_buffer(process, buf, count, datatype);
        source = rank_in(source);
        tag = tag_in(tag);
        check_source(on, source);
        check_receive_tag(tag);
        give_checked(status, process.messenger.recv(message, on, Traffic::point_to_point, source, tag));
    });
}
FMPL_MPI_NAME(MPI_Recv)

int PMPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request)
{
    return call_on("MPI_Irecv", comm, receive_facts(count, datatype, source, tag, comm), [&](Process& process) {
        Communicator& on = *process.communicator(number_of(comm));
        const MessageBuffer message = message_buffer(process, buf, count, datatype);
        source = rank_in(source);
        tag = tag_in(tag);
        check_source(on, source);
        check_receive_tag(tag);
        check_pointer(request, "request");
        RequestRef made = process.messenger.begin_receive(message, on, Traffic::point_to_point, source, tag);
        made->comm_handle = on.handle;
        *request = handle_for<MPI_Request>(process.add(std::move(made)));
    });
}
FMPL_MPI_NAME(MPI_Irecv)
