/* For layers above FMPL (BLACS, the MPI shim, applications that report on themselves): calls beyond the paper's. */
#ifndef FMPL_LAYERS_H
#define FMPL_LAYERS_H

#include "fmpl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A communicator of the n ranks of FMPL_COMM_WORLD listed, in that order. Called by those ranks only, each with the same
 * list; ranks outside take no part. Overlapping groups must be created in the same order by the ranks they share.
 * Errors: ARGUMENT (n < 1, a rank listed twice, the caller not listed), RANK, MEMORY. */
int fmpl_comm_create_group(fmpl_comm_t *comm, const int *world_ranks, int n);

/* The rank in FMPL_COMM_WORLD of `rank` of comm. */
int fmpl_comm_world_rank(fmpl_comm_t comm, int rank, int *world_rank);

/* 1 when all of p[0 .. size-1] lies in the calling rank's remote-DMA memory, else 0. */
int fmpl_is_remote_dma(const void *p, size_t size);

/* fmpl_malloc, but that it says nothing where there is too little memory: NULL then. For memory that one can do without. */
void *fmpl_try_malloc(size_t size);

/* Memory of another rank, read where it lies. fmpl_remote_place: the place in the job of p[0 .. size-1], in *place, to be told to
 * other ranks by any message; ARGUMENT unless all of it lies in the calling rank's remote-DMA memory. fmpl_remote_view: where
 * the calling rank reads `size` bytes at such a place of `world_rank`; NULL where it cannot (the rank is none of the job's, its
 * memory is not addressable from here, or the bytes are not in that rank's remote-DMA memory). It stays there until the owner frees the
 * memory or a rank finalizes. When the bytes may be read, and until when, the ranks have to agree on by calls that
 * synchronise them (fmpl_barrier, fmpl_allreduce). fmpl_is_addressable: 1 when the calling rank addresses the remote-DMA memory of
 * `world_rank`, else 0. None of the three blocks. */
int fmpl_is_addressable(int world_rank);
int fmpl_remote_place(const void *p, size_t size, uint64_t *place);
const void *fmpl_remote_view(int world_rank, uint64_t place, size_t size);

/* A message made of columns, as a block of a column-major matrix is. Column j, 0 <= j < count, begins at base + j * stride and
 * has `bytes` bytes, of which it gives those from begin + j * begin_step to end + j * end_step, both cut to 0 .. bytes.
 *   m x n elements of e bytes, leading dimension lda:      {m*e, n, lda*e, 0, 0, m*e, 0}
 *   its upper trapezoid with the diagonal (m >= n):         {m*e, n, lda*e, 0, 0, (m-n+1)*e, e}
 * The message is what the columns give, one after the other. */
struct fmpl_columns {
    size_t bytes;
    size_t count;
    size_t stride;
    ptrdiff_t begin;
    ptrdiff_t begin_step;
    ptrdiff_t end;
    ptrdiff_t end_step;
};
/* fmpl_send, fmpl_recv and fmpl_bcast of such a message. Both sides choose their own form: columns, others, or none
 * (fmpl_recv). Where a receive is posted and lies in remote-DMA memory, the sender copies from its columns straight into
 * the receiver's, and columns are filled straight from a message in one piece in remote-DMA memory; otherwise the message
 * passes once through memory of the library's. A shorter message fills the first bytes of the receiver's columns. Errors: as
 * fmpl_send, fmpl_recv and fmpl_bcast; ARGUMENT when there are several columns and stride < bytes, or the columns reach
 * beyond the address space. */
int fmpl_send_columns(const void *base, const struct fmpl_columns *columns, int dst, int mai, fmpl_comm_t comm);
int fmpl_recv_columns(void *base, const struct fmpl_columns *columns, int src, int mai, fmpl_comm_t comm);
int fmpl_bcast_columns(void *base, const struct fmpl_columns *columns, int root, fmpl_comm_t comm);

/* Time in FMPL, per call. Off until enabled (fmplrun --stats enables it from the start). */
struct fmpl_call_stats {
    const char *call; /* "fmpl_send", ... */
    uint64_t calls;
    uint64_t bytes;
    double seconds;
};
int fmpl_stats_enable(int on);
/* Fills at most `room` entries with the calls made at least once; returns how many there are, in *n. */
int fmpl_stats_get(struct fmpl_call_stats *stats, int room, int *n);
/* Seconds that the calling rank has spent inside FMPL since stats were enabled. */
double fmpl_stats_seconds(void);

/* Ranks of the job and the caller's own, before fmpl_init too (then: what fmplrun or run_ranks says; 1 and 0 without). */
int fmpl_job_size(void);
int fmpl_job_rank(void);

/* The program's malloc heap in remote-DMA memory (fmplrun --rdma heap), for the allocator that is preloaded for it.
 *
 * fmpl_heap_range claims the part of the rank's arena that is set apart for the heap: *begin, *size, page-aligned, without
 * memory behind it. To be called once, before main, by a process that fmplrun started; nothing is printed and nothing
 * changes on an error: ARGUMENT (not a rank of fmplrun's), ALREADY_INITIALIZED (the rank's heap belongs to another process,
 * or the rank has begun to use its arena), MEMORY, SYSTEM. The range stays mapped to the end of the process, whatever
 * fmpl_finalize does.
 *
 * fmpl_heap_commit backs page-aligned parts of the range with memory, so that an access cannot fail: MEMORY when there is
 * too little, and then some of the pages may be backed. fmpl_heap_release gives their memory back; SYSTEM when the system
 * refuses. These two may be called by any thread and neither allocate nor print. */
int fmpl_heap_range(void **begin, size_t *size);
int fmpl_heap_commit(void *at, size_t size);
int fmpl_heap_release(void *at, size_t size);

#ifdef __cplusplus
}
#endif
#endif
