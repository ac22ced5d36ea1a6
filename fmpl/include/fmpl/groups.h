/* Communicators that only their members make, for layers above FMPL.
 *
 * Example:
 *
 *     #include <fmpl/groups.h>
 *
 *     // Makes a communicator of ranks 0 and 1, in which rank 1 comes first. Other ranks do not call it.
 *     int pair_backwards(fmpl_comm_t *pair, int *first)
 *     {
 *         const int members[2] = {1, 0};
 *         const int code = fmpl_comm_create_group(pair, members, 2);
 *         if (code != FMPL_SUCCESS) return code;
 *         return fmpl_comm_world_rank(*pair, 0, first); // *first is 1
 *     }
 */
#ifndef FMPL_GROUPS_H
#define FMPL_GROUPS_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a communicator of the n ranks of FMPL_COMM_WORLD listed, in that order. Those ranks alone call it,
 * each with the same list. Ranks that belong to several groups must make these in the same order as the ranks
 * they share them with. Blocks until all ranks listed have called it.
 * Errors: ARGUMENT (n < 1, a rank listed twice, the caller not listed), RANK, MEMORY. */
int fmpl_comm_create_group(fmpl_comm_t *comm, const int *world_ranks, int n);

/* Sets *world_rank to the rank in FMPL_COMM_WORLD of `rank` of comm. Does not block.
 * Errors: COMM, RANK, ARGUMENT (world_rank is NULL). */
int fmpl_comm_world_rank(fmpl_comm_t comm, int rank, int *world_rank);

#ifdef __cplusplus
}
#endif
#endif
