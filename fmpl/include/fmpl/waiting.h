/* Waiting as FMPL does, for what a layer above FMPL defines, and a layer's progress while FMPL waits.
 *
 * Example, a receive whose wait is said to be the layer's:
 *
 *     #include <fmpl/waiting.h>
 *     #include <fmpl/requests.h>
 *
 *     static int has_come(void *source) // called often, so it tests what the rank has started itself
 *     {
 *         int done = 0;
 *         const int code = fmpl_irecv_test(*(const int *)source, 0, FMPL_COMM_WORLD, &done);
 *         return done || code != FMPL_SUCCESS;
 *     }
 *
 *     int receive_number(int source, int *number)
 *     {
 *         const struct fmpl_wait_words what = {"receive_number", source, 0, 2, sizeof *number, 0, 0};
 *         const int code = fmpl_irecv(number, sizeof *number, source, 0, FMPL_COMM_WORLD);
 *         return code != FMPL_SUCCESS ? code : fmpl_wait_until(has_come, &source, &what);
 *     }
 */
#ifndef FMPL_WAITING_H
#define FMPL_WAITING_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a rank waits for: should somebody ask (fmplrun does), and to know whose answer it may be. */
struct fmpl_wait_words {
    const char *call; /* in at most 24 characters: "MPI_Recv" */
    int peer;         /* a rank of FMPL_COMM_WORLD; -1: any */
    int index;        /* say a tag; -1: none */
    int comm_size;    /* ranks of the communicator */
    size_t bytes;
    int from_outside; /* 1: a signal handler or another thread may make ready true */
    int others_too;   /* fmpl_envelopes_wait; 1: what ranks other than peer have sent is wanted as well */
};

/* Waits as FMPL does (spin, yield, sleep) until ready(context) returns nonzero; FMPL's own transfers go on.
 *
 * ready is called often. It may poll envelopes and call the _test functions, but not wait, and must not let
 * an exception pass. It must become true by something that another rank does through FMPL (an envelope, a
 * message, a credit), since nothing else wakes the rank once ready has returned 0. So it leaves nothing
 * undone that it can do, and tests what it has started itself (a receive may be complete at once).
 *
 * what may be NULL. With from_outside the rank looks every 10 ms at least, and fmplrun never finds a deadlock
 * of which this wait is a part.
 * Errors: ABORTED when the job ends; ARGUMENT (ready is NULL, or the call comes from within ready, an
 * envelope handler or a progress function). */
int fmpl_wait_until(int (*ready)(void *context), void *context, const struct fmpl_wait_words *what);

/* One look of such a wait, for a call of the layer's that never blocks and that a program makes again and
 * again until something has happened, as MPI_Test is. *is_ready is what ready(context) returned, called once
 * and with the same rights and duties.
 *
 * After a look in vain the ranks that share the caller's CPU or its thread run before fmpl_look returns, but
 * after the first ones of a turn (up to seven, within a microsecond), since what the program looks for may be
 * theirs to do. It returns at once if each rank has a CPU. A call
 * that goes on in any case looks with a ready that is sure to return nonzero. Within ready, a progress
 * function or a handler fmpl_look calls ready and does nothing else.
 * Errors: ABORTED when the job ends; ARGUMENT (ready or is_ready is NULL). */
int fmpl_look(int (*ready)(void *context), void *context, int *is_ready);

/* 1 if a look, this or fmpl_envelopes_look, would now find no envelope and bring nothing of the rank's own
 * forward, which this call has seen at a tenth of its cost: it has been made then. 0 if there is something,
 * or if only the look itself can tell: within a handler, where it is time to let other ranks of the CPU run,
 * and once in so many calls, so that the end of the job is seen.
 * Errors: none; before fmpl_init and after fmpl_finalize 0. */
int fmpl_nothing_has_come(void);

/* Within ready or an envelope handler: 1 if the rank sleeps after a look in vain now, so that what was left
 * for a later look is to be done in this one; else 0. */
int fmpl_is_last_look(void);

/* Makes every long wait of the calling rank inside FMPL (fmpl_barrier, fmpl_bcast, fmpl_allreduce, fmpl_recv
 * ...) call progress(context) from time to time, so that the layer's own transfers go on. fmpl_wait_until,
 * whose ready does it, and fmpl_envelopes_wait do not call it. NULL removes it. Does not block.
 *
 * progress may do what ready may, with the same care, but not send over the (destination, index) of a
 * blocking send that it interrupts (BUSY). It is never entered while it runs, or while ready or an envelope
 * handler does. What it receives does not show in fmpl_received. */
int fmpl_layer_progress_set(void (*progress)(void *context), void *context);

#ifdef __cplusplus
}
#endif
#endif
