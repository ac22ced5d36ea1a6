// Copies of few bytes, as a short message has them, without a call; of more than 64 by memcpy. For FMPL and the
// layers above.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fmpl {

// Two overlapping words cover any length from the word's own to twice that, so that no length needs a loop of bytes.
inline void small_copy(void* to, const void* from, std::size_t bytes)
{
    auto* d = static_cast<std::uint8_t*>(to);
    const auto* s = static_cast<const std::uint8_t*>(from);
    const auto both_ends = [&]<class Word>(Word) {
        Word first, last;
        std::memcpy(&first, s, sizeof(Word));
        std::memcpy(&last, s + bytes - sizeof(Word), sizeof(Word));
        std::memcpy(d, &first, sizeof(Word));
        std::memcpy(d + bytes - sizeof(Word), &last, sizeof(Word));
    };
    if (bytes == 8) {
        std::memcpy(d, s, 8);
    } else if (bytes > 64) {
        std::memcpy(d, s, bytes);
    } else if (bytes > 32) {
        both_ends(std::array<std::uint64_t, 4>{});
    } else if (bytes > 16) {
        both_ends(std::array<std::uint64_t, 2>{});
    } else if (bytes > 8) {
        both_ends(std::uint64_t{});
    } else if (bytes >= 4) {
        both_ends(std::uint32_t{});
    } else if (bytes >= 2) {
        both_ends(std::uint16_t{});
    } else if (bytes == 1) {
        *d = *s;
    }
}

}  // namespace fmpl
