// libpdgemm: the four routines by their Fortran names, and one C++ name for them. The calling sequence is that of
// ScaLAPACK's PBLAS: corners are counted from 1, descriptors have 9 entries.
#pragma once

#include <complex>

#define FMPL_PDGEMM_DECLARE(name, type)                                                                                \
    extern "C" void name(const char* transa, const char* transb, const int* m, const int* n, const int* k,             \
        const type* alpha, const type* a, const int* ia, const int* ja, const int* desca, const type* b,               \
        const int* ib, const int* jb, const int* descb, const type* beta, type* c, const int* ic, const int* jc,       \
        const int* descc);                                                                                             \
    namespace fmpl::pdgemm {                                                                                           \
    inline void call_pgemm(char transa, char transb, int m, int n, int k, type alpha, const type* a, int ia, int ja,   \
        const int* desca, const type* b, int ib, int jb, const int* descb, type beta, type* c, int ic, int jc,         \
        const int* descc)                                                                                              \
    {                                                                                                                  \
        name(&transa, &transb, &m, &n, &k, &alpha, a, &ia, &ja, desca, b, &ib, &jb, descb, &beta, c, &ic, &jc, descc); \
    }                                                                                                                  \
    }

FMPL_PDGEMM_DECLARE(psgemm_, float)
FMPL_PDGEMM_DECLARE(pdgemm_, double)
FMPL_PDGEMM_DECLARE(pcgemm_, std::complex<float>)
FMPL_PDGEMM_DECLARE(pzgemm_, std::complex<double>)
#undef FMPL_PDGEMM_DECLARE
