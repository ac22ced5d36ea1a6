/* The job and the calling rank's place in it, for layers above FMPL. No call here blocks.
 *
 * Example:
 *
 *     #include <fmpl/job.h>
 *     #include <stdio.h>
 *
 *     // What the job is, in words; allowed before fmpl_init. Returns the length.
 *     int describe_job(char *words, size_t room)
 *     {
 *         const char *form = "processes";
 *         if (fmpl_rank_is_thread()) form = fmpl_rank_shares_thread() ? "turns on threads" : "threads";
 *         return snprintf(words, room, "rank %d of %d, as %s", fmpl_job_rank(), fmpl_job_size(), form);
 *     }
 */
#ifndef FMPL_JOB_H
#define FMPL_JOB_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ranks of the job and the caller's own. Both may be called before fmpl_init; they then return what fmplrun
 * or run_ranks says, and 1 and 0 without either. */
int fmpl_job_size(void);
int fmpl_job_rank(void);

/* 1 when other ranks live in the process (fmpl::run_ranks, fmpl::run_process with all of them); 0 when the
 * rank is its process. */
int fmpl_rank_is_thread(void);

/* 1 on all ranks when the ranks of the job take turns on threads (fmpl::JobOptions::threads,
 * fmpl::run_process), also on a rank that happens to have its thread alone; else 0. What a layer keeps for
 * each thread is then shared by several ranks. */
int fmpl_rank_shares_thread(void);

/* 1 when the job has a CPU for each of its ranks (fmpl_info, FMPL_CPUS); 0 when ranks share CPUs, and before
 * fmpl_init. Ranks wait and share copies accordingly. */
int fmpl_cpus_suffice(void);

/* How many ranks of the job share a CPU if all are spread evenly, the last ones rounded up: 1 where each has
 * one. The same on all ranks; not changed by FMPL_CPUS. 1 before fmpl_init. */
int fmpl_ranks_of_cpu(void);

#ifdef __cplusplus
}
#endif
#endif
