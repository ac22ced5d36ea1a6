/* Envelopes whose body the receiver's handler reads where it lies, in the sender's memory.
 *
 * Example:
 *
 *     #include <fmpl/envelope_lending.h>
 *     #include <string.h>
 *
 *     // Sends an envelope: without a copy of its body if the receiver looks now, else through the ring.
 *     int send_body(int to, const void *head, const void *body, size_t bytes)
 *     {
 *         int sent = 0;
 *         void *room;
 *         const int code = fmpl_envelope_lend(to, head, body, bytes, 0, &sent);
 *         if (code != FMPL_SUCCESS || sent) return code;
 *         if (fmpl_envelope_reserve(to, bytes, &room) == 0) return FMPL_ERR_BUSY; // try again later
 *         memcpy(room, body, bytes);
 *         return fmpl_envelope_commit(to, head);
 *     }
 */
#ifndef FMPL_ENVELOPE_LENDING_H
#define FMPL_ENVELOPE_LENDING_H

#include <fmpl/envelopes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sends an envelope (fmpl/envelopes.h) with a body in remote-DMA memory, which is not copied into the ring:
 * the receiver's handler reads it where it lies. *sent is 1 when the handler is through with it, and the
 * caller may write there again. *sent is 0, and the receiver sees nothing, when that is not possible or not
 * worth it; the caller then sends it otherwise. This is so
 *   - with a body of 0 bytes, of more than 65535 bytes, or in other memory;
 *   - where fmpl_envelope_reserve of 0 bytes returns 0, and where ranks share CPUs;
 *   - when the receiver does not look for envelopes within about a microsecond;
 *   - when it is not known to wait for an answer of the caller's, unless waits_anyway is nonzero;
 *   - from within ready, a progress function or a handler.
 *
 * head: FMPL_ENVELOPE_HEAD bytes. waits_anyway: 1 when the caller will wait for the receiver in any case,
 * else 0. Blocks for about that microsecond, and then as long as the handler takes; meanwhile it calls
 * nothing of the layer's.
 * Errors: ARGUMENT (a pointer is NULL, body_bytes above PTRDIFF_MAX), ABORTED when the job ends. */
int fmpl_envelope_lend(
    int world_rank, const void *head, const void *body, size_t body_bytes, int waits_anyway, int *sent);

#ifdef __cplusplus
}
#endif
#endif
