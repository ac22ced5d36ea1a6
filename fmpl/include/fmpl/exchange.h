/* Exchanges of short data among the members of a communicator, for layers above FMPL: each member lays down
 * what others are to read, and reads what it wants of theirs, without a message for each pair.
 *
 * All members go through the same exchanges in the same order, each by fmpl_exchange_end(). In one, a member
 * gives at most once, and takes what it knows that others give. Nobody waits but who takes what is not there
 * yet, and who gives and is far ahead, by some 30 to 60 exchanges, of who takes it; of any member, if it
 * gives to all.
 *
 * Example:
 *
 *     #include <fmpl/exchange.h>
 *
 *     // The numbers of all ranks, on rank 0: all[r] is that of rank r. Called by all `size` ranks.
 *     int numbers_of_all(struct fmpl_exchange *x, int rank, int size, int own, int *all)
 *     {
 *         int code = FMPL_SUCCESS;
 *         if (rank != 0) {
 *             void *room;
 *             code = fmpl_exchange_room(x, sizeof own, &room);
 *             if (code == FMPL_SUCCESS) {
 *                 *(int *)room = own;
 *                 fmpl_exchange_show(x, 0);
 *             }
 *         }
 *         for (int r = 0; rank == 0 && code == FMPL_SUCCESS && r < size; ++r) {
 *             const void *given = &own;
 *             size_t bytes;
 *             if (r > 0) code = fmpl_exchange_take(x, r, &given, &bytes);
 *             if (code == FMPL_SUCCESS) all[r] = *(const int *)given;
 *         }
 *         fmpl_exchange_end(x); // in any case: the others' next one is this rank's next one
 *         return code;
 *     }
 */
#ifndef FMPL_EXCHANGE_H
#define FMPL_EXCHANGE_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FMPL_EXCHANGE_BYTES = 8192 }; /* the most that a member gives in one */

struct fmpl_exchange;

/* The exchanges of a communicator, as the calling rank takes part in them, until the communicator is freed;
 * NULL where its members do not meet in memory, or are a single one: the same on all.
 * Errors: COMM, ARGUMENT (exchange is NULL). */
int fmpl_exchange_of(fmpl_comm_t comm, struct fmpl_exchange **exchange);

/* Where to write what the calling rank gives in the present exchange, 16-byte aligned. Blocks while another
 * member is too far behind.
 * Errors: ARGUMENT (bytes is above FMPL_EXCHANGE_BYTES), MEMORY (those who take hear of it, too), ABORTED. */
int fmpl_exchange_room(struct fmpl_exchange *exchange, size_t bytes, void **room);
/* It is written. to: the one member that takes it, or -1: several do. */
void fmpl_exchange_show(struct fmpl_exchange *exchange, int to);
/* Instead of both: what it would give, so many bytes, goes by another way. Those who take hear of it. Blocks
 * while another member is too far behind.
 * Errors: ABORTED. */
int fmpl_exchange_decline(struct fmpl_exchange *exchange, size_t bytes, int to);
/* What member `from`, another one, has given in the present exchange, to be read until its end. Where it has
 * declined, *data is NULL, and *bytes what it said. Blocks until it is there.
 * Errors: MEMORY (`from` had none), INTERNAL (its record is not what FMPL has written), ABORTED. */
int fmpl_exchange_take(
    struct fmpl_exchange *exchange, int from, const void **data, size_t *bytes);
/* The next exchange is the present one. */
void fmpl_exchange_end(struct fmpl_exchange *exchange);

#ifdef __cplusplus
}
#endif
#endif
