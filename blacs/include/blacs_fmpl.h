/* The BLACS (Basic Linear Algebra Communication Subprograms, user's guide of version 1.1) over FMPL.
 *
 * C names (Cblacs_gridinit, Cdgesd2d, ...) take integers by value and characters as strings of which the first
 * letter counts; Fortran names (blacs_gridinit_, dgesd2d_, ...) take everything by pointer. Matrices lie by columns,
 * with `lda` elements from one column to the next. An error prints the routine, the process, the argument and what
 * to do, and ends all processes of the job: the BLACS have no error codes.
 *
 * REQUIRES: as for FMPL, one thread of a process at a time is inside the library. A process is a rank of a job started
 * by fmplrun, or a thread of fmpl::run_ranks.
 *
 * Blocking: sends return when the matrix may be changed, whether or not the receive has been called. A receive returns
 * with its message. Broadcasts, combines and barriers may wait for all processes of the scope; grid creation and
 * Cblacs_gridexit for all processes of the grid.
 */
#ifndef BLACS_FMPL_H
#define BLACS_FMPL_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Support routines -------------------------------------------------------------------------------------------- */

/* The process's number and how many there are. Starts FMPL when the program has not, by MPI_Init where the program
 * has FMPL's MPI. Cblacs_setup is the same. */
void Cblacs_pinfo(int *mypnum, int *nprocs);
void Cblacs_setup(int *mypnum, int *nprocs);

/* what = 0: the system context of all processes; 10: the system context of `context`, whose process numbers are
 * those of Cblacs_pnum; 1: the range of message identifiers (two integers); 2: the debug level (1: arguments are
 * checked); 11 to 16, of a context: broadcast rings, broadcast branches, combine rings, combine branches, repeatable
 * topologies, coherent topologies. Cblacs_set stores 11 to 16 and ignores 1. Topologies are hints that change
 * neither results nor, at present, speed: every letter is accepted, and all results are repeatable and coherent
 * whatever 15 and 16 say. */
void Cblacs_get(int context, int what, int *val);
void Cblacs_set(int context, int what, int *val);

/* *context: a system context in, the handle of the new grid out; -1 for a process outside the grid. Called by the
 * processes of the grid at least; others return at once. order: "R" (row-major, default) or "C". Processes that share
 * several grids create them in the same order. */
void Cblacs_gridinit(int *context, const char *order, int nprow, int npcol);
/* usermap[i + j * ldup]: the number, within the system context, of the process that gets coordinates (i, j). */
void Cblacs_gridmap(int *context, const int *usermap, int ldup, int nprow, int npcol);
void Cblacs_gridexit(int context); /* by all processes of the grid */
void Cblacs_freebuff(int context, int wait); /* gives back the packing area; no message is ever in it between calls */
/* Leaves the BLACS and frees all grids. not_done = 0 also ends FMPL, if the BLACS started it, and, where FMPL's MPI
 * is up, MPI (MPI_Finalize), whoever started that. */
void Cblacs_exit(int not_done);
void Cblacs_abort(int context, int error_number); /* ends all processes; exit status error_number if 1 .. 255, else 1 */

/* All -1 when `context` is no grid of the calling process. */
void Cblacs_gridinfo(int context, int *nprow, int *npcol, int *myrow, int *mycol);
/* Processes of a grid are numbered by rows, from 0; -1 for coordinates or numbers outside the grid. */
int Cblacs_pnum(int context, int prow, int pcol);
void Cblacs_pcoord(int context, int pnum, int *prow, int *pcol);

/* scope: "R" (the caller's process row), "C" (its process column) or "A" (the grid). */
void Cblacs_barrier(int context, const char *scope);

double Cdcputime00(void);  /* processor seconds used by this process */
double Cdwalltime00(void); /* seconds since an arbitrary point */

/* The FMPL index that a send, a receive or a broadcast of this context uses within the context's own communicators. */
int Cksendid(int context, int rdest, int cdest);
int Ckrecvid(int context, int rsrc, int csrc);
int Ckbsid(int context, const char *scope);
int Ckbrid(int context, const char *scope, int rsrc, int csrc);

/* System contexts stand for communicators: of FMPL's MPI where that is up, and then `comm` is an MPI_Comm (in
 * Fortran, its integer), an intracommunicator; else of FMPL. A handle stays valid until it is freed; that of all
 * processes, 0, always. Cblacs2sys_handle gives, for the handle of a grid (Cblacs_get 10), a communicator of the
 * grid's processes by their numbers, which ends with the grid: then it gives MPI_COMM_NULL or FMPL_COMM_NULL. */
int Csys2blacs_handle(fmpl_comm_t comm);
fmpl_comm_t Cblacs2sys_handle(int system_context);
void Cfree_blacs_system_handle(int system_context);

/* ---- Communication: ge general, tr trapezoidal (uplo "U" or "L", diag "U" or "N") -------------------------------- */

/* Types: i int, s float, d double; c and z pairs of float and of double, whatever their C type is called.
 *
 * gesd2d, trsd2d   send to process (rdest, cdest); gerv2d, trrv2d receive from (rsrc, csrc). Messages of one
 *                  context, source and destination are received in the order sent. The receiver's matrix must hold
 *                  the whole message.
 * gebs2d, trbs2d   broadcast to the scope; its other processes call gebr2d or trbr2d, naming the root.
 * gsum2d           element-wise sum over the scope, to (rdest, cdest), or to all if rdest or cdest = -1: then bit by
 *                  bit the same everywhere. In scope "R" only cdest counts, in scope "C" only rdest, for the rest.
 *                  Elsewhere `a` is unspecified after.
 * gamx2d, gamn2d   the element largest or smallest in absolute value (|re| + |im| for c and z); of equal ones that
 *                  of the smallest process number. ra, ca (leading dimension ldia): the coordinates of its process;
 *                  not touched if ldia = -1.
 *
 * Broadcasts and combines are made with as many elements by all processes of the scope. With m = 0 or n = 0 nothing
 * is read or written, and the call waits as with elements. lda and ldia count from the second column on, and are at
 * least m then. `top` may be anything.
 */
#define BLACS_FMPL_DECLARE(t, T)                                                                                       \
    void C##t##gesd2d(int context, int m, int n, const T *a, int lda, int rdest, int cdest);                           \
    void C##t##gerv2d(int context, int m, int n, T *a, int lda, int rsrc, int csrc);                                   \
    void C##t##trsd2d(int context, const char *uplo, const char *diag, int m, int n, const T *a, int lda, int rdest,   \
                      int cdest);                                                                                      \
    void C##t##trrv2d(int context, const char *uplo, const char *diag, int m, int n, T *a, int lda, int rsrc,          \
                      int csrc);                                                                                       \
    void C##t##gebs2d(int context, const char *scope, const char *top, int m, int n, const T *a, int lda);             \
    void C##t##gebr2d(int context, const char *scope, const char *top, int m, int n, T *a, int lda, int rsrc,          \
                      int csrc);                                                                                       \
    void C##t##trbs2d(int context, const char *scope, const char *top, const char *uplo, const char *diag, int m,      \
                      int n, const T *a, int lda);                                                                     \
    void C##t##trbr2d(int context, const char *scope, const char *top, const char *uplo, const char *diag, int m,      \
                      int n, T *a, int lda, int rsrc, int csrc);                                                       \
    void C##t##gsum2d(int context, const char *scope, const char *top, int m, int n, T *a, int lda, int rdest,         \
                      int cdest);                                                                                      \
    void C##t##gamx2d(int context, const char *scope, const char *top, int m, int n, T *a, int lda, int *ra, int *ca,  \
                      int ldia, int rdest, int cdest);                                                                 \
    void C##t##gamn2d(int context, const char *scope, const char *top, int m, int n, T *a, int lda, int *ra, int *ca,  \
                      int ldia, int rdest, int cdest);                                                                 \
    void t##gesd2d_(const int *context, const int *m, const int *n, const T *a, const int *lda, const int *rdest,      \
                    const int *cdest);                                                                                 \
    void t##gerv2d_(const int *context, const int *m, const int *n, T *a, const int *lda, const int *rsrc,             \
                    const int *csrc);                                                                                  \
    void t##trsd2d_(const int *context, const char *uplo, const char *diag, const int *m, const int *n, const T *a,    \
                    const int *lda, const int *rdest, const int *cdest);                                               \
    void t##trrv2d_(const int *context, const char *uplo, const char *diag, const int *m, const int *n, T *a,          \
                    const int *lda, const int *rsrc, const int *csrc);                                                 \
    void t##gebs2d_(const int *context, const char *scope, const char *top, const int *m, const int *n, const T *a,    \
                    const int *lda);                                                                                   \
    void t##gebr2d_(const int *context, const char *scope, const char *top, const int *m, const int *n, T *a,          \
                    const int *lda, const int *rsrc, const int *csrc);                                                 \
    void t##trbs2d_(const int *context, const char *scope, const char *top, const char *uplo, const char *diag,        \
                    const int *m, const int *n, const T *a, const int *lda);                                           \
    void t##trbr2d_(const int *context, const char *scope, const char *top, const char *uplo, const char *diag,        \
                    const int *m, const int *n, T *a, const int *lda, const int *rsrc, const int *csrc);               \
    void t##gsum2d_(const int *context, const char *scope, const char *top, const int *m, const int *n, T *a,          \
                    const int *lda, const int *rdest, const int *cdest);                                               \
    void t##gamx2d_(const int *context, const char *scope, const char *top, const int *m, const int *n, T *a,          \
                    const int *lda, int *ra, int *ca, const int *ldia, const int *rdest, const int *cdest);            \
    void t##gamn2d_(const int *context, const char *scope, const char *top, const int *m, const int *n, T *a,          \
                    const int *lda, int *ra, int *ca, const int *ldia, const int *rdest, const int *cdest);

BLACS_FMPL_DECLARE(i, int)
BLACS_FMPL_DECLARE(s, float)
BLACS_FMPL_DECLARE(d, double)
BLACS_FMPL_DECLARE(c, void)
BLACS_FMPL_DECLARE(z, void)
#undef BLACS_FMPL_DECLARE

/* ---- Fortran names of the support routines ----------------------------------------------------------------------- */

void blacs_pinfo_(int *mypnum, int *nprocs);
void blacs_setup_(int *mypnum, int *nprocs);
void blacs_get_(const int *context, const int *what, int *val);
void blacs_set_(const int *context, const int *what, int *val);
void blacs_gridinit_(int *context, const char *order, const int *nprow, const int *npcol);
void blacs_gridmap_(int *context, const int *usermap, const int *ldup, const int *nprow, const int *npcol);
void blacs_gridexit_(const int *context);
void blacs_freebuff_(const int *context, const int *wait);
void blacs_exit_(const int *not_done);
void blacs_abort_(const int *context, const int *error_number);
void blacs_gridinfo_(const int *context, int *nprow, int *npcol, int *myrow, int *mycol);
int blacs_pnum_(const int *context, const int *prow, const int *pcol);
void blacs_pcoord_(const int *context, const int *pnum, int *prow, int *pcol);
void blacs_barrier_(const int *context, const char *scope);
double dcputime00_(void);
double dwalltime00_(void);
int ksendid_(const int *context, const int *rdest, const int *cdest);
int krecvid_(const int *context, const int *rsrc, const int *csrc);
int kbsid_(const int *context, const char *scope);
int kbrid_(const int *context, const char *scope, const int *rsrc, const int *csrc);
int sys2blacs_handle_(const fmpl_comm_t *comm);
fmpl_comm_t blacs2sys_handle_(const int *system_context);
void free_blacs_system_handle_(const int *system_context);

#ifdef __cplusplus
}
#endif
#endif
