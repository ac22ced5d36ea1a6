// Columns of some lines each, copied with the widest loads and stores that the processor has, as few as there can be.
// memcpy takes more of them for such lengths (from both ends, overlapping), and a call for each column
// (docs/decisions/0019-offers-in-the-lane.md).
#pragma once

#include "crossbar/copy_across.hpp"

#include <cstddef>
#include <cstring>

namespace fmpl {

// Of one column. Longer ones are as fast by memcpy, or faster.
inline constexpr std::size_t kLeastWide = kLine;
inline constexpr std::size_t kMostWide = 2048;

namespace wide_copy {

// As wide as a register: a compiler that is given a wider one makes it of several, by way of the stack.
template <std::size_t Bytes>
struct Wide {
    using Type [[gnu::vector_size(Bytes), gnu::aligned(1), gnu::may_alias]] = unsigned char;
};

template <std::size_t Bytes>
[[gnu::always_inline]] inline void copy_line(std::byte* to, const std::byte* from)
{
    using Register = typename Wide<Bytes>::Type;
    for (std::size_t at = 0; at < kLine; at += Bytes) {
        *reinterpret_cast<Register*>(to + at) = *reinterpret_cast<const Register*>(from + at);
    }
}

template <std::size_t Bytes>
[[gnu::always_inline]] inline void copy_columns(std::byte* to, std::size_t to_stride, const std::byte* from,
    std::size_t from_stride, std::size_t length, std::size_t n)
{
    for (std::size_t j = 0; j < n; ++j, to += to_stride, from += from_stride) {
        std::size_t at = 0;
        for (; at + kLine <= length; at += kLine) copy_line<Bytes>(to + at, from + at);
        if (at < length) copy_line<Bytes>(to + length - kLine, from + length - kLine);
    }
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] inline void copy_columns_by_64(std::byte* to, std::size_t to_stride, const std::byte* from,
    std::size_t from_stride, std::size_t length, std::size_t n)
{
    copy_columns<64>(to, to_stride, from, from_stride, length, n);
}

[[gnu::target("avx2")]] inline void copy_columns_by_32(std::byte* to, std::size_t to_stride, const std::byte* from,
    std::size_t from_stride, std::size_t length, std::size_t n)
{
    copy_columns<32>(to, to_stride, from, from_stride, length, n);
}
#endif

}  // namespace wide_copy

// n columns of `length` bytes, from kLeastWide on; the memory must not overlap.
inline void copy_wide_columns(std::byte* to, std::size_t to_stride, const std::byte* from, std::size_t from_stride,
    std::size_t length, std::size_t n)
{
#if defined(__SANITIZE_THREAD__)
    // It sees no access wider than 16 bytes, but what memcpy reads and writes.
    for (std::size_t j = 0; j < n; ++j) std::memcpy(to + j * to_stride, from + j * from_stride, length);
#else
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        return wide_copy::copy_columns_by_64(to, to_stride, from, from_stride, length, n);
    }
    if (__builtin_cpu_supports("avx2")) {
        return wide_copy::copy_columns_by_32(to, to_stride, from, from_stride, length, n);
    }
#endif
    wide_copy::copy_columns<16>(to, to_stride, from, from_stride, length, n);
#endif
}

}  // namespace fmpl
