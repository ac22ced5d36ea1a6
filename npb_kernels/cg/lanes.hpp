// As many doubles as a register of the processor has, read from and written to places that 16-bit indices name.
#pragma once

#include "common/register_width.hpp"

#include <cstddef>
#include <cstdint>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace fmpl::npb::cg {

inline constexpr std::size_t kLanes = kRegisterDoubles;
using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;
using LanesInMemory [[gnu::vector_size(kLanes * sizeof(double)), gnu::aligned(alignof(double)), gnu::may_alias]] =
    double;

// Lanes at any multiple of a double.
inline LanesInMemory& lanes_at(double* at)
{
    return *reinterpret_cast<LanesInMemory*>(at);
}
inline const LanesInMemory& lanes_at(const double* at)
{
    return *reinterpret_cast<const LanesInMemory*>(at);
}

// to[lane] = base[index[lane]]
inline void gather(Lanes& to, const double* base, const std::uint16_t* index)
{
#ifdef __AVX512F__
    // GCC makes this of no loop.
    const __m256i places = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(index)));
    to = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, places, base, sizeof(double));
#elif defined(__AVX__)
    // Reads of one double take less time than this processor's gather, where it has one.
    to = Lanes{base[index[0]], base[index[1]], base[index[2]], base[index[3]]};
#else
    to = Lanes{base[index[0]], base[index[1]]};
#endif
}

// base[index[lane]] = values[lane]; the indices differ.
inline void scatter(double* base, const std::uint16_t* index, const Lanes& values)
{
#ifdef __AVX512F__
    const __m256i places = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(index)));
    _mm512_i32scatter_pd(base, places, values, sizeof(double));
#else
    for (std::size_t lane = 0; lane < kLanes; ++lane) base[index[lane]] = values[lane];
#endif
}

inline double sum_of(const Lanes& lanes)
{
    double sum = 0;
    for (std::size_t lane = 0; lane < kLanes; lane += 2) sum += lanes[lane] + lanes[lane + 1];
    return sum;
}

}  // namespace fmpl::npb::cg
