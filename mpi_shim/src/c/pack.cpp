// MPI-3.1, section 4.2: pack and unpack. The packed form is the bytes of the type map in order.
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "datatype/checked.hpp"

#include <climits>
#include <cstddef>

namespace fmpl::mpi {
namespace {

// The position in a packed buffer of `size` bytes, from which `bytes` are to be taken or put.
void check_position(int size, const int* position, std::uint64_t bytes, const char* size_argument)
{
    check_pointer(position, "position");
    if (size < 0)
        fail(ErrorClass::argument, "{} = {} is negative; give the bytes of the packed buffer", size_argument, size);
    if (*position < 0 || *position > size || bytes > static_cast<std::uint64_t>(size - *position)) {
        fail(ErrorClass::argument,
            "the packed buffer ({} = {}) has no {} bytes at position {}; MPI_Pack_size says how many it takes",
            size_argument, size, bytes, *position);
    }
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Pack(
    const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position, MPI_Comm comm)
{
    return call_on("MPI_Pack", comm, [&](Process& process) {
        process.communicator(number_of(comm));
        const MessageBuffer in = message_buffer(process, inbuf, incount, datatype, "inbuf", "incount");
        check_position(outsize, position, in.bytes, "outsize");
        if (in.bytes == 0) return;
        if (outbuf == nullptr) fail_buffer(outbuf, "outbuf");
        in.pack(0, in.bytes, static_cast<std::byte*>(outbuf) + *position);
        *position += static_cast<int>(in.bytes);
    });
}
FMPL_MPI_NAME(MPI_Pack)

int PMPI_Unpack(
    const void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype datatype, MPI_Comm comm)
{
    return call_on("MPI_Unpack", comm, [&](Process& process) {
        process.communicator(number_of(comm));
        const MessageBuffer out = message_buffer(process, outbuf, outcount, datatype, "outbuf", "outcount");
        check_position(insize, position, out.bytes, "insize");
        if (out.bytes == 0) return;
        if (inbuf == nullptr) fail_buffer(inbuf, "inbuf");
        out.unpack(0, out.bytes, static_cast<const std::byte*>(inbuf) + *position);
        *position += static_cast<int>(out.bytes);
    });
}
FMPL_MPI_NAME(MPI_Unpack)

int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size)
{
    return call_on("MPI_Pack_size", comm, [&](Process& process) {
        process.communicator(number_of(comm));
        check_count(incount, "incount");
        const TypeObjectPtr& type = process.type(number_of(datatype));
        check_pointer(size, "size");
        const std::int64_t bytes = checked_multiply<std::int64_t>(type->type->size(), incount);
        *size = bytes <= INT_MAX ? static_cast<int>(bytes) : MPI_UNDEFINED;
    });
}
FMPL_MPI_NAME(MPI_Pack_size)
