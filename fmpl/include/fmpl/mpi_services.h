/* FMPL's MPI, for another library of the job that shares it with the program, as the BLACS do.
 *
 * Example:
 *
 *     #include <fmpl/mpi_services.h>
 *
 *     #pragma weak fmpl_layer_mpi
 *
 *     // The ranks of the program's MPI_COMM_WORLD; 0: the program has no MPI of FMPL's, or it is not up.
 *     int ranks_of_mpi(void)
 *     {
 *         int size = 0;
 *         const struct fmpl_mpi_services *mpi = fmpl_layer_mpi == NULL ? NULL : fmpl_layer_mpi();
 *         if (mpi == NULL || !mpi->is_up()) return 0;
 *         return mpi->comm_world_ranks(mpi->comm_world, NULL, 0, &size) == NULL ? size : 0;
 *     }
 */
#ifndef FMPL_MPI_SERVICES_H
#define FMPL_MPI_SERVICES_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Communicators are handles of MPI, which are no handles of FMPL: is_comm tells. A function that returns
 * words returns NULL when it has succeeded; the words say what was wrong with which argument, and stay until
 * the rank's next such call. init, finalize and comm_free block as MPI's own calls do.
 *   is_up             1 between MPI_Init and MPI_Finalize of the calling rank, else 0
 *   init, finalize    MPI_Init, with MPI_THREAD_SINGLE, and MPI_Finalize
 *   is_comm           1 when the integer has the form of a communicator's handle, MPI_COMM_NULL's too
 *   comm_world_ranks  the rank in FMPL_COMM_WORLD of each rank of an intracommunicator; *size is how many it
 *                     has, of which the first `room` are written. Does not block
 *   comm_create       a communicator of these n ranks of FMPL_COMM_WORLD, in this order; called by these
 *                     alone, with the same list. Blocks until all of them have called it
 *   comm_free         called by all of its ranks; sets *comm to MPI_COMM_NULL */
struct fmpl_mpi_services {
    int comm_world;
    int comm_null;
    int (*is_up)(void);
    const char *(*init)(void);
    const char *(*finalize)(void);
    int (*is_comm)(int comm);
    const char *(*comm_world_ranks)(int comm, int *world_ranks, int room, int *size);
    const char *(*comm_create)(const int *world_ranks, int n, int *comm);
    const char *(*comm_free)(int *comm);
};

/* Defined by libmpi_fmpl. A library that is not linked with it declares it weak, and finds a null address if
 * the program has no MPI of FMPL's. */
const struct fmpl_mpi_services *fmpl_layer_mpi(void);

#ifdef __cplusplus
}
#endif
#endif
