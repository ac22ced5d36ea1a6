#include <fmpl/columns.h>

// Rank 0 sends the upper triangle of its n x n matrix; rank 1 receives it without gaps.
int send_upper_triangle(int rank, double *a, size_t n, size_t lda)
{
    const size_t e = sizeof *a;
    const struct fmpl_columns upper = {n * e, n, lda * e, 0, 0, (ptrdiff_t)e, (ptrdiff_t)e};
    if (rank == 0) return fmpl_send_columns(a, &upper, 1, 0, FMPL_COMM_WORLD);
    return fmpl_recv(a, n * (n + 1) / 2 * e, 0, 0, FMPL_COMM_WORLD);
}
