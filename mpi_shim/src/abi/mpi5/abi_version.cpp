// MPI_Abi_get_version (MPI-5.0, section 20.2): which standard ABI this is. May be called at any time.
#include "abi/boundary.hpp"

int PMPI_Abi_get_version(int* abi_major, int* abi_minor)
{
    *abi_major = MPI_ABI_VERSION;
    *abi_minor = MPI_ABI_SUBVERSION;
    return MPI_SUCCESS;
}
FMPL_MPI_NAME(MPI_Abi_get_version)
