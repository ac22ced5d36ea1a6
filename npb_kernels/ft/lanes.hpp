// Eight complex numbers side by side, the unit of all storage of FT: a row holds the real parts of eight neighbouring
// columns, then their imaginary parts, 128 bytes together. Arithmetic on rows needs no shuffling.
//
// For the sources of this folder alone: they are compiled for the processor of the machine, what they link with is not.
#pragma once

#include "common/register_width.hpp"

#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <immintrin.h>
#endif

// Nothing here is called across a boundary where the form of the call would matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace fmpl::npb::ft {

inline constexpr std::size_t kLanes = 8;
inline constexpr std::size_t kRow = 2 * kLanes;  // doubles in a row

// A row's eight are computed in as many parts as it takes.
inline constexpr std::size_t kWidth = kRegisterDoubles;
inline constexpr std::size_t kParts = kLanes / kWidth;

using Vector = double __attribute__((vector_size(kWidth * sizeof(double)), may_alias));
using StateVector = std::uint64_t __attribute__((vector_size(kWidth * sizeof(double))));

struct ComplexVector {
    Vector re;
    Vector im;
};

// part: of the row, 0, kWidth, ..., kLanes - kWidth.
inline ComplexVector load(const double* row, std::size_t part)
{
    return {*reinterpret_cast<const Vector*>(row + part), *reinterpret_cast<const Vector*>(row + kLanes + part)};
}

inline void store(double* row, std::size_t part, const ComplexVector& value)
{
    *reinterpret_cast<Vector*>(row + part) = value.re;
    *reinterpret_cast<Vector*>(row + kLanes + part) = value.im;
}

// Past the caches, for what nobody reads soon: saves reading the line before it is written, if all of the line is
// stored in a row. Visible to others after finish_streams(). A sanitizer does not see such stores, so there they are
// plain ones.
inline void stream(double* to, const Vector& value)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) || !defined(__SSE2__)
    *reinterpret_cast<Vector*>(to) = value;
#elif defined(__AVX512F__)
    _mm512_stream_pd(to, value);
#elif defined(__AVX__)
    _mm256_stream_pd(to, value);
#else
    _mm_stream_pd(to, value);
#endif
}

inline void finish_streams()
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

// out[i][j] = in[j][i].
inline void transpose(const Vector (&in)[kWidth], Vector (&out)[kWidth])
{
#if defined(__AVX512F__)
    Vector pairs[kWidth];
    for (std::size_t i = 0; i < kWidth; i += 2) {
        pairs[i] = __builtin_shufflevector(in[i], in[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        pairs[i + 1] = __builtin_shufflevector(in[i], in[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    Vector fours
        [kWidth];  // 0, 1, 2, 3: columns (0, 4), (1, 5), (2, 6), (3, 7) of the rows 0 to 3; then of the rows 4 to 7
    for (std::size_t i = 0; i < kWidth; i += 4) {
        for (std::size_t odd = 0; odd < 2; ++odd) {
            fours[i + odd] = __builtin_shufflevector(pairs[i + odd], pairs[i + 2 + odd], 0, 1, 8, 9, 4, 5, 12, 13);
            fours[i + 2 + odd] =
                __builtin_shufflevector(pairs[i + odd], pairs[i + 2 + odd], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (std::size_t i = 0; i < 4; ++i) {
        out[i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        out[i + 4] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#elif defined(__AVX__)
    Vector pairs[kWidth];
    for (std::size_t i = 0; i < kWidth; i += 2) {
        pairs[i] = __builtin_shufflevector(in[i], in[i + 1], 0, 4, 2, 6);
        pairs[i + 1] = __builtin_shufflevector(in[i], in[i + 1], 1, 5, 3, 7);
    }
    for (std::size_t i = 0; i < 2; ++i) {
        out[i] = __builtin_shufflevector(pairs[i], pairs[i + 2], 0, 1, 4, 5);
        out[i + 2] = __builtin_shufflevector(pairs[i], pairs[i + 2], 2, 3, 6, 7);
    }
#else
    out[0] = __builtin_shufflevector(in[0], in[1], 0, 2);
    out[1] = __builtin_shufflevector(in[0], in[1], 1, 3);
#endif
}

}  // namespace fmpl::npb::ft
