/* What a layer above FMPL, such as the MPI or the BLACS, says of itself: whose calls the program makes, and
 * which of them it is in. No call here blocks or fails.
 *
 * Example:
 *
 *     #include <fmpl/layer_calls.h>
 *
 *     int start_layer(void)
 *     {
 *         fmpl_layer_speaks(FMPL_SPEAKS_BLACS);
 *         return fmpl_init(NULL, NULL, 1);
 *     }
 *
 *     int my_barrier(void) // a rank that waits in it is said to be in "my_barrier"
 *     {
 *         const char **call = fmpl_layer_call();
 *         const char *before = *call;
 *         *call = "my_barrier";
 *         const int code = fmpl_barrier(FMPL_COMM_WORLD);
 *         *call = before;
 *         return code;
 *     }
 */
#ifndef FMPL_LAYER_CALLS_H
#define FMPL_LAYER_CALLS_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Says which library the program calls, whose calls FMPL and fmplrun name when they speak of the rank's start
 * and end. That library calls it before fmpl_init. The first to say it is heard. */
enum fmpl_spoken_library { FMPL_SPEAKS_FMPL, FMPL_SPEAKS_MPI, FMPL_SPEAKS_BLACS };
void fmpl_layer_speaks(enum fmpl_spoken_library library);

/* The place where a layer says which of its calls the calling rank is in, for all waits inside FMPL that
 * bring no words: the name of the call ("Cblacs_gridmap", in at most 24 characters; read while the call goes
 * on), NULL: none. The layer writes it as a call begins, and writes back what was there before as the call
 * ends. Errors of FMPL's meanwhile are not printed: the layer says them, in the words of fmpl_error_message.
 *
 * The place is valid until the rank's process (or its thread, in run_ranks) ends. NULL before fmpl_init. */
const char **fmpl_layer_call(void);

#ifdef __cplusplus
}
#endif
#endif
