/* Envelopes whose body the receiver's handler takes while the sender still writes the rest of it.
 *
 * Example:
 *
 *     #include <fmpl/envelope_steps.h>
 *     #include <string.h>
 *
 *     static int take(void *data, int source, const void *head, const void *body, size_t bytes)
 *     {
 *         (void)source, (void)head;
 *         for (size_t at = 0, there; at < bytes; at = there) { // what is there, while the rest is written
 *             if (fmpl_envelope_await_body(at + 1, &there) != FMPL_SUCCESS) return 1;
 *             if (there > bytes) there = bytes;
 *             memcpy((char *)data + at, (const char *)body + at, there - at);
 *         }
 *         return 1;
 *     }
 *
 *     // Rank 0's data goes to rank 1, after fmpl_envelopes_open on all ranks.
 *     int pass_data(int rank, void *data, size_t bytes)
 *     {
 *         const char head[FMPL_ENVELOPE_HEAD] = "data";
 *         int sent = 0;
 *         if (rank == 1) return fmpl_envelopes_wait(take, data, NULL);
 *         const int code = fmpl_envelope_send_body(1, head, data, bytes, &sent);
 *         return code == FMPL_SUCCESS && !sent ? FMPL_ERR_BUSY : code; // no room: try again later
 *     }
 */
#ifndef FMPL_ENVELOPE_STEPS_H
#define FMPL_ENVELOPE_STEPS_H

#include <fmpl/envelopes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FMPL_ENVELOPE_STEP 16384

/* Sends an envelope (fmpl/envelopes.h) with a body from one piece of memory: *sent is 1, or 0 where
 * fmpl_envelope_reserve returns 0. One of more than FMPL_ENVELOPE_STEP bytes may come in steps; the handler
 * gets it when the first is there, and a poll takes as long as the rest. Never blocks.
 * Errors: ARGUMENT (head or sent is NULL, or body with body_bytes > 0; body_bytes above PTRDIFF_MAX). */
int fmpl_envelope_send_body(int world_rank, const void *head, const void *body, size_t body_bytes, int *sent);

/* By a handler, of the body that it has been given: waits until its first bytes lie there, at least so many,
 * and tells in *there how many do (SIZE_MAX: all). Needed only for a body of more than FMPL_ENVELOPE_STEP
 * bytes that fmpl_envelope_send_body has sent; all others are whole. Blocks for no longer than the sender
 * copies, which waits for nothing meanwhile. A handler need not read, or wait for, the whole body.
 * Errors: ABORTED when the job ends; ARGUMENT (there is NULL). */
int fmpl_envelope_await_body(size_t bytes, size_t *there);

#ifdef __cplusplus
}
#endif
#endif
