// memcpy for memory that another core has written last, or will read next.
//
// What bounds such a copy is not the bytes but the lines: the source's come from the other core's cache one by one, and
// the target's, which that core has read before, must be taken from it before they can be written. On Intel's cores,
// asking for the target's lines a block ahead lets both go on at once; shorter blocks would do a little better for
// lines that change cores and worse for those at hand. On AMD's it is slower than memcpy, whose string instruction
// fetches ahead itself, wherever the lines are (docs/decisions/0017-lines-asked-for-ahead.md).
#pragma once

#include "crossbar/cache_line.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fmpl {

inline bool is_amd_processor()
{
#if defined(__x86_64__)
    return __builtin_cpu_is("amd");
#else
    return false;
#endif
}

inline bool asking_ahead_pays()
{
    return !is_amd_processor();
}

inline void prefetch_to_write(const void* line)
{
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));  // does nothing where it is not known
#else
    __builtin_prefetch(line, 1);
#endif
}

inline void prefetch_to_write(const std::byte* first, std::size_t bytes)
{
    for (std::size_t at = 0; at < bytes; at += kLine) prefetch_to_write(first + at);
}

// Not by __builtin_prefetch: gcc takes a function that does nothing else for one without effect, and leaves its calls
// out.
inline void prefetch_to_read(const std::byte* first, std::size_t bytes)
{
    for (std::size_t at = 0; at < bytes; at += kLine) {
#if defined(__x86_64__)
        asm volatile("prefetcht0 %0" : : "m"(first[at]));
#else
        __builtin_prefetch(first + at);
#endif
    }
}

// Passes lines that were just written, and that another core will read once, on to the cache that the cores share: a
// few lines are there sooner from it than from this core's own. This core gives them up one by one, more slowly than
// the other would fetch many, so beyond kHandedOver bytes nothing is passed on (docs/decisions/0013-envelopes.md).
inline constexpr std::size_t kHandedOver = 512;

inline void hand_over(const void* first, std::size_t bytes)
{
    if (bytes > kHandedOver) return;
#if defined(__x86_64__)
    const auto* const from = static_cast<const char*>(first);
    // Does nothing where it is not known.
    for (std::size_t at = 0; at < bytes; at += kLine) asm volatile("cldemote %0" : : "m"(from[at]));
#else
    static_cast<void>(first);
#endif
}

// In blocks of so many bytes, whose lines are asked for a block ahead, or not.
inline constexpr std::size_t kCopyBlock = 2048;
void copy_asking_ahead(void* to, const void* from, std::size_t bytes);
void copy_blocks(void* to, const void* from, std::size_t bytes);

// To memory that another core will read, and has read before. Any sizes and alignments; the memory must not overlap.
inline void copy_across(void* to, const void* from, std::size_t bytes)
{
    constexpr std::size_t kLeast = 256;
    if (bytes >= kLeast && asking_ahead_pays()) return copy_asking_ahead(to, from, bytes);
    std::memcpy(to, from, bytes);
}

// Likewise from such memory to the rank's own, whose lines are at hand while they are few. These are copied in blocks
// too: memcpy does blocks by a loop, more by a string instruction, to which the lines of another core come more slowly.
inline void copy_from_across(void* to, const void* from, std::size_t bytes)
{
    constexpr std::size_t kFew = 8 * 1024;
    if (bytes <= kCopyBlock || !asking_ahead_pays()) {
        std::memcpy(to, from, bytes);
    } else if (bytes <= kFew) {
        copy_blocks(to, from, bytes);
    } else {
        copy_asking_ahead(to, from, bytes);
    }
}

}  // namespace fmpl
