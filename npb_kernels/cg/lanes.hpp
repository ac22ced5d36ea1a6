// As many doubles as a register of the processor has, read from and written to places that 16-bit indices name.
#pragma once

#include "common/register_width.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __AVX__
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

// to[lane] = base[index[lane]], by a read for each lane.
[[gnu::always_inline]] inline void read_each(Lanes& to, const double* base, const std::uint16_t* index)
{
#ifdef __AVX__
    static_assert(std::endian::native == std::endian::little);
    // The indices are read four at a time, as a word, which takes fewer reads. Put together by these intrinsics GCC's
    // code takes 5 % less time than that of Lanes{...}.
    const auto two = [&](std::uint64_t word, int shift) __attribute__((always_inline))
    {
        return _mm_loadh_pd(_mm_load_sd(base + ((word >> shift) & 0xffff)), base + ((word >> (shift + 16)) & 0xffff));
    };
    using Four [[gnu::vector_size(4 * sizeof(double))]] = double;
    const auto four = [&](const std::uint16_t* first) __attribute__((always_inline))->Four
    {
        std::uint64_t word;
        std::memcpy(&word, first, sizeof(word));
        return _mm256_insertf128_pd(_mm256_castpd128_pd256(two(word, 0)), two(word, 32), 1);
    };
#ifdef __AVX512F__
    to = __builtin_shufflevector(four(index), four(index + 4), 0, 1, 2, 3, 4, 5, 6, 7);
#else
    to = four(index);
#endif
#else
    to = Lanes{base[index[0]], base[index[1]]};
#endif
}

// The same by the processor's gather, where it has one for whole registers.
[[gnu::always_inline]] inline void gather(Lanes& to, const double* base, const std::uint16_t* index)
{
#ifdef __AVX512F__
    // GCC makes this of no loop.
    const __m256i places = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(index)));
    to = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, places, base, sizeof(double));
#else
    read_each(to, base, index);
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
