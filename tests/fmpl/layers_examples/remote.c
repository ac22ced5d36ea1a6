#include <fmpl/remote.h>

// Rank 0 reads a number of rank 1 where it lies; -1: it cannot, and would ask for a message.
int read_from_rank_1(int rank, double *number)
{
    uint64_t place;
    double *mine = fmpl_malloc(sizeof *mine);
    if (mine == NULL) return FMPL_ERR_MEMORY;
    *mine = *number;
    fmpl_remote_place(mine, sizeof *mine, &place);
    if (rank == 1) fmpl_send(&place, sizeof place, 0, 0, FMPL_COMM_WORLD);
    if (rank == 0) {
        fmpl_recv(&place, sizeof place, 1, 0, FMPL_COMM_WORLD);
        const double *theirs = fmpl_remote_view(1, place, sizeof *theirs);
        *number = theirs == NULL ? -1 : *theirs;
    }
    fmpl_barrier(FMPL_COMM_WORLD); // it has been read, and may be freed
    fmpl_free(mine);
    return FMPL_SUCCESS;
}
