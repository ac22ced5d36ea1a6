#include <fmpl/mpi_services.h>

#pragma weak fmpl_layer_mpi

// The ranks of the program's MPI_COMM_WORLD; 0: the program has no MPI of FMPL's, or it is not up.
int ranks_of_mpi(void)
{
    int size = 0;
    const struct fmpl_mpi_services *mpi = fmpl_layer_mpi == NULL ? NULL : fmpl_layer_mpi();
    if (mpi == NULL || !mpi->is_up()) return 0;
    return mpi->comm_world_ranks(mpi->comm_world, NULL, 0, &size) == NULL ? size : 0;
}
