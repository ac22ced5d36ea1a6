/* One message between two ranks that both of them copy, for layers above FMPL: who has nothing else to do
 * takes chunk after chunk, each from its end, until they meet. Either alone does it all, so that neither
 * waits for one that computes.
 *
 * Instead of copying, the source may pass chunks on, as bodies of envelopes, if the destination has
 * opened the copy so.
 *
 * The two share a record: FMPL_JOINT_RECORD bytes of remote-DMA memory of the source, at a multiple of
 * that. The source makes it ready and tells the destination, by a message or an envelope, of its place
 * (fmpl_remote_place), of the message's address and its length. The destination opens the copy when it
 * knows where the message belongs. Then each calls its side again and again, in its waits, until it is
 * done. The record is free for the next message when the destination has said, by a message or an envelope,
 * that it is done.
 *
 * Example:
 *
 *     #include <fmpl/joint_copy.h>
 *
 *     // Rank 0 sends `size` bytes of any memory to rank 1. record: rank 0's, its place known to rank 1.
 *     int pass(int rank, void *data, size_t size, void *record, uint64_t place)
 *     {
 *         uint64_t address = (uint64_t)(uintptr_t)data;
 *         int opened = 0, done = 0;
 *         size_t copied;
 *         if (rank == 0) {
 *             fmpl_joint_prepare(record);
 *             fmpl_send(&address, sizeof address, 1, 0, FMPL_COMM_WORLD);
 *             while (!done) fmpl_joint_give(1, record, data, size, &done);
 *         } else {
 *             fmpl_recv(&address, sizeof address, 0, 0, FMPL_COMM_WORLD);
 *             fmpl_joint_open(0, place, data, size, 0, &opened);
 *             if (!opened) return FMPL_ERR_SYSTEM; // a program would ask rank 0 for a message
 *             while (!done) fmpl_joint_take(0, place, address, data, size, 0, &copied, &done);
 *         }
 *         return FMPL_SUCCESS;
 *     }
 */
#ifndef FMPL_JOINT_COPY_H
#define FMPL_JOINT_COPY_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FMPL_JOINT_RECORD = 64 };

/* By the source, before the destination learns of the record, which is not in use.
 * Errors: ARGUMENT (record is not FMPL_JOINT_RECORD bytes of the calling rank's remote-DMA memory). */
int fmpl_joint_prepare(void *record);

/* By the destination: the message's `size` bytes belong to `to`. Copies nothing. chunk: 0, or the bytes of a
 * chunk, a multiple of 64 up to 2^30, if the source is to pass them on. *opened is 1 afterwards; it is 0 if
 * the source has withdrawn the copy, if it has been opened before, or if the caller does not reach the
 * source's private memory (see fmpl_private_read) or does not address its record.
 * Errors: ARGUMENT (chunk is none of these; opened is NULL, to is NULL, size is 0 or above PTRDIFF_MAX, here
 * and below), RANK. */
int fmpl_joint_open(int source, uint64_t record, void *to, size_t size, size_t chunk, int *opened);

/* By the source: the message goes another way, unless the destination has opened the copy; then *withdrawn is
 * 0, else 1. The record is free when the destination has said that it has the message.
 * Errors: ARGUMENT (withdrawn is NULL, or record as above). */
int fmpl_joint_withdraw(void *record, int *withdrawn);

/* By the destination, after fmpl_joint_open() with the same arguments: copies what nobody has taken.
 * address: as the source has it. alone: not 0 where the source has its own to copy meanwhile: then what is
 * left is taken in one piece, else chunk by chunk. *copied: the bytes of this call. *done is 1 when all of
 * the message is there, but for what was passed on; else 0: the source still copies a chunk.
 * Errors: ARGUMENT (copied, done or to is NULL, or record is not addressed), RANK, SYSTEM (there is no such
 * memory, or the kernel has begun to refuse; the job ends), ABORTED (the job is ending). */
int fmpl_joint_take(int source, uint64_t record, uint64_t address, void *to, size_t size, int alone,
                    size_t *copied, int *done);

/* By the source: copies what nobody has taken, if the copy is open and the caller reaches the destination's
 * private memory. *done is 1 when all of the message is there, so that the source may use `from` again,
 * else 0.
 * Errors: ARGUMENT (done or from is NULL, or record as above), RANK, SYSTEM and ABORTED as above, INTERNAL
 * (the record asks for more than `size` bytes, or for a place that is not the destination's). */
int fmpl_joint_give(int destination, void *record, const void *from, size_t size, int *done);

/* By the source, of a message of `size` bytes that it is to pass on: the next chunk that nobody has taken is
 * the *bytes from *begin on, at most `longest`, and goes to the destination next. *bytes is 0 if there is
 * none, or the chunks are longer. longest = 0: takes none; *bytes is not 0 if there is one. *done as of
 * fmpl_joint_give(), once this chunk has left `from`.
 * Errors: ARGUMENT (begin, bytes or done is NULL, or record as above), RANK, INTERNAL as above. */
int fmpl_joint_claim(int destination, void *record, size_t size, size_t longest, size_t *begin,
                     size_t *bytes, int *done);

/* By the destination, after fmpl_joint_open() with the same arguments, when `chunks` of those passed on lie
 * where they belong. *done is 1 when all of the message is there, however it came, else 0.
 * Errors: ARGUMENT (done is NULL, or record is not addressed), RANK. */
int fmpl_joint_arrived(int source, uint64_t record, size_t size, size_t chunks, int *done);

#ifdef __cplusplus
}
#endif
#endif
