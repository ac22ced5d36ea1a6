// Eight complex numbers side by side, the unit of all storage of FT: a row holds the real parts of eight neighbouring
// columns, then their imaginary parts, 128 bytes together. Arithmetic on rows needs no shuffling.
//
// For the sources of this folder alone: they are compiled for the processor of the machine, what they link with is not.
#pragma once

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

using Lanes = double __attribute__((vector_size(64), may_alias));
using StateLanes = std::uint64_t __attribute__((vector_size(64)));

struct ComplexLanes {
    Lanes re;
    Lanes im;
};

inline Lanes all_lanes(double value)
{
    return Lanes{value, value, value, value, value, value, value, value};
}

// Past the caches, for what nobody reads soon: saves reading the line before it is written. Visible to others after
// finish_streams(). A sanitizer does not see such stores, so there they are plain ones.
inline void stream(double* to, const Lanes& value)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) || !defined(__SSE2__)
    *reinterpret_cast<Lanes*>(to) = value;
#elif defined(__AVX512F__)
    _mm512_stream_pd(to, value);
#else
    for (std::size_t lane = 0; lane < kLanes; lane += 2)
        _mm_stream_pd(to + lane, __m128d{value[lane], value[lane + 1]});
#endif
}

inline void finish_streams()
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

template <bool kStream>
inline void store(double* to, const ComplexLanes& value)
{
    if constexpr (kStream) {
        stream(to, value.re);
        stream(to + kLanes, value.im);
    } else {
        reinterpret_cast<Lanes*>(to)[0] = value.re;
        reinterpret_cast<Lanes*>(to)[1] = value.im;
    }
}

// out[i][j] = in[j][i].
inline void transpose(const Lanes (&in)[kLanes], Lanes (&out)[kLanes])
{
    Lanes pairs[kLanes];
    for (std::size_t i = 0; i < kLanes; i += 2) {
        pairs[i] = __builtin_shufflevector(in[i], in[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        pairs[i + 1] = __builtin_shufflevector(in[i], in[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    Lanes fours
        [kLanes];  // 0, 1, 2, 3: columns (0, 4), (1, 5), (2, 6), (3, 7) of the rows 0 to 3; then of the rows 4 to 7
    for (std::size_t i = 0; i < kLanes; i += 4) {
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
}

}  // namespace fmpl::npb::ft
