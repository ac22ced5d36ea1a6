/* Memory of other ranks, read and written where it lies, for layers above FMPL.
 *
 * The ranks have to agree on when bytes may be read, and until when, by calls that synchronise them
 * (fmpl_barrier, fmpl_allreduce), or by messages or envelopes: one from the owner, and one back. No call here
 * blocks.
 *
 * Example:
 *
 *     #include <fmpl/remote.h>
 *
 *     // Rank 0 reads a number of rank 1 where it lies; -1: it cannot, and would ask for a message.
 *     int read_from_rank_1(int rank, double *number)
 *     {
 *         uint64_t place;
 *         double *mine = fmpl_malloc(sizeof *mine);
 *         if (mine == NULL) return FMPL_ERR_MEMORY;
 *         *mine = *number;
 *         fmpl_remote_place(mine, sizeof *mine, &place);
 *         if (rank == 1) fmpl_send(&place, sizeof place, 0, 0, FMPL_COMM_WORLD);
 *         if (rank == 0) {
 *             fmpl_recv(&place, sizeof place, 1, 0, FMPL_COMM_WORLD);
 *             const double *theirs = fmpl_remote_view(1, place, sizeof *theirs);
 *             *number = theirs == NULL ? -1 : *theirs;
 *         }
 *         fmpl_barrier(FMPL_COMM_WORLD); // it has been read, and may be freed
 *         fmpl_free(mine);
 *         return FMPL_SUCCESS;
 *     }
 */
#ifndef FMPL_REMOTE_H
#define FMPL_REMOTE_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From this size on fmpl_send and its like let both ranks copy a message in remote-DMA memory, if each has a
 * CPU. Shorter ones a layer may as well read where they lie. */
enum { FMPL_SHARED_BYTES = 64 * 1024 };

/* 1 when all of p[0 .. size-1] lies in the calling rank's remote-DMA memory, else 0. */
int fmpl_is_remote_dma(const void *p, size_t size);

/* fmpl_malloc for memory that one can do without: returns NULL without a word if there is too little. */
void *fmpl_try_malloc(size_t size);

/* 1 when the calling rank addresses the remote-DMA memory of `world_rank`, else 0. */
int fmpl_is_addressable(int world_rank);

/* Sets *place to the place in the job of p[0 .. size-1], which may be told to other ranks by any message.
 * Errors: ARGUMENT (not all of it lies in the calling rank's remote-DMA memory, or place is NULL). */
int fmpl_remote_place(const void *p, size_t size, uint64_t *place);

/* Where the calling rank reads `size` bytes at such a place of `world_rank`. The address is valid until the
 * owner frees the memory or a rank finalizes. Returns NULL if the rank is none of the job's, if its memory is
 * not addressable from here, or if the bytes are not in its remote-DMA memory. */
const void *fmpl_remote_view(int world_rank, uint64_t place, size_t size);

/* The same for writing; returns NULL in the same cases. The owner may read what was written once a message,
 * or a call that synchronises the two ranks, has told it so. */
void *fmpl_remote_room(int world_rank, uint64_t place, size_t size);

/* Copies `size` bytes of another rank's private memory (stack, static data, an ordinary heap), of which there
 * is no view, to `to`. address: as world_rank itself has it. *copied is 1 afterwards. It is 0, and nothing
 * has been written, if the caller does not reach that rank's private memory: the kernel does not allow it,
 * the rank is in another PID namespace, or FMPL_PRIVATE_COPY=staged is set.
 * Errors: ARGUMENT (copied is NULL, to is NULL with size > 0, size is above PTRDIFF_MAX), RANK, SYSTEM (there
 * is no such memory, or the kernel has begun to refuse; the job ends). */
int fmpl_private_read(int world_rank, uint64_t address, void *to, size_t size, int *copied);

/* 1 where that is preferred to two copies of long data, by its owner and by the caller, through remote-DMA
 * memory; 0 where those are faster, so on AMD's processors, and before fmpl_init. */
int fmpl_is_private_read_preferred(void);

#ifdef __cplusplus
}
#endif
#endif
