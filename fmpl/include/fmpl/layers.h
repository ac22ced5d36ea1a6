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

#ifdef __cplusplus
}
#endif
#endif
