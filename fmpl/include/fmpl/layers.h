/* For layers above FMPL (BLACS, the MPI shim, applications that report on themselves): calls beyond the paper's. */
#ifndef FMPL_LAYERS_H
#define FMPL_LAYERS_H

#include "fmpl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A communicator of the n ranks of FMPL_COMM_WORLD listed, in that order. Called by those ranks only, each with the same
 * list; ranks outside take no part. Overlapping groups must be created in the same order by the ranks they share.
 * Errors: ARGUMENT (n < 1, a rank listed twice, the caller not listed), RANK, MEMORY. */
int fmpl_comm_create_group(fmpl_comm_t *comm, const int *world_ranks, int n);

/* The rank in FMPL_COMM_WORLD of `rank` of comm. */
int fmpl_comm_world_rank(fmpl_comm_t comm, int rank, int *world_rank);

/* 1 when all of p[0 .. size-1] lies in the calling rank's remote-DMA memory, else 0. */
int fmpl_is_remote_dma(const void *p, size_t size);

/* fmpl_malloc, but that it says nothing where there is too little memory: NULL then. For memory that one can do without. */
void *fmpl_try_malloc(size_t size);

/* Memory of another rank, read where it lies. fmpl_remote_place: the place in the job of p[0 .. size-1], in *place, to be told to
 * other ranks by any message; ARGUMENT unless all of it lies in the calling rank's remote-DMA memory. fmpl_remote_view: where
 * the calling rank reads `size` bytes at such a place of `world_rank`; NULL where it cannot (the rank is none of the job's, its
 * memory is not addressable from here, or the bytes are not in that rank's remote-DMA memory). It stays there until the owner frees the
 * memory or a rank finalizes. When the bytes may be read, and until when, the ranks have to agree on by calls that
 * synchronise them (fmpl_barrier, fmpl_allreduce), or by envelopes: one from the owner, and one back. fmpl_is_addressable: 1
 * when the calling rank addresses the remote-DMA memory of `world_rank`, else 0. None of the three blocks. */
int fmpl_is_addressable(int world_rank);
int fmpl_remote_place(const void *p, size_t size, uint64_t *place);
const void *fmpl_remote_view(int world_rank, uint64_t place, size_t size);

/* Room to write into another rank's remote-DMA memory: as fmpl_remote_view, writable, and NULL in the same cases. The owner
 * may read what was written once a message or a call that synchronises the two ranks has told it so. Does not block. */
void *fmpl_remote_room(int world_rank, uint64_t place, size_t size);

/* The same for private memory (stack, static data, an ordinary heap), of which there is no view: copies the `size` bytes at `address` of
 * world_rank, as that rank has it, to `to`; *copied is 1. *copied is 0, and nothing has been written, where the caller does not reach
 * that rank's private memory: the kernel does not allow it, the rank is in another PID namespace, FMPL_PRIVATE_COPY=staged. Does not
 * block. Errors: ARGUMENT (copied is NULL, or to with size > 0), RANK, SYSTEM (there is no such memory). */
int fmpl_private_read(int world_rank, uint64_t address, void *to, size_t size, int *copied);

/* 1 when the job has a CPU for each of its ranks, by which ranks wait and copies are shared (fmpl_info, FMPL_CPUS); 0 when ranks share
 * CPUs, and before fmpl_init. */
int fmpl_cpus_suffice(void);

/* A message made of columns, as a block of a column-major matrix is. Column j, 0 <= j < count, begins at base + j * stride and
 * has `bytes` bytes, of which it gives those from begin + j * begin_step to end + j * end_step, both cut to 0 .. bytes.
 *   m x n elements of e bytes, leading dimension lda:      {m*e, n, lda*e, 0, 0, m*e, 0}
 *   its upper trapezoid with the diagonal (m >= n):         {m*e, n, lda*e, 0, 0, (m-n+1)*e, e}
 * The message is what the columns give, one after the other. */
struct fmpl_columns {
    size_t bytes;
    size_t count;
    size_t stride;
    ptrdiff_t begin;
    ptrdiff_t begin_step;
    ptrdiff_t end;
    ptrdiff_t end_step;
};
/* fmpl_send, fmpl_recv and fmpl_bcast of such a message. Both sides choose their own form: columns, others, or none
 * (fmpl_recv). Where a receive is posted and lies in remote-DMA memory, the sender copies from its columns straight into
 * the receiver's, and columns are filled straight from a message in one piece in remote-DMA memory; otherwise the message
 * passes once through memory of the library's. A shorter message fills the first bytes of the receiver's columns. Errors: as
 * fmpl_send, fmpl_recv and fmpl_bcast; ARGUMENT when there are several columns and stride < bytes, or the columns reach
 * beyond the address space. */
int fmpl_send_columns(const void *base, const struct fmpl_columns *columns, int dst, int mai, fmpl_comm_t comm);
int fmpl_recv_columns(void *base, const struct fmpl_columns *columns, int src, int mai, fmpl_comm_t comm);
int fmpl_bcast_columns(void *base, const struct fmpl_columns *columns, int root, fmpl_comm_t comm);

/* fmpl_reduce and fmpl_allreduce that leave the operand as it is. The result goes to `result`: `operand` itself, and then in its
 * place, or memory that does not overlap it (ARGUMENT). fmpl_reduce_to looks at `result` on root alone. They meet each other and
 * fmpl_reduce, fmpl_allreduce: each rank chooses its form. Errors: as these. */
int fmpl_reduce_to(
    const void *operand, void *result, size_t count, fmpl_op_t func, int root, fmpl_comm_t comm);
int fmpl_allreduce_to(const void *operand, void *result, size_t count, fmpl_op_t func, fmpl_comm_t comm);

/* *done = 1 when the nonblocking call with this peer and index is complete, and then it is finished, as by the wait: the
 * same errors (TRUNCATED ...), and a further test or wait finds NO_REQUEST. Else *done = 0. Makes the transfer progress.
 * Never blocks. *done = 0 with every error but those which the finished call itself reports. mai may be FMPL_ANY_TAG for
 * fmpl_irecv_test. ARGUMENT: done is NULL. *done = 0 after the ranks that share the caller's CPU have had it (fmpl_look). */
int fmpl_isend_test(int dst, int mai, fmpl_comm_t comm, int *done);
int fmpl_irecv_test(int src, int mai, fmpl_comm_t comm, int *done);

/* fmpl_irecv of a message that the caller wants nothing of, because it has read it by fmpl_remote_view: the message is consumed and
 * its sender's call completes; no error says that it is longer than 0 bytes. Errors: as fmpl_irecv. */
int fmpl_irecv_discard(int src, int mai, fmpl_comm_t comm);

/* fmpl_irecv ahead of its message, for a layer whose ranks agree on who sends what: src does not begin to send the message before the layer
 * has told it of the receive. So src is not woken, and the receive can be taken back until then: fmpl_irecv_withdraw, after which
 * the buffer is the caller's again, and the next receive on the index gets the message. Neither blocks. Errors: as fmpl_irecv; of
 * fmpl_irecv_withdraw BUSY (the message has come, or is coming; the receive stays), ARGUMENT (it was posted by fmpl_irecv), NO_REQUEST. */
int fmpl_irecv_ahead(void *buf, size_t size, int src, int mai, fmpl_comm_t comm);
int fmpl_irecv_withdraw(int src, int mai, fmpl_comm_t comm);

/* Envelopes: short messages which the receiver takes in the order in which each source sent them, through a function of
 * its own. For a library that matches at the receiver, as an MPI does. They are apart from all other messages: an envelope
 * never passes to fmpl_recv or fmpl_recv_any.
 *
 * Each ordered pair of ranks has a ring of lines, one an envelope, and a ring of bytes for the bodies, in the memory of the
 * receiver. What the sender wrote before the commit is visible to the handler that gets the envelope, and what it read before
 * the commit may be overwritten by then. Envelopes that nobody has taken when the ranks finalize are dropped without a word. */
#define FMPL_ENVELOPE_HEAD 48 /* bytes that travel in the line that announces the envelope */

/* Collective over FMPL_COMM_WORLD, once, after fmpl_init: makes the rings. body_bytes: room of each pair's ring of bodies,
 * the same on all ranks; rounded up to a multiple of 256. Blocks until all ranks have called it.
 * Errors: MISMATCH (body_bytes differ), MEMORY (on all ranks; the words say how much was wanted where), ARGUMENT
 * (more than 4 GiB), ALREADY_INITIALIZED (a second time). */
int fmpl_envelopes_open(size_t body_bytes);

/* The longest body of the ring's: a quarter of it. (One that is lent may be longer.) 0 before fmpl_envelopes_open and after fmpl_finalize. */
size_t fmpl_envelope_body_limit(void);

/* Room for an envelope to world_rank: 1, and in *body where its body_bytes are to be written, contiguous (0 bytes: NULL; body
 * itself may be NULL then). 0 when there is no room now (it comes when the receiver has taken some), and also when there never will
 * be: before fmpl_envelopes_open, when world_rank is the caller itself or no rank of the job, when body_bytes is beyond the
 * limit, or body NULL with body_bytes > 0. fmpl_envelope_commit follows before any other envelope call to the same rank; a reservation that is not
 * committed is forgotten by the next one. Never blocks. */
int fmpl_envelope_reserve(int world_rank, size_t body_bytes, void **body);

/* Sends what was reserved, with the FMPL_ENVELOPE_HEAD bytes at head as its head. Never blocks. ARGUMENT: nothing is reserved,
 * or head is NULL. */
int fmpl_envelope_commit(int world_rank, const void *head);

/* Both in one, for an envelope without a body: *sent is 1, or 0 where fmpl_envelope_reserve says 0. Never blocks. ARGUMENT: head or sent
 * is NULL. */
int fmpl_envelope_send(int world_rank, const void *head, int *sent);

/* The same, but that the receiver is not woken if it sleeps: for what it need not know before it looks for another reason. A wait for which
 * that envelope would be enough may go on, and fmplrun may find a deadlock in it. Where there is no room the receiver is woken all the
 * same, as by the other calls. */
int fmpl_envelope_send_quietly(int world_rank, const void *head, int *sent);

/* The same with a body in remote-DMA memory, which is not copied into the ring: the receiver's handler reads it where it lies. *sent is 1
 * when the handler is through with it, and the caller may write there again. *sent is 0, and the receiver sees nothing, where that is not
 * possible or not worth it; send it otherwise, then. So it is with bodies of 0 bytes, of more than 65535 and in other memory, where
 * fmpl_envelope_reserve of 0 bytes says 0 or ranks share CPUs, when the receiver does not look for envelopes within about a microsecond, and from
 * within ready, a progress function or a handler; and, unless waits_anyway is nonzero, when the receiver is not known to wait for an answer of
 * the caller's. waits_anyway: 1 when the caller will wait for the receiver in any case. Blocks for about so long, and as long as
 * the handler takes, and meanwhile calls nothing of the layer's. ARGUMENT: a pointer is NULL. ABORTED when the job ends. */
int fmpl_envelope_lend(
    int world_rank, const void *head, const void *body, size_t body_bytes, int waits_anyway, int *sent);

/* Calls handler for the envelopes that have come, in the order sent by each source, sources in turn; returns how many. The
 * handler returns 0 to go on; else what else has come stays where it is, for another call, which begins with the same
 * source, but for no more than a ring of lines before the others have their turn. A function that waits call (ready,
 * progress) and whose poll was ended so returns nonzero or polls again: nobody wakes the rank for what lies there. At most
 * one ring of lines is taken from a source by a call, so that it ends while others go on sending. head (8-byte aligned) and
 * body (64-byte aligned, unless it is lent; NULL when body_bytes is 0) are gone when the handler returns, and
 * a body also as soon as the handler sends an envelope to its source. The handler may
 * reserve and commit envelopes, call fmpl_isend, fmpl_irecv and their _test forms; it may neither poll (a poll inside the
 * handler takes nothing and returns 0) nor wait, and must not let an exception pass. Never blocks. */
typedef int (*fmpl_envelope_handler_t)(
    void *context, int source_world_rank, const void *head, const void *body, size_t body_bytes);
int fmpl_envelopes_poll(fmpl_envelope_handler_t handler, void *context);

/* Waits as FMPL does (spin, yield, sleep) until ready(context) returns nonzero; FMPL's own transfers go on. ready is called
 * often; it may poll envelopes and call the _test functions, but not wait, and must not let an exception pass. It must become
 * true by something that another rank does through FMPL (an envelope, a message, a credit), since nothing else wakes the
 * rank once ready has returned 0: so it leaves nothing undone that it can do, and tests what it has started itself (a receive
 * may be complete at once). `what` says what the rank waits for, should somebody ask (fmplrun does): call, in at most 24 characters
 * ("MPI_Recv"); peer, a rank of FMPL_COMM_WORLD, -1: any; index, say a tag, -1: none; the size of the communicator; bytes. It
 * may be NULL. from_outside: 1 where something else may make ready true after all, a signal handler or another thread; then
 * the rank looks every 10 ms at least, and fmplrun never finds a deadlock of which this wait is a part. ABORTED when the job ends. ARGUMENT: ready is NULL, or the call comes from within ready or a progress
 * function. */
struct fmpl_wait_words {
    const char *call;
    int peer;
    int index;
    int comm_size;
    size_t bytes;
    int from_outside;
};
int fmpl_wait_until(int (*ready)(void *context), void *context, const struct fmpl_wait_words *what);

/* Waits in the same way until fmpl_envelopes_poll has taken something with this handler. For a rank that has nothing else to do
 * meanwhile, which then waits as a rank in fmpl_recv does: by looks that cost no call. what and errors as fmpl_wait_until's;
 * ARGUMENT: handler is NULL, or the call comes from within a handler, ready or a progress function. */
int fmpl_envelopes_wait(fmpl_envelope_handler_t handler, void *context, const struct fmpl_wait_words *what);

/* One look of such a wait, for a call of the layer's that never blocks and that a program makes again and again until something
 * has happened, as MPI_Test is: *is_ready is what ready(context) returned, called once and with the same rights and duties. After a look
 * in vain the ranks that share the caller's CPU or its thread run before fmpl_look returns, since what the program looks for
 * may be theirs to do; where each rank has a CPU it returns at once. Where ready is sure to return nonzero this is a look for a call
 * that goes on in any case. Within ready, a progress function or a handler it calls ready and does nothing else. ABORTED
 * when the job ends. ARGUMENT: a pointer but context is NULL. */
int fmpl_look(int (*ready)(void *context), void *context, int *is_ready);

/* Before fmpl_init, by the library that the program calls: what FMPL and fmplrun say of the rank's start and end names that
 * library's calls. The first to say it is heard. */
enum fmpl_spoken_library { FMPL_SPEAKS_FMPL, FMPL_SPEAKS_MPI, FMPL_SPEAKS_BLACS };
void fmpl_layer_speaks(enum fmpl_spoken_library library);

/* The place where a layer says which of its calls the calling rank is in, for all waits inside FMPL that bring no words: the
 * name of the call ("Cblacs_gridmap", in at most 24 characters; read while the call goes on), NULL: none. The layer writes
 * it as a call begins, and what was there before as the call ends. Valid until the rank's process (or its thread, in
 * run_ranks) ends. NULL before fmpl_init. Errors of FMPL's meanwhile are not printed: the layer says them, in the words of
 * fmpl_error_message. */
const char **fmpl_layer_call(void);

/* A function that every long wait of the calling rank inside FMPL (fmpl_barrier, fmpl_bcast, fmpl_allreduce, fmpl_recv ...;
 * not fmpl_wait_until, whose ready does it, nor fmpl_envelopes_wait) calls from time to time, so that the layer's own transfers go on. It may do what
 * ready may, with the same care, but for sends over the (destination, index) of a blocking send that it interrupts (BUSY). It
 * is never entered while it runs, or while ready or an envelope handler does. What it receives does not show in
 * fmpl_received. NULL removes it. */
int fmpl_layer_progress_set(void (*progress)(void *context), void *context);

/* Time in calls, per call. Off until enabled (fmplrun --stats and --trace enable it from the start). A call that is made
 * within another one, by a layer or from a function of the layer's, is part of that one. */
struct fmpl_call_stats {
    const char *call; /* "fmpl_send", "MPI_Send", ...; stays until the rank finalizes */
    uint64_t calls;
    uint64_t bytes;
    double seconds;
};
int fmpl_stats_enable(int on);
/* Fills at most `room` entries with the calls made at least once; returns how many there are, in *n. */
int fmpl_stats_get(struct fmpl_call_stats *stats, int room, int *n);
/* Seconds that the calling rank has spent inside such calls since stats were enabled. */
double fmpl_stats_seconds(void);

/* A layer's own calls in statistics and traces, in the place of the calls of FMPL that it makes:
 *
 *   if (*observed != 0) {                                  observed = fmpl_layer_observed(), after fmpl_init
 *       fmpl_layer_call_begin("MPI_Send");
 *       fmpl_layer_call_about(destination, tag, bytes, 1);
 *   }
 *   ... the call ...
 *   if (it was observed) fmpl_layer_call_end(1);
 *
 * fmpl_layer_observed: where an int stands that is nonzero while the calling rank is observed; it stays there after
 * fmpl_finalize. _begin: the name's letters must stay where they are; fewer than 40 are kept. Returns 1 when the call counts,
 * 0 when it is made within another one, and then the others do nothing. Every _begin has its _end. _about: a rank of
 * FMPL_COMM_WORLD, -1: none or any; an index or tag, -1: none or any; sends: 1 when the call sends these bytes to that rank, as one
 * point-to-point message, which is in the matrix of who sent to whom when _end is told that the call has succeeded. _sent: the
 * call has sent one more message, to that rank. They need an fmpl_init before them, and neither block nor fail; _end may
 * follow fmpl_finalize. */
const int *fmpl_layer_observed(void);
int fmpl_layer_call_begin(const char *name);
void fmpl_layer_call_about(int world_rank, int index, size_t bytes, int sends);
void fmpl_layer_call_sent(int world_rank, size_t bytes);
void fmpl_layer_call_end(int succeeded);

/* FMPL's MPI, for another library of the job that shares it with the program, as the BLACS do. libmpi_fmpl defines
 * fmpl_layer_mpi; a library that is not linked with it declares it weak, and finds a null address where the program has no MPI of
 * FMPL's. Communicators are handles of MPI, which are no handles of FMPL: is_comm tells. What returns words returns NULL when it has
 * succeeded; the words say what was wrong with which argument, and stay until the rank's next such call.
 *   is_up             between MPI_Init and MPI_Finalize of the calling rank
 *   init, finalize    MPI_Init, with MPI_THREAD_SINGLE, and MPI_Finalize
 *   is_comm           1 when the integer has the form of a communicator's handle, MPI_COMM_NULL's too
 *   comm_world_ranks  the rank in FMPL_COMM_WORLD of each rank of an intracommunicator; *size is how many it has, of which the first
 *                     `room` are written
 *   comm_create       a communicator of these n ranks of FMPL_COMM_WORLD, in this order; called by these alone, with the same list
 *   comm_free         by all of its ranks; sets *comm to MPI_COMM_NULL */
struct fmpl_mpi_services {
    int comm_world;
    int comm_null;
    int (*is_up)(void);
    const char *(*init)(void);
    const char *(*finalize)(void);
    int (*is_comm)(int comm);
    const char *(*comm_world_ranks)(int comm, int *world_ranks, int room, int *size);
    const char *(*comm_create)(const int *world_ranks, int n, int *comm);
    const char *(*comm_free)(int *comm);
};
const struct fmpl_mpi_services *fmpl_layer_mpi(void);

/* Ranks of the job and the caller's own, before fmpl_init too (then: what fmplrun or run_ranks says; 1 and 0 without). */
int fmpl_job_size(void);
int fmpl_job_rank(void);
/* 1 when other ranks live in the process (fmpl::run_ranks, fmpl::run_process with all of them); 0 when the rank is its process. */
int fmpl_rank_is_thread(void);
/* 1 when the ranks of the job take turns on threads (fmpl::JobOptions::threads, fmpl::run_process), so that what a layer keeps for each
 * thread is that of several ranks: on all of them, also on one that happens to have its thread alone. */
int fmpl_rank_shares_thread(void);

/* The program's malloc heap in remote-DMA memory (fmplrun --rdma heap), for the allocator that is preloaded for it.
 *
 * fmpl_heap_range claims the part of the rank's arena that is set apart for the heap: *begin, *size, page-aligned, without
 * memory behind it. To be called once, before main, by a process that fmplrun started; nothing is printed and nothing
 * changes on an error: ARGUMENT (not a rank of fmplrun's), ALREADY_INITIALIZED (the rank's heap belongs to another process,
 * or the rank has begun to use its arena), MEMORY, SYSTEM. The range stays mapped to the end of the process, whatever
 * fmpl_finalize does.
 *
 * fmpl_heap_commit backs page-aligned parts of the range with memory, so that an access cannot fail: MEMORY when there is
 * too little, and then some of the pages may be backed. fmpl_heap_release gives their memory back; SYSTEM when the system
 * refuses. These two may be called by any thread and neither allocate nor print. */
int fmpl_heap_range(void **begin, size_t *size);
int fmpl_heap_commit(void *at, size_t size);
int fmpl_heap_release(void *at, size_t size);

#ifdef __cplusplus
}
#endif
#endif
