/* What a layer above FMPL, such as the MPI or the BLACS, keeps of a rank: one slot a rank for each layer. A
 * rank is a process, a thread, or one of several that take turns on a thread; the slot is the calling
 * rank's in each case, and a look at it costs no call. No call here blocks or fails.
 *
 * Example:
 *
 *     #include <fmpl/layer_slots.h>
 *     #include <stdlib.h>
 *
 *     // How often the calling rank has called it; the number is freed as the rank ends.
 *     int count_my_calls(void)
 *     {
 *         int *calls = fmpl_layer_state(FMPL_LAYER_PROGRAM);
 *         if (calls == NULL) {
 *             struct fmpl_slot *slot = fmpl_layer_slot(FMPL_LAYER_PROGRAM);
 *             calls = calloc(1, sizeof *calls);
 *             slot->destroy = free;
 *             slot->state = calls;
 *         }
 *         return ++*calls;
 *     }
 */
#ifndef FMPL_LAYER_SLOTS_H
#define FMPL_LAYER_SLOTS_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The layers that have a slot, lower ones first. The last is for what is none of FMPL's libraries. */
enum fmpl_layer { FMPL_LAYER_MPI, FMPL_LAYER_BLACS, FMPL_LAYER_PROGRAM, FMPL_LAYERS };

/* All zero at first. FMPL reads it as the rank ends; otherwise it is the layer's, also in a forked child.
 * Where several threads belong to a rank, as all of a process do, they share it: then the layer writes
 * `state` by __atomic_store_n(&slot->state, ..., __ATOMIC_RELEASE), which pairs with fmpl_layer_state. */
struct fmpl_slot {
    void *state; /* NULL: the layer is not up */
    /* Called with state, unless either is NULL, as a rank ends that shares its process (fmpl::run_ranks,
     * fmpl::run_process): by its thread, which is still that rank, upper layers first; it throws nothing. The
     * state of a rank that is a process stays as it is. */
    void (*destroy)(void *state);
    int mark; /* what the layer remembers when it is not up */
};

/* The calling rank's slot; before fmpl_init and after fmpl_finalize too. Valid until the rank ends. */
struct fmpl_slot *fmpl_layer_slot(enum fmpl_layer layer);

/* The slots of the calling thread's rank, for fmpl_layer_state alone; all zero until the thread calls FMPL.
 * It lies in the static block of thread-local memory, where other libraries find it by one load. */
extern __thread const struct fmpl_slot *fmpl_layer_slots __attribute__((tls_model("initial-exec")));

/* fmpl_layer_slot(layer)->state. */
static inline void *fmpl_layer_state(enum fmpl_layer layer)
{
    void *const state = __atomic_load_n(&fmpl_layer_slots[layer].state, __ATOMIC_ACQUIRE);
    if (__builtin_expect(state != NULL, 1)) return state;
    return __atomic_load_n(&fmpl_layer_slot(layer)->state, __ATOMIC_ACQUIRE);
}

#ifdef __cplusplus
}
#endif
#endif
