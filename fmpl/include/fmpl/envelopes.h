/* Envelopes: short messages which the receiver takes, through a function of its own, in the order in which
 * each source sent them. They are for a library that matches at the receiver, as an MPI does. They are apart
 * from all other messages: an envelope never passes to fmpl_recv or fmpl_recv_any.
 *
 * Each ordered pair of ranks has a ring of lines, one an envelope, and a ring of bytes for the bodies, in the
 * memory of the receiver. What the sender wrote before the commit is visible to the handler that gets the
 * envelope, and what it read before the commit may be overwritten by then. Envelopes that nobody has taken
 * when the ranks finalize are dropped without a word.
 *
 * Example:
 *
 *     #include <fmpl/envelopes.h>
 *     #include <string.h>
 *
 *     static int take(void *words, int source, const void *head, const void *body, size_t bytes)
 *     {
 *         (void)source, (void)head;
 *         memcpy(words, body, bytes); // the body is gone when the handler returns
 *         return 0;
 *     }
 *
 *     // Rank 0 sends 16 bytes to rank 1, after fmpl_envelopes_open on all ranks.
 *     int pass_words(int rank, char words[16])
 *     {
 *         const char head[FMPL_ENVELOPE_HEAD] = "words";
 *         void *body;
 *         if (rank == 1) return fmpl_envelopes_wait(take, words, NULL);
 *         if (fmpl_envelope_reserve(1, 16, &body) == 0) return FMPL_ERR_BUSY; // try again later
 *         memcpy(body, words, 16);
 *         return fmpl_envelope_commit(1, head);
 *     }
 */
#ifndef FMPL_ENVELOPES_H
#define FMPL_ENVELOPES_H

#include <fmpl/waiting.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FMPL_ENVELOPE_HEAD 48 /* bytes that travel in the line that announces the envelope */

/* Makes the rings; collective over FMPL_COMM_WORLD, once, after fmpl_init. body_bytes: room of each pair's
 * ring of bodies, the same on all ranks; rounded up to a multiple of 256. Blocks until all ranks have called
 * it.
 * Errors: MISMATCH (body_bytes differ), MEMORY (on all ranks; the words say how much was wanted where),
 * ARGUMENT (more than 4 GiB), ALREADY_INITIALIZED (a second time). */
int fmpl_envelopes_open(size_t body_bytes);

/* The room with which bodies travel fastest on this machine, the same on all ranks. 0 before fmpl_init. */
size_t fmpl_envelopes_best_room(void);

/* Likewise the room with which a rank's rings take a quarter of its memory for records (FMPL_ARENA_SIZE). */
size_t fmpl_envelopes_most_room(void);

/* The longest body of the ring's, in bytes: a quarter of it. (One that is lent may be longer.) 0 before
 * fmpl_envelopes_open and after fmpl_finalize. */
size_t fmpl_envelope_body_limit(void);

/* Reserves room for an envelope to world_rank. Returns 1, and in *body the contiguous room for its body_bytes
 * (0 bytes: NULL; body itself may be NULL then). fmpl_envelope_commit follows before any other envelope call
 * to the same rank; the next reservation forgets one that is not committed. Never blocks.
 *
 * Returns 0 when there is no room now; it comes when the receiver has taken some. Returns 0 also when there
 * never will be: before fmpl_envelopes_open, when world_rank is the caller itself or no rank of the job, when
 * body_bytes is beyond the limit, or body NULL with body_bytes > 0. */
int fmpl_envelope_reserve(int world_rank, size_t body_bytes, void **body);

/* Sends what was reserved, with the FMPL_ENVELOPE_HEAD bytes at head as its head. Never blocks.
 * Errors: ARGUMENT (nothing is reserved, or head is NULL). */
int fmpl_envelope_commit(int world_rank, const void *head);

/* Both in one, for an envelope without a body: *sent is 1, or 0 where fmpl_envelope_reserve returns 0. Never
 * blocks.
 * Errors: ARGUMENT (head or sent is NULL). */
int fmpl_envelope_send(int world_rank, const void *head, int *sent);

/* The same, but does not wake a receiver that sleeps: for what it need not know before it looks for another
 * reason. A wait for which that envelope would be enough may go on, and fmplrun may find a deadlock in it. If
 * there is no room the receiver is woken all the same, as by the other calls. */
int fmpl_envelope_send_quietly(int world_rank, const void *head, int *sent);

/* Gets an envelope, and returns 0 to go on. head (8-byte aligned) and body (64-byte aligned, unless it is
 * lent; NULL when body_bytes is 0) are gone when the handler returns, and a body also as soon as the handler
 * sends an envelope to its source. One sent as in fmpl/envelope_steps.h is perhaps not whole yet. The
 * handler may reserve and commit envelopes, and call fmpl_isend, fmpl_irecv and their _test forms. It may
 * neither wait nor poll (a poll inside it takes nothing and returns 0), nor let an exception pass. */
typedef int (*fmpl_envelope_handler_t)(
    void *context, int source_world_rank, const void *head, const void *body, size_t body_bytes);

/* Calls handler for the envelopes that have come, in the order sent by each source, sources in turn; returns
 * how many. A call takes at most 64 from a source, so that it ends while others go on sending.
 * Never blocks.
 *
 * When the handler returns nonzero, what else has come stays where it is for another call. That call begins
 * with the same source, but gives the others their turn after 64 such calls. Nobody wakes the rank for what
 * lies there: a function that waits call (ready, progress), whose poll was ended so, returns nonzero or polls
 * again. */
int fmpl_envelopes_poll(fmpl_envelope_handler_t handler, void *context);

/* Waits, as fmpl_wait_until does, until fmpl_envelopes_poll has taken something with this handler. It is for
 * a rank that has nothing else to do meanwhile, which then waits as a rank in fmpl_recv does: by looks that
 * cost no call. what: as in fmpl_wait_until; what others than its peer have sent mostly stays where
 * it is for another call, unless others_too is 1. Blocks until an envelope comes.
 * Errors: ABORTED when the job ends; ARGUMENT (handler is NULL, or the call comes from within a handler,
 * ready or a progress function). */
int fmpl_envelopes_wait(fmpl_envelope_handler_t handler, void *context, const struct fmpl_wait_words *what);

/* One look of such a wait, for a call of the layer's that never blocks and that a program makes again and
 * again: as fmpl_envelopes_poll, with *taken for what that returns. After a look in vain the ranks that share
 * the caller's CPU or its thread run, and the rank's own transfers go on, as with fmpl_look. Within ready, a
 * progress function or a handler it only polls.
 * Errors: ABORTED when the job ends; ARGUMENT (handler or taken is NULL). */
int fmpl_envelopes_look(fmpl_envelope_handler_t handler, void *context, int *taken);

#ifdef __cplusplus
}
#endif
#endif
