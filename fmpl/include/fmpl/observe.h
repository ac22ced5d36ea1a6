/* Statistics of calls, and a layer's own calls in statistics and traces, in the place of the calls of FMPL
 * that it makes. No call here blocks.
 *
 * Example:
 *
 *     #include <fmpl/observe.h>
 *
 *     // A send of the layer's, which statistics and traces show under its own name.
 *     int my_send(const void *buf, size_t bytes, int dst)
 *     {
 *         const int observed = *fmpl_layer_observed() != 0;
 *         if (observed) {
 *             fmpl_layer_call_begin("my_send");
 *             fmpl_layer_call_about(dst, 0, bytes, 1);
 *         }
 *         const int code = fmpl_send(buf, bytes, dst, 0, FMPL_COMM_WORLD);
 *         if (observed) fmpl_layer_call_end(code == FMPL_SUCCESS);
 *         return code;
 *     }
 */
#ifndef FMPL_OBSERVE_H
#define FMPL_OBSERVE_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Time in calls, per call. A call that is made within another one, by a layer or from a function of the
 * layer's, is part of that one. */
struct fmpl_call_stats {
    const char *call; /* "fmpl_send", "MPI_Send", ...; stays until the rank finalizes */
    uint64_t calls;
    uint64_t bytes;
    double seconds;
};

/* Begins (on = 1) or ends (on = 0) counting. It is off at first, except under fmplrun --stats and --trace. */
int fmpl_stats_enable(int on);

/* Fills at most `room` entries with the calls made at least once, and sets *n to how many there are.
 * Errors: ARGUMENT (n is NULL, or stats is NULL with room > 0). */
int fmpl_stats_get(struct fmpl_call_stats *stats, int room, int *n);

/* Seconds that the calling rank has spent inside such calls since stats were enabled. */
double fmpl_stats_seconds(void);

/* Where an int stands that is nonzero while the calling rank is observed. To be called after fmpl_init; the
 * int stays there after fmpl_finalize. */
const int *fmpl_layer_observed(void);

/* A call of the layer's, from _begin to _end; they need an fmpl_init before them and do not fail. Every
 * _begin has its _end, which may follow fmpl_finalize. name: its letters must stay where they are; fewer than
 * 40 are kept. Returns 1 when the call counts, and 0 when it is made within another one; the others then do
 * nothing. */
int fmpl_layer_call_begin(const char *name);

/* What the call is about. world_rank: a rank of FMPL_COMM_WORLD; -1: none or any. index: an index or tag; -1:
 * none or any. sends: 1 when the call sends these bytes to that rank, as one point-to-point message. The
 * message is in the matrix of who sent to whom when _end is told that the call has succeeded. */
void fmpl_layer_call_about(int world_rank, int index, size_t bytes, int sends);

/* The call has sent one more message, to that rank. */
void fmpl_layer_call_sent(int world_rank, size_t bytes);

/* succeeded: 1, or 0 for a call that has returned an error. */
void fmpl_layer_call_end(int succeeded);

#ifdef __cplusplus
}
#endif
#endif
