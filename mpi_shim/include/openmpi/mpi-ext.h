/* Open MPI's extensions, which programs of Open MPI look for here: FMPL's MPI has none of them. */
#ifndef FMPL_MPI_EXT_H
#define FMPL_MPI_EXT_H

/* Buffers are in the memory of the host: no at compile time, and no to those that ask when they run. */
#define MPIX_CUDA_AWARE_SUPPORT 0
static __inline__ int MPIX_Query_cuda_support(void)
{
    return 0;
}

#endif
