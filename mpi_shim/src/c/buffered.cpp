// MPI-3.1, sections 3.4 and 3.6: the buffered mode and its buffer.
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "messenger/buffered_sends.hpp"

#include <cstddef>
#include <utility>

namespace fmpl::mpi {
namespace {

void bsend(Process& process, const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    Communicator& on = *process.communicator(number_of(comm));
    const MessageBuffer message = message_buffer(process, buf, count, datatype);
    dest = rank_in(dest);
    tag = tag_in(tag);
    check_destination(on, dest);
    check_send_tag(tag);
    send_buffered(process.buffered_sends, process.messenger, message, on, dest, tag);
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Buffer_attach(void* buffer, int size)
{
    return call("MPI_Buffer_attach", [&](Process& process) {
        if (size < 0) fail(ErrorClass::argument, "size = {} is negative; give the bytes of the buffer", size);
        if (buffer == nullptr && size > 0) fail_buffer(buffer, "buffer");
#ifdef MPI_BUFFER_AUTOMATIC
        if (buffer == MPI_BUFFER_AUTOMATIC) {
            fail(ErrorClass::buffer, "buffer is MPI_BUFFER_AUTOMATIC, of MPI-4.1, which is not there; give a buffer");
        }
#endif
        if (process.buffered_sends != nullptr) {
            fail(ErrorClass::buffer, "a buffer of {} bytes is attached already; call MPI_Buffer_detach first",
                process.buffered_sends->size());
        }
        process.buffered_sends = std::make_unique<BufferedSends>(buffer, static_cast<std::size_t>(size));
    });
}
FMPL_MPI_NAME(MPI_Buffer_attach)

// Without a buffer it gives a null pointer and 0, as MPICH does.
int PMPI_Buffer_detach(void* buffer_addr, int* size)
{
    return call("MPI_Buffer_detach", [&](Process& process) {
        check_pointer(buffer_addr, "buffer_addr");
        check_pointer(size, "size");
        void* buffer = nullptr;
        *size = 0;
        // None is attached from now on, also for who comes while this waits.
        if (const AttachedBuffer attached = std::move(process.buffered_sends)) {
            attached->wait_until_empty(process.messenger);
            buffer = attached->buffer();
            *size = static_cast<int>(attached->size());
        }
        *static_cast<void**>(buffer_addr) = buffer;
    });
}
FMPL_MPI_NAME(MPI_Buffer_detach)

int PMPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return call_on("MPI_Bsend", comm, send_facts(count, datatype, dest, tag, comm),
        [&](Process& process) { bsend(process, buf, count, datatype, dest, tag, comm); });
}
FMPL_MPI_NAME(MPI_Bsend)

int PMPI_Ibsend(
    const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)
{
    return call_on("MPI_Ibsend", comm, send_facts(count, datatype, dest, tag, comm), [&](Process& process) {
        check_pointer(request, "request");
        bsend(process, buf, count, datatype, dest, tag, comm);
        *request = handle_for<MPI_Request>(process.sent->handle);
    });
}
FMPL_MPI_NAME(MPI_Ibsend)
