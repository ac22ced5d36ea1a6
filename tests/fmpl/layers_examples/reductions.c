#include <fmpl/reductions.h>

// The caller's part of the sum over all ranks, for which it needs its own number after the sum.
int share_of_sum(double mine, double *share)
{
    double sum;
    const int code = fmpl_allreduce_to(&mine, &sum, 1, FMPL_SUM_DOUBLE, FMPL_COMM_WORLD);
    if (code == FMPL_SUCCESS) *share = mine / sum;
    return code;
}
