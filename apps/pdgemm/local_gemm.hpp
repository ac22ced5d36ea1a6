// The matrix product within one process, by OpenBLAS: C = alpha op(A) op(B) + beta C, column-major. beta = 0 never
// reads C.
#pragma once

#include <cblas.h>

#include <complex>

namespace fmpl::pdgemm {

inline CBLAS_TRANSPOSE cblas_operation(char operation)
{
    return operation == 'N' ? CblasNoTrans : operation == 'T' ? CblasTrans : CblasConjTrans;
}

inline void local_gemm(char transa, char transb, int m, int n, int k, float alpha, const float* a, int lda,
    const float* b, int ldb, float beta, float* c, int ldc)
{
    cblas_sgemm(
        CblasColMajor, cblas_operation(transa), cblas_operation(transb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

inline void local_gemm(char transa, char transb, int m, int n, int k, double alpha, const double* a, int lda,
    const double* b, int ldb, double beta, double* c, int ldc)
{
    cblas_dgemm(
        CblasColMajor, cblas_operation(transa), cblas_operation(transb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

inline void local_gemm(char transa, char transb, int m, int n, int k, std::complex<float> alpha,
    const std::complex<float>* a, int lda, const std::complex<float>* b, int ldb, std::complex<float> beta,
    std::complex<float>* c, int ldc)
{
    cblas_cgemm(CblasColMajor, cblas_operation(transa), cblas_operation(transb), m, n, k, &alpha, a, lda, b, ldb, &beta,
        c, ldc);
}

inline void local_gemm(char transa, char transb, int m, int n, int k, std::complex<double> alpha,
    const std::complex<double>* a, int lda, const std::complex<double>* b, int ldb, std::complex<double> beta,
    std::complex<double>* c, int ldc)
{
    cblas_zgemm(CblasColMajor, cblas_operation(transa), cblas_operation(transb), m, n, k, &alpha, a, lda, b, ldb, &beta,
        c, ldc);
}

}  // namespace fmpl::pdgemm
