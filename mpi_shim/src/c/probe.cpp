// MPI-3.1, section 3.8: probes, and the receives of messages that a probe has matched.
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "c/completion.hpp"

namespace fmpl::mpi {
namespace {

// A matched probe, once: false when there is no message yet.
bool match(Process& process, const CommunicatorPtr& comm, int source, int tag, MPI_Message* message, MPI_Status* status)
{
    Status found = Status::of_proc_null();
    if (source == kProcNull) {
        *message = MPI_MESSAGE_NO_PROC;
    } else {
        MatchedMessage matched = process.messenger.matched_probe(*comm, source, tag, found);
        if (matched == nullptr) return false;
        const HandleNumber handle = process.messages.add(ProbedMessage{std::move(matched), comm});
        if (handle == 0) fail(ErrorClass::no_mem, "too many messages were probed and not received; receive them first");
        *message = handle_for<MPI_Message>(handle);
    }
    give(status, found);
    return true;
}

// Starts the receive of a probed message, whose handle is null from then on. Sets comm_handle to that of its
// communicator.
RequestRef receive_probed(
    Process& process, void* buf, int count, MPI_Datatype datatype, MPI_Message* message, HandleNumber& comm_handle)
{
    check_pointer(message, "message");
    if (*message == MPI_MESSAGE_NO_PROC) {
        const MessageBuffer buffer = message_buffer(process, buf, count, datatype);
        *message = MPI_MESSAGE_NULL;
        return process.messenger.irecv(buffer, *process.self, Traffic::point_to_point, kProcNull, kAnyTag);
    }
    ProbedMessage* const found = process.messages.find(number_of(*message));
    if (found == nullptr) {
        fail(ErrorClass::request, "message {} is no message that MPI_Mprobe or MPI_Improbe has matched",
            number_of(*message));
    }
    comm_handle = found->comm->handle;
    const MessageBuffer buffer = message_buffer(process, buf, count, datatype);
    ProbedMessage probed = process.messages.remove(number_of(*message));
    *message = MPI_MESSAGE_NULL;
    RequestRef request = process.messenger.receive_matched(std::move(probed.message), buffer);
    request->comm_handle = comm_handle;
    return request;
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status)
{
    return call_on("MPI_Probe", comm, receive_facts(0, MPI_DATATYPE_NULL, source, tag, comm), [&](Process& process) {
        Communicator& on = *process.communicator(number_of(comm));
        source = rank_in(source);
        tag = tag_in(tag);
        check_source(on, source);
        check_receive_tag(tag);
        give(status, source == kProcNull ? Status::of_proc_null() : process.messenger.await_message(on, source, tag));
    });
}
FMPL_MPI_NAME(MPI_Probe)

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status)
{
    return call_on("MPI_Iprobe", comm, receive_facts(0, MPI_DATATYPE_NULL, source, tag, comm), [&](Process& process) {
        Communicator& on = *process.communicator(number_of(comm));
        source = rank_in(source);
        tag = tag_in(tag);
        check_source(on, source);
        check_receive_tag(tag);
        check_pointer(flag, "flag");
        Status found = Status::of_proc_null();
        *flag = source == kProcNull || process.messenger.probe(on, source, tag, found);
        if (*flag) give(status, found);
    });
}
FMPL_MPI_NAME(MPI_Iprobe)

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status)
{
    return call_on("MPI_Mprobe", comm, receive_facts(0, MPI_DATATYPE_NULL, source, tag, comm), [&](Process& process) {
        const CommunicatorPtr on = process.communicator(number_of(comm));
        source = rank_in(source);
        tag = tag_in(tag);
        check_source(*on, source);
        check_receive_tag(tag);
        check_pointer(message, "message");
        if (source != kProcNull) process.messenger.await_message(*on, source, tag);
        match(process, on, source, tag, message, status);
    });
}
FMPL_MPI_NAME(MPI_Mprobe)

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status)
{
    return call_on("MPI_Improbe", comm, receive_facts(0, MPI_DATATYPE_NULL, source, tag, comm), [&](Process& process) {
        const CommunicatorPtr on = process.communicator(number_of(comm));
        source = rank_in(source);
        tag = tag_in(tag);
        check_source(*on, source);
        check_receive_tag(tag);
        check_pointer(flag, "flag");
        check_pointer(message, "message");
        *flag = match(process, on, source, tag, message, status);
        if (!*flag) *message = MPI_MESSAGE_NULL;
    });
}
FMPL_MPI_NAME(MPI_Improbe)

int PMPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status)
{
    return call_then_on("MPI_Mrecv", [&](Process& process, HandleNumber& comm) {
        const RequestRef request = receive_probed(process, buf, count, datatype, message, comm);
        process.messenger.wait(*request);
        give_checked(status, request->status);
    });
}
FMPL_MPI_NAME(MPI_Mrecv)

int PMPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request)
{
    return call_then_on("MPI_Imrecv", [&](Process& process, HandleNumber& comm) {
        check_pointer(request, "request");
        *request = handle_for<MPI_Request>(process.add(receive_probed(process, buf, count, datatype, message, comm)));
    });
}
FMPL_MPI_NAME(MPI_Imrecv)
