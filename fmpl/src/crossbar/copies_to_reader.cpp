#include "crossbar/copies_to_reader.hpp"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace fmpl {

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)

void copy_past_caches(void* to, const void* from, std::size_t bytes)
{
    auto* target = static_cast<std::byte*>(to);
    const auto* source = static_cast<const std::byte*>(from);
    // A line that is not written whole goes by the caches, as its other bytes do.
    const std::size_t begin = std::min((kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine, bytes);
    std::memcpy(target, source, begin);
    std::size_t done = begin;
    for (; done + kLine <= bytes; done += kLine) {
        const auto* const in = reinterpret_cast<const __m128i*>(source + done);
        auto* const out = reinterpret_cast<__m128i*>(target + done);
        const __m128i first = _mm_loadu_si128(in);
        const __m128i second = _mm_loadu_si128(in + 1);
        const __m128i third = _mm_loadu_si128(in + 2);
        const __m128i fourth = _mm_loadu_si128(in + 3);
        _mm_stream_si128(out, first);
        _mm_stream_si128(out + 1, second);
        _mm_stream_si128(out + 2, third);
        _mm_stream_si128(out + 3, fourth);
    }
    std::memcpy(target + done, source + done, bytes - done);
    _mm_sfence();  // the flag that is written next tells of such stores too, which nothing else orders
}

#else

void copy_past_caches(void* to, const void* from, std::size_t bytes)
{
    std::memcpy(to, from, bytes);
}

#endif

namespace {

// Until the lines have come of all that is in the store buffer. Unlike other fences it holds back the counter's
// reading, too.
void wait_for_stores()
{
#if defined(__x86_64__)
    _mm_mfence();
#endif
}

}  // namespace

void CopiesToReader::copy_by_distance(void* to, const void* from, std::size_t bytes)
{
    switch (distance_.next()) {
        case ReaderDistance::Next::through_caches:
            return copy_across(to, from, bytes);
        case ReaderDistance::Next::past_caches:
            return copy_past_caches(to, from, bytes);
        case ReaderDistance::Next::timed: {
            const std::uint64_t begin = read_clock(ClockKind::cycles);
            copy_across(to, from, bytes);
            wait_for_stores();
            distance_.was_copied(bytes, read_clock(ClockKind::cycles) - begin);
        }
    }
}

}  // namespace fmpl
