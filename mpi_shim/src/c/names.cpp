// Names of communicators (MPI-3.1, section 6.8).
#include "abi/boundary.hpp"
#include "c/text_result.hpp"

#include <cstring>

using namespace fmpl::mpi;

int PMPI_Comm_set_name(MPI_Comm comm, const char* comm_name)
{
    return call_on("MPI_Comm_set_name", comm, [&](Process& process) {
        const CommunicatorPtr& of = process.communicator(number_of(comm));
        check_pointer(comm_name, "comm_name");
        of->name.assign(comm_name, strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1));
    });
}
FMPL_MPI_NAME(MPI_Comm_set_name)

int PMPI_Comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen)
{
    return call_on("MPI_Comm_get_name", comm, [&](Process& process) {
        const CommunicatorPtr& of = process.communicator(number_of(comm));
        check_pointer(comm_name, "comm_name");
        check_pointer(resultlen, "resultlen");
        give_text(of->name, comm_name, resultlen, MPI_MAX_OBJECT_NAME);
    });
}
FMPL_MPI_NAME(MPI_Comm_get_name)
