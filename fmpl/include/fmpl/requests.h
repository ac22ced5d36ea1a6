/* Tests of nonblocking calls, and receives of special kinds, for layers above FMPL. No call here blocks.
 *
 * Example:
 *
 *     #include <fmpl/requests.h>
 *
 *     // Works piece by piece while a message from src comes; returns its code.
 *     int work_until_received(void *buf, size_t size, int src, void (*work)(void))
 *     {
 *         int done = 0;
 *         int code = fmpl_irecv(buf, size, src, 0, FMPL_COMM_WORLD);
 *         while (code == FMPL_SUCCESS && !done) {
 *             work();
 *             code = fmpl_irecv_test(src, 0, FMPL_COMM_WORLD, &done);
 *         }
 *         return code;
 *     }
 */
#ifndef FMPL_REQUESTS_H
#define FMPL_REQUESTS_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets *done to 1 when the nonblocking call with this peer and index is complete, and finishes it as the wait
 * does: the same errors (TRUNCATED ...), and a further test or wait finds NO_REQUEST. Otherwise *done is 0,
 * after the ranks that share the caller's CPU have had it (fmpl_look). Makes the transfer progress. mai may
 * be FMPL_ANY_TAG for fmpl_irecv_test.
 * Errors: as fmpl_isend_wait and fmpl_irecv_wait; ARGUMENT (done is NULL). *done is 0 with every error but
 * those which the finished call itself reports. */
int fmpl_isend_test(int dst, int mai, fmpl_comm_t comm, int *done);
int fmpl_irecv_test(int src, int mai, fmpl_comm_t comm, int *done);

/* fmpl_irecv of a message that the caller wants nothing of, because it has read it by fmpl_remote_view. The
 * message is consumed and its sender's call completes; no error says that it is longer than 0 bytes.
 * Errors: as fmpl_irecv. */
int fmpl_irecv_discard(int src, int mai, fmpl_comm_t comm);

/* fmpl_irecv ahead of its message, for a layer whose ranks agree on who sends what: src does not begin to
 * send the message before the layer has told it of the receive. So src is not woken, and fmpl_irecv_withdraw
 * can take the receive back until then. After that the buffer is the caller's again, and the next receive on
 * the index gets the message.
 * Errors: as fmpl_irecv. fmpl_irecv_withdraw: BUSY (the message has come, or is coming; the receive stays),
 * ARGUMENT (the receive was posted by fmpl_irecv), NO_REQUEST. */
int fmpl_irecv_ahead(void *buf, size_t size, int src, int mai, fmpl_comm_t comm);
int fmpl_irecv_withdraw(int src, int mai, fmpl_comm_t comm);

#ifdef __cplusplus
}
#endif
#endif
