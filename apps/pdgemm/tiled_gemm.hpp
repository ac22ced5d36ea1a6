// The local product in tiles that OpenBLAS multiplies without packing its operands.
//
// Packing copies both operands into buffers of the process first. For small products that costs as much as a tenth of
// the time, and more where processes take turns on a CPU, since each has its own buffers to bring back into the caches:
// with eight processes a CPU and 160 x 160 elements of C each, 135 GFlop/s become 170 on two CPUs
// (docs/decisions/0012-direct-pdgemm.md). Up to 10^6 multiply-adds OpenBLAS has kernels without packing, for real types
// on processors with AVX-512. They are faster while C is small and A not transposed; elsewhere one call for all is.
#pragma once

#include "equal_share.hpp"
#include "local_gemm.hpp"

#include <strings.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <type_traits>

namespace fmpl::pdgemm {

// Whether the OpenBLAS of this process has such kernels for this processor.
inline bool has_unpacked_kernels()
{
    const char* const core = openblas_get_corename();
    for (const char* name : {"SkylakeX", "Cooperlake", "SapphireRapids"}) {
        if (strcasecmp(core, name) == 0) return true;
    }
    return false;
}

// As local_gemm, for m, n, k > 0. `unpacked`: has_unpacked_kernels().
template <class T>
void tiled_gemm(char transa, char transb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,
    T beta, T* c, int ldc, bool unpacked)
{
    constexpr std::size_t kMostBytesOfC = std::size_t{1} << 20;
    constexpr int kMostProducts = 1'000'000;
    constexpr int kMostRows = 160;
    constexpr int kMostInner = 64;
    constexpr bool real = std::is_floating_point_v<T>;
    const std::size_t c_bytes = sizeof(T) * static_cast<std::size_t>(m) * static_cast<std::size_t>(n);
    if (!real || !unpacked || transa != 'N' || c_bytes > kMostBytesOfC) {
        local_gemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        return;
    }
    const int rows = equal_share(m, kMostRows);
    const int inner = equal_share(k, kMostInner);
    const int columns = equal_share(n, kMostProducts / (rows * inner) / 8 * 8);
    const auto at = [](auto* matrix, int leading_dimension, int i, int j) {
        return matrix + i + static_cast<std::ptrdiff_t>(j) * leading_dimension;
    };
    for (int l = 0; l < k; l += inner) {
        for (int j = 0; j < n; j += columns) {
            const T* const b_tile = transb == 'N' ? at(b, ldb, l, j) : at(b, ldb, j, l);
            for (int i = 0; i < m; i += rows) {
                local_gemm(transa, transb, std::min(rows, m - i), std::min(columns, n - j), std::min(inner, k - l),
                    alpha, at(a, lda, i, l), lda, b_tile, ldb, l == 0 ? beta : T(1), at(c, ldc, i, j), ldc);
            }
        }
    }
}

}  // namespace fmpl::pdgemm
