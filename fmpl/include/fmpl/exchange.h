/* Exchanges of short data among the members of a communicator, for layers above FMPL: each member lays down
 * what others are to read, and reads what it wants of theirs, without a message for each pair.
 *
 * All members begin the same exchanges of a series in the same order, and end each. In one, a member gives at
 * most once, and takes what it knows that others give. Nobody waits but who takes what is not there yet, and
 * who gives and is far ahead, by some 30 to 60 exchanges, of who takes it; of any member, if it gives to all.
 * Several exchanges of a series may be open, and gone on with by the calls that do not wait.
 *
 * Example:
 *
 *     #include <fmpl/exchange.h>
 *
 *     // The numbers of all ranks, on rank 0: all[r] is that of rank r. Called by all `size` ranks.
 *     int numbers_of_all(struct fmpl_exchanges *x, int rank, int size, int own, int *all)
 *     {
 *         uint64_t n;
 *         int code = fmpl_exchange_begin(x, &n);
 *         if (code != FMPL_SUCCESS) return code;
 *         if (rank != 0) {
 *             void *room;
 *             code = fmpl_exchange_room(x, n, sizeof own, &room);
 *             if (code == FMPL_SUCCESS) {
 *                 *(int *)room = own;
 *                 fmpl_exchange_show(x, n, 0);
 *             }
 *         }
 *         for (int r = 0; rank == 0 && code == FMPL_SUCCESS && r < size; ++r) {
 *             const void *given = &own;
 *             size_t bytes;
 *             if (r > 0) code = fmpl_exchange_take(x, n, r, &given, &bytes);
 *             if (code == FMPL_SUCCESS) all[r] = *(const int *)given;
 *         }
 *         fmpl_exchange_end(x, n); // in any case: others wait for who has not left
 *         return code;
 *     }
 */
#ifndef FMPL_EXCHANGE_H
#define FMPL_EXCHANGE_H

#include <fmpl.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FMPL_EXCHANGE_BYTES = 8192 };   /* the most that a member gives in one */
enum { FMPL_EXCHANGES_OF_A_COMM = 2 }; /* series, which know nothing of each other */

struct fmpl_exchanges;

/* A series of a communicator, from 0 on, as the calling rank takes part in it, until the communicator is
 * freed; NULL where its members do not meet in memory, or are a single one: the same on all.
 * Errors: COMM, ARGUMENT (there is no such series; exchanges is NULL). */
int fmpl_exchanges_of(fmpl_comm_t comm, int series, struct fmpl_exchanges **exchanges);

/* The number of the series' next exchange, which is open now. Does not block.
 * Errors: MEMORY, after which the calling rank cannot go on with the series. */
int fmpl_exchange_begin(struct fmpl_exchanges *exchanges, uint64_t *number);

/* Of the exchange that has just begun: `root` is the one member who gives to all others, or takes from all.
 * Members that share CPUs wait the better for knowing it. Errors: ARGUMENT (no member). */
int fmpl_exchange_root(struct fmpl_exchanges *exchanges, int root);

/* Where to write what the calling rank gives in an open exchange, 16-byte aligned. Blocks while another
 * member is too far behind.
 * Errors: ARGUMENT (bytes is above FMPL_EXCHANGE_BYTES; so many exchanges are open that the calling rank has
 * to end one first), MEMORY (those who take hear of it, too), ABORTED. */
int fmpl_exchange_room(struct fmpl_exchanges *exchanges, uint64_t number, size_t bytes, void **room);
/* The same where it does not have to wait; else *room is NULL, and a wait of the calling rank's, as that of
 * fmpl_wait_until, looks again when there may be room.
 * Errors: ARGUMENT, MEMORY. */
int fmpl_exchange_try_room(struct fmpl_exchanges *exchanges, uint64_t number, size_t bytes, void **room);
/* The room is written. to: the one member that takes it, or -1: several do. */
void fmpl_exchange_show(struct fmpl_exchanges *exchanges, uint64_t number, int to);
/* Instead of that: what it would give, so many bytes, goes by another way. Those who take hear of it. */
void fmpl_exchange_decline(struct fmpl_exchanges *exchanges, uint64_t number, size_t bytes, int to);

/* What member `from`, another one, gives in an open exchange, to be read until the calling rank ends that.
 * Where it has declined, *data is NULL, and *bytes what it said. Blocks until it is there.
 * Errors: MEMORY (`from` had none), INTERNAL (its record is not what FMPL has written), ABORTED. */
int fmpl_exchange_take(struct fmpl_exchanges *exchanges, uint64_t number, int from, const void **data,
    size_t *bytes);
/* The same where it is there, and *is_there 1; else that is 0, and a wait looks again when it has come.
 * Errors: MEMORY, INTERNAL. */
int fmpl_exchange_try_take(struct fmpl_exchanges *exchanges, uint64_t number, int from, const void **data,
    size_t *bytes, int *is_there);

/* The calling rank is through with it. */
void fmpl_exchange_end(struct fmpl_exchanges *exchanges, uint64_t number);

#ifdef __cplusplus
}
#endif
#endif
