// MPI-3.1, section 4.3: packing in the external data representation.
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "datatype/external32.hpp"

#include <cstddef>
#include <string_view>

namespace fmpl::mpi {
namespace {

void check_representation(const char* datarep)
{
    check_pointer(datarep, "datarep");
    if (std::string_view(datarep) != "external32") {
        fail(ErrorClass::argument, "datarep = \"{}\" is not known; give \"external32\"", datarep);
    }
}

// The bytes in external form of what a call packs or unpacks, all its arguments checked.
std::int64_t check_arguments(const char* datarep, const void* buffer, int count, const TypeObject& type,
    const void* packed, MPI_Aint size, const MPI_Aint* position, const char* buffer_argument,
    const char* count_argument, const char* packed_argument)
{
    check_representation(datarep);
    check_count(count, count_argument);
    const std::int64_t bytes = external_size(*type.type, count);
    check_buffer(buffer, static_cast<std::uint64_t>(bytes), type, buffer_argument);
    check_pointer(position, "position");
    if (bytes > 0 && packed == nullptr) fail_buffer(packed, packed_argument);
    if (size < 0 || *position < 0 || *position > size || bytes > size - *position) {
        fail(ErrorClass::argument,
            "the packed buffer of {} bytes has no {} bytes at position {}; MPI_Pack_external_size says how many it "
            "takes",
            size, bytes, *position);
    }
    return bytes;
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Pack_external(const char datarep[], const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf,
    MPI_Aint outsize, MPI_Aint* position)
{
    return call("MPI_Pack_external", [&](Process& process) {
        const TypeObject& type = process.committed_type(number_of(datatype));
        const std::int64_t bytes =
            check_arguments(datarep, inbuf, incount, type, outbuf, outsize, position, "inbuf", "incount", "outbuf");
        pack_external(*type.type, incount, inbuf, static_cast<std::byte*>(outbuf) + *position);
        *position += bytes;
    });
}
FMPL_MPI_NAME(MPI_Pack_external)

int PMPI_Unpack_external(const char datarep[], const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf,
    int outcount, MPI_Datatype datatype)
{
    return call("MPI_Unpack_external", [&](Process& process) {
        const TypeObject& type = process.committed_type(number_of(datatype));
        const std::int64_t bytes =
            check_arguments(datarep, outbuf, outcount, type, inbuf, insize, position, "outbuf", "outcount", "inbuf");
        unpack_external(*type.type, outcount, outbuf, static_cast<const std::byte*>(inbuf) + *position);
        *position += bytes;
    });
}
FMPL_MPI_NAME(MPI_Unpack_external)

int PMPI_Pack_external_size(const char datarep[], int incount, MPI_Datatype datatype, MPI_Aint* size)
{
    return call("MPI_Pack_external_size", [&](Process& process) {
        check_representation(datarep);
        check_count(incount, "incount");
        const TypeObjectPtr& type = process.type(number_of(datatype));
        check_pointer(size, "size");
        *size = external_size(*type->type, incount);
    });
}
FMPL_MPI_NAME(MPI_Pack_external_size)
