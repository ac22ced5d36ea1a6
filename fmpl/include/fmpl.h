/* FMPL: message passing for distributed linear algebra, built on remote memory operations.
 *
 * The calls are those of the FMPL paper (sections 2.2 to 2.4). Each returns FMPL_SUCCESS or one of FMPL_ERR_*; the
 * words for the last error of the calling rank are in fmpl_error_message().
 *
 * A *rank* is a process of a job started by fmplrun (or a thread of fmpl::run_ranks). One thread of a rank at a time
 * may be inside FMPL. All sizes are in bytes, all ranks count from 0 within their communicator.
 *
 * A *message* goes from a rank to a rank of one communicator over one *index* (the paper's index of the matching area,
 * similar to a tag), 0 <= index < count of fmpl_init. Messages over the same (source, destination, index) are received
 * in the order in which they were sent. A blocking call and a nonblocking one match each other.
 *
 * Memory ordering: everything that the sender wrote before fmpl_send or fmpl_isend is visible to the receiver after
 * the receive has completed; what a rank wrote before fmpl_barrier or fmpl_allreduce is visible to all after they
 * left it.
 */
#ifndef FMPL_H
#define FMPL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define FMPL_ALIGNED_LINE alignas(64)
#else
#define FMPL_ALIGNED_LINE _Alignas(64)
#endif

#define FMPL_VERSION_MAJOR 0
#define FMPL_VERSION_MINOR 1
#define FMPL_VERSION_PATCH 0

enum fmpl_error {
    FMPL_SUCCESS = 0,
    FMPL_ERR_NOT_INITIALIZED = 1,     /* the call came before fmpl_init or after fmpl_finalize */
    FMPL_ERR_ALREADY_INITIALIZED = 2, /* fmpl_init was called twice */
    FMPL_ERR_ARGUMENT = 3,            /* a null pointer, a negative count, an unknown operation ... */
    FMPL_ERR_RANK = 4,                /* source, destination or root is not a rank of the communicator */
    FMPL_ERR_INDEX = 5,               /* the index is outside 0 .. count-1 */
    FMPL_ERR_COMM = 6,                /* the communicator does not exist, or was freed */
    FMPL_ERR_TRUNCATED = 7,           /* the message is longer than the receive buffer; nothing was written */
    FMPL_ERR_BUSY = 8,                /* a nonblocking call on this (peer, index) has not been waited for */
    FMPL_ERR_NO_REQUEST = 9,          /* a wait for a nonblocking call that was never made */
    FMPL_ERR_MEMORY = 10,             /* not enough memory: the words say how much was wanted and how much there is */
    FMPL_ERR_MISMATCH = 11,           /* the ranks of a collective call gave different arguments */
    FMPL_ERR_PENDING = 12,            /* fmpl_finalize found messages that nobody received */
    FMPL_ERR_ABORTED = 13,            /* another rank failed; this job is ending */
    FMPL_ERR_SYSTEM = 14,             /* the operating system refused something; the words say what */
    FMPL_ERR_INTERNAL = 15            /* a defect of FMPL */
};

typedef int fmpl_comm_t;
#define FMPL_COMM_WORLD ((fmpl_comm_t)0)
#define FMPL_COMM_NULL ((fmpl_comm_t)-1)

/* As the index of a receive: a message with any index. The earliest one sent is taken; but a message of more than 1
 * MiB in memory outside remote-DMA memory, sent by fmpl_isend behind one not yet received, shows only when its turn
 * comes. */
#define FMPL_ANY_TAG (-1)

/* Elements of the matching area and of the completion-flag area (paper, section 2.2). Their contents belong to FMPL. */
typedef struct {
    FMPL_ALIGNED_LINE unsigned char opaque[64];
} fmpl_match_t;
typedef struct {
    FMPL_ALIGNED_LINE unsigned char opaque[128];
} fmpl_flag_t;

/* ---- Initialization and finalization (paper, section 2.2) -------------------------------------------------------- */

/* Joins the job; returns when all its ranks have joined. `count` (1 .. 1048576, the same on all ranks) is the number
 * of indices that each pair of ranks has in each communicator. `ma` and `fa` are both NULL, and the library owns
 * both areas, or both areas of FMPL_AREA_ELEMENTS(count, ranks of the job) elements in remote-DMA memory
 * (fmpl_malloc, which may be called before fmpl_init), which must live until fmpl_finalize. Areas in other memory
 * cannot be reached by other ranks: they are left alone, and the library owns both.
 * Errors: ALREADY_INITIALIZED, ARGUMENT (count; an area too small), MISMATCH (counts differ), MEMORY, SYSTEM. */
#define FMPL_AREA_ELEMENTS(count, ranks) (((size_t)(count) + 2) * (size_t)(ranks)) /* 2: FMPL's own messages */
int fmpl_init(fmpl_match_t *ma, fmpl_flag_t *fa, int count);

/* Leaves the job; collective over all ranks. Frees all memory of fmpl_malloc. PENDING, with a list in words, when
 * messages were sent that nobody received or nonblocking calls never waited for; the job is left all the same. */
int fmpl_finalize(void);

/* *flag = 1 between fmpl_init and fmpl_finalize of the calling rank, else 0. */
int fmpl_initialized(int *flag);

/* Ends the whole job with exit status `code` (1 .. 255). Does not return. `reason` may be NULL. */
#ifdef __cplusplus
[[noreturn]]
#else
_Noreturn
#endif
void fmpl_abort(int code, const char *reason);

/* ---- Point-to-point communication (paper, section 2.3) ----------------------------------------------------------- */

/* Sends `size` bytes. Returns when buf may be modified: at once when the payload travels inside the completion line (up
 * to 72 bytes) or the receive is posted, else when the receiver has taken the message or, after the time-out of
 * fmpl_sendbuf_set, when it lies in the send buffer. Blocks on the receiver otherwise.
 * Errors: RANK, INDEX, COMM, ARGUMENT (buf NULL with size > 0; as with every call, a size above PTRDIFF_MAX, which a
 * negative number becomes), BUSY (an isend on (dst, mai) is outstanding), MEMORY. */
int fmpl_send(const void *buf, size_t size, int dst, int mai, fmpl_comm_t comm);

/* Receives into buf, which has room for `size` bytes, the next message from `src` over index `mai` (or FMPL_ANY_TAG).
 * The message may be shorter. A longer one is discarded: TRUNCATED, and buf is unchanged; the sender is not told.
 * Errors: as fmpl_send, and TRUNCATED. */
int fmpl_recv(void *buf, size_t size, int src, int mai, fmpl_comm_t comm);

/* Nonblocking forms. buf belongs to the library until the wait with the same peer and index returns. Each (peer, index)
 * has at most one outstanding send and one outstanding receive (BUSY), and each source one with FMPL_ANY_TAG. While a
 * receive with FMPL_ANY_TAG is outstanding, receives with an index from the same source take precedence over it. */
int fmpl_isend(const void *buf, size_t size, int dst, int mai, fmpl_comm_t comm);
int fmpl_issend(const void *buf, size_t size, int dst, int mai, fmpl_comm_t comm); /* the paper's name for fmpl_isend */
int fmpl_irecv(void *buf, size_t size, int src, int mai, fmpl_comm_t comm);

/* Wait for the nonblocking call with the same peer and index. NO_REQUEST when there is none. */
int fmpl_isend_wait(int dst, int mai, fmpl_comm_t comm);
int fmpl_issend_wait(int dst, int mai, fmpl_comm_t comm);
int fmpl_irecv_wait(int src, int mai, fmpl_comm_t comm);

/* What the last completed receive of this rank matched: its source rank, its index and its length in bytes (after
 * TRUNCATED: the length of the discarded message). Any pointer may be NULL. */
int fmpl_received(int *source, int *index, size_t *bytes);

/* Gives the library a send buffer of `size` bytes: a send that has found no receive for timeout_ms milliseconds
 * copies its message there and returns; the receiver takes it from there. timeout_ms = 0 makes every send return at
 * once, by way of the send buffer unless the receive is posted with a buffer in remote-DMA memory, or the receiver
 * takes the message within about a microsecond; one that it is just copying is waited for. buf belongs to the
 * library until fmpl_finalize or the next fmpl_sendbuf_set. When buf is NULL or lies outside remote-DMA memory, the
 * library keeps the messages in memory of its own instead; with buf NULL and size 0 that memory grows as needed. A
 * full send buffer makes sends wait for their receivers, as without one. timeout_ms < 0 removes the send buffer.
 * Errors: BUSY when messages lie in the present send buffer, ARGUMENT, MEMORY. */
int fmpl_sendbuf_set(void *buf, size_t size, int timeout_ms);

/* Makes the send buffer progress. *nsend = messages that have left it since the last call, *nspool = messages still in
 * it. Either pointer may be NULL. Never blocks. */
int fmpl_sendbuf_check(int *nsend, int *nspool);

/* A separate domain, matched at the receiver: fmpl_recv_any takes the next message with index `mai` (or FMPL_ANY_TAG)
 * from any source; which one it was, fmpl_received tells. Messages never pass between fmpl_send and fmpl_recv_any, nor
 * between fmpl_send_any and fmpl_recv. Messages of one source are matched in the order sent. mai >= 0, no upper limit.
 */
int fmpl_send_any(const void *buf, size_t size, int dst, int mai, fmpl_comm_t comm);
int fmpl_recv_any(void *buf, size_t size, int mai, fmpl_comm_t comm);

/* ---- Communicators and collective communication (paper, section 2.4) --------------------------------------------- */

/* Called by all ranks of the job. Those with key = 1 get a new communicator, their ranks in the order of
 * FMPL_COMM_WORLD; those with key = 0 get FMPL_COMM_NULL. */
int fmpl_comm_create(fmpl_comm_t *comm, int key);
/* Called by all ranks of the communicator; sets *comm to FMPL_COMM_NULL. BUSY when a nonblocking call is
 * outstanding. */
int fmpl_comm_free(fmpl_comm_t *comm);
int fmpl_comm_rank(fmpl_comm_t comm, int *rank);
int fmpl_comm_size(fmpl_comm_t comm, int *size);

/* Collective calls are made by all ranks of the communicator, in the same order and with the same sizes, root and
 * operation (MISMATCH where that can be seen). */
int fmpl_barrier(fmpl_comm_t comm);
int fmpl_bcast(void *buf, size_t size, int root, fmpl_comm_t comm);

/* A reduction function: inout[i] = in[i] (op) inout[i] for i in 0 .. count-1. It must be associative; it need not be
 * commutative: then `in` comes from the lower ranks. */
typedef void (*fmpl_function_t)(const void *in, void *inout, size_t count);
/* The same in one pass over two operands: out[i] = a[i] (op) b[i], where out is neither, or a, or b. */
typedef void (*fmpl_combine_t)(const void *a, const void *b, void *out, size_t count);
/* What is not set is to be 0. */
struct fmpl_op {
    fmpl_function_t function;
    size_t element_size; /* bytes of one element */
    const char *name;
    int commutes; /* 1: it is; then ranks that share a CPU combine their elements first */
    fmpl_combine_t combine; /* or NULL; spares a copy of one operand */
};
typedef const struct fmpl_op *fmpl_op_t;

/* buf: count elements, in and out. The result does not depend on the order in which the ranks arrive, nor, with
 * elements of up to 32 KiB, on where buf lies; its rounding may depend on which ranks share a CPU. After fmpl_reduce
 * the contents of buf are the result on root, and unspecified elsewhere. work: room for count elements that the library
 * may use, or NULL. */
int fmpl_reduce(void *buf, size_t count, fmpl_op_t func, int root, fmpl_comm_t comm, void *work);
int fmpl_allreduce(void *buf, size_t count, fmpl_op_t func, fmpl_comm_t comm, void *work);

/* Built-in operations, FMPL_<operation>_<type>: sum, product, minimum, maximum over int32_t, int64_t, float, double;
 * sum and product over complex (pairs of float or double). A user's own: a struct fmpl_op that lives as long as its
 * use. */
#define FMPL_DECLARE_OPS(type)                                                                                         \
    extern const struct fmpl_op fmpl_sum_##type, fmpl_prod_##type, fmpl_min_##type, fmpl_max_##type;
FMPL_DECLARE_OPS(int32)
FMPL_DECLARE_OPS(int64)
FMPL_DECLARE_OPS(float)
FMPL_DECLARE_OPS(double)
#undef FMPL_DECLARE_OPS
extern const struct fmpl_op fmpl_sum_complex, fmpl_prod_complex, fmpl_sum_double_complex, fmpl_prod_double_complex;
#define FMPL_SUM_INT32 (&fmpl_sum_int32)
#define FMPL_PROD_INT32 (&fmpl_prod_int32)
#define FMPL_MIN_INT32 (&fmpl_min_int32)
#define FMPL_MAX_INT32 (&fmpl_max_int32)
#define FMPL_SUM_INT64 (&fmpl_sum_int64)
#define FMPL_PROD_INT64 (&fmpl_prod_int64)
#define FMPL_MIN_INT64 (&fmpl_min_int64)
#define FMPL_MAX_INT64 (&fmpl_max_int64)
#define FMPL_SUM_FLOAT (&fmpl_sum_float)
#define FMPL_PROD_FLOAT (&fmpl_prod_float)
#define FMPL_MIN_FLOAT (&fmpl_min_float)
#define FMPL_MAX_FLOAT (&fmpl_max_float)
#define FMPL_SUM_DOUBLE (&fmpl_sum_double)
#define FMPL_PROD_DOUBLE (&fmpl_prod_double)
#define FMPL_MIN_DOUBLE (&fmpl_min_double)
#define FMPL_MAX_DOUBLE (&fmpl_max_double)
#define FMPL_SUM_COMPLEX (&fmpl_sum_complex)
#define FMPL_PROD_COMPLEX (&fmpl_prod_complex)
#define FMPL_SUM_DOUBLE_COMPLEX (&fmpl_sum_double_complex)
#define FMPL_PROD_DOUBLE_COMPLEX (&fmpl_prod_double_complex)

/* ---- Memory, time, errors ---------------------------------------------------------------------------------------- */

/* Remote-DMA memory: `size` bytes, aligned to 64 bytes, in the caller's arena, which every rank can address:
 * messages from it or to it are copied at most once. NULL when there is not enough; fmpl_error_message() says how
 * many bytes were wanted and how many there are. May be called before fmpl_init. Freed by fmpl_free or
 * fmpl_finalize. */
void *fmpl_malloc(size_t size);
void fmpl_free(void *p); /* NULL is allowed; any other pointer must come from fmpl_malloc of the same rank */

double fmpl_wtime(void); /* seconds since an arbitrary point, the same for all ranks of one host */

const char *fmpl_strerror(int code); /* a short phrase; never NULL */

/* The last error of the calling rank in words: rank, call, argument, what to do. Valid until the rank's next FMPL call;
 * "" when there was none. The same line goes to standard error unless FMPL_ERRORS=return. */
const char *fmpl_error_message(void);

#ifdef __cplusplus
}
#endif
#endif
