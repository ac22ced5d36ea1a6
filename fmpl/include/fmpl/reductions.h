/* Reductions that leave their operand as it is, for layers above FMPL.
 *
 * Example:
 *
 *     #include <fmpl/reductions.h>
 *
 *     // The caller's part of the sum over all ranks, for which it needs its own number after the sum.
 *     int share_of_sum(double mine, double *share)
 *     {
 *         double sum;
 *         const int code = fmpl_allreduce_to(&mine, &sum, 1, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD);
 *         if (code == FMPL_SUCCESS) *share = mine / sum;
 *         return code;
 *     }
 */
#ifndef FMPL_REDUCTIONS_H
#define FMPL_REDUCTIONS_H

#include <fmpl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* fmpl_reduce and fmpl_allreduce of `count` elements at operand, with the result at `result`: this is operand
 * itself, which then gets the result, or memory that does not overlap it. fmpl_reduce_to looks at result on
 * root alone. Each rank chooses its form: these calls meet each other and fmpl_reduce, fmpl_allreduce, and
 * block on the same.
 * Errors: as fmpl_reduce and fmpl_allreduce; ARGUMENT (result overlaps a part of operand). */
int fmpl_reduce_to(
    const void *operand, void *result, size_t count, fmpl_op_t func, int root, fmpl_comm_t comm);
int fmpl_allreduce_to(const void *operand, void *result, size_t count, fmpl_op_t func, fmpl_comm_t comm);

#ifdef __cplusplus
}
#endif
#endif
