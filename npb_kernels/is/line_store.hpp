// Stores of whole lines past the caches, where the processor has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace fmpl::npb::is {

inline constexpr std::size_t kLineBytes = 64;

// to[0 ... 14] = line[0 ... 14], to[15] = last. `to` and `line` are aligned to a line.
[[gnu::always_inline]] inline void store_line(std::uint32_t* to, const std::uint32_t* line, std::uint32_t last)
{
#if defined(__AVX512F__)
    const __m512i keys = _mm512_mask_set1_epi32(_mm512_load_si512(line), 1 << 15, static_cast<int>(last));
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), keys);
#elif defined(__SSE2__)
    const auto* const from = reinterpret_cast<const __m128i*>(line);
    auto* const out = reinterpret_cast<__m128i*>(to);
    for (int quarter = 0; quarter < 3; ++quarter) _mm_stream_si128(out + quarter, _mm_load_si128(from + quarter));
    // The upper half of the last quarter, with `last` in place of its second word.
    const __m128i quarter = _mm_load_si128(from + 3);
    const __m128i end = _mm_unpacklo_epi32(_mm_shuffle_epi32(quarter, 0xee), _mm_cvtsi32_si128(static_cast<int>(last)));
    _mm_stream_si128(out + 3, _mm_unpacklo_epi64(quarter, end));
#else
    std::memcpy(to, line, kLineBytes - sizeof last);
    to[15] = last;
#endif
}

// Such stores may become visible after later ones of the same processor. After this call they have.
inline void finish_stores()
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

}  // namespace fmpl::npb::is
