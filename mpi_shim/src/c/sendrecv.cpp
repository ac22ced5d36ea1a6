// MPI-3.1, section 3.10: send and receive at once. The receive is started, then the message is sent, and then both are
// waited for, so that neither side needs the other one to begin with something else.
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "c/completion.hpp"

#include <cstddef>
#include <memory>

namespace fmpl::mpi {
namespace {

void exchange(Process& process, Communicator& comm, const MessageBuffer& out, int dest, int sendtag,
    const MessageBuffer& in, int source, int recvtag, MPI_Status* status)
{
    const RequestRef receive = process.messenger.irecv(in, comm, Traffic::point_to_point, source, recvtag);
    RequestRef send;
    if (!process.messenger.send_eagerly(out, comm, Traffic::point_to_point, dest, sendtag))
        send = process.messenger.isend(out, comm, Traffic::point_to_point, dest, sendtag);
    if (!receive->complete) process.messenger.wait(*receive);
    if (send && !send->complete) process.messenger.wait(*send);
    give_checked(status, receive->status);
}

// They are the core's from then on.
void take_ends(const Communicator& comm, int& dest, int& sendtag, int& source, int& recvtag)
{
    dest = rank_in(dest);
    sendtag = tag_in(sendtag);
    source = rank_in(source);
    recvtag = tag_in(recvtag);
    check_destination(comm, dest);
    check_send_tag(sendtag, "sendtag");
    check_source(comm, source);
    check_receive_tag(recvtag, "recvtag");
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status)
{
    return call_on("MPI_Sendrecv", comm, send_facts(sendcount, sendtype, dest, sendtag, comm), [&](Process& process) {
        Communicator& on = *process.communicator(number_of(comm));
        const MessageBuffer out =
            message_buffer(process, sendbuf, sendcount, sendtype, "sendbuf", "sendcount", "sendtype");
        const MessageBuffer in =
            message_buffer(process, recvbuf, recvcount, recvtype, "recvbuf", "recvcount", "recvtype");
        take_ends(on, dest, sendtag, source, recvtag);
        exchange(process, on, out, dest, sendtag, in, source, recvtag, status);
    });
}
FMPL_MPI_NAME(MPI_Sendrecv)

int PMPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
    MPI_Comm comm, MPI_Status* status)
{
    return call_on(
        "MPI_Sendrecv_replace", comm, send_facts(count, datatype, dest, sendtag, comm), [&](Process& process) {
            Communicator& on = *process.communicator(number_of(comm));
            const MessageBuffer in = message_buffer(process, buf, count, datatype);
            take_ends(on, dest, sendtag, source, recvtag);
            const auto packed = std::make_unique_for_overwrite<std::byte[]>(in.bytes);
            in.pack(0, in.bytes, packed.get());
            const MessageBuffer out = MessageBuffer::piece(packed.get(), in.bytes);
            exchange(process, on, out, dest, sendtag, in, source, recvtag, status);
        });
}
FMPL_MPI_NAME(MPI_Sendrecv_replace)
