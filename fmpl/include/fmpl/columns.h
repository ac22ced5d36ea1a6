/* Messages made of columns, as a block of a column-major matrix is, for layers above FMPL.
 *
 * Example:
 *
 *     #include <fmpl/columns.h>
 *
 *     // Rank 0 sends the upper triangle of its n x n matrix; rank 1 receives it without gaps.
 *     int send_upper_triangle(int rank, double *a, size_t n, size_t lda)
 *     {
 *         const size_t e = sizeof *a;
 *         const struct fmpl_columns upper = {n * e, n, lda * e, 0, 0, (ptrdiff_t)e, (ptrdiff_t)e};
 *         if (rank == 0) return fmpl_send_columns(a, &upper, 1, 0, FMPL_COMM_WORLD);
 *         return fmpl_recv(a, n * (n + 1) / 2 * e, 0, 0, FMPL_COMM_WORLD);
 *     }
 */
#ifndef FMPL_COLUMNS_H
#define FMPL_COLUMNS_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Column j, 0 <= j < count, begins at base + j * stride and has `bytes` bytes, of which it gives those from
 * begin + j * begin_step to end + j * end_step, both cut to 0 .. bytes. All but count are in bytes. The
 * message is what the columns give, one after the other.
 *   m x n elements of e bytes, leading dimension lda:      {m*e, n, lda*e, 0, 0, m*e, 0}
 *   its upper trapezoid with the diagonal (m >= n):         {m*e, n, lda*e, 0, 0, (m-n+1)*e, e} */
struct fmpl_columns {
    size_t bytes;
    size_t count;
    size_t stride;
    ptrdiff_t begin;
    ptrdiff_t begin_step;
    ptrdiff_t end;
    ptrdiff_t end_step;
};

/* fmpl_send, fmpl_recv and fmpl_bcast of such a message; they block on what these block on. Each side chooses
 * its own form: columns, others, or none (fmpl_recv). A shorter message fills the first bytes of the
 * receiver's columns.
 *
 * The sender copies from its columns straight into the receiver's if the receive is posted and lies in
 * remote-DMA memory. Columns are filled straight from a message in one piece in remote-DMA memory. Any other
 * message passes once through memory of the library's.
 * Errors: as fmpl_send, fmpl_recv and fmpl_bcast; ARGUMENT (several columns with stride < bytes, or columns
 * beyond the address space). */
int fmpl_send_columns(
    const void *base, const struct fmpl_columns *columns, int dst, int mai, fmpl_comm_t comm);
int fmpl_recv_columns(void *base, const struct fmpl_columns *columns, int src, int mai, fmpl_comm_t comm);
int fmpl_bcast_columns(void *base, const struct fmpl_columns *columns, int root, fmpl_comm_t comm);

#ifdef __cplusplus
}
#endif
#endif
