// What statistics say of a call that has to do with another rank.
#pragma once

#include "api/binding.hpp"

#include <cstddef>

namespace fmpl {

// 0 for what is no message.
[[gnu::cold, gnu::noinline]] inline std::size_t bytes_of(const fmpl_columns* columns) noexcept
try {
    if (columns == nullptr) return 0;
    check_columns(*columns);
    return Columns(*columns).bytes();
} catch (...) {
    return 0;
}

inline std::size_t bytes_of(std::size_t bytes)
{
    return bytes;
}

// For the statistics. size: bytes, or columns.
template <class Size>
[[gnu::always_inline]] inline auto message_to(int dst, int mai, fmpl_comm_t comm, Size size)
{
    return [=](const Rank& own) __attribute__((always_inline))->CallFacts
    {
        const int peer = own.communicators.world_rank(comm, dst);
        return {.peer = peer, .index = mai, .bytes = bytes_of(size), .sends = peer >= 0};
    };
}
// A receive, a wait, a call with a root: what sends no message, but has to do with one rank.
template <class Size>
[[gnu::always_inline]] inline auto with_peer(int rank, int mai, fmpl_comm_t comm, Size size)
{
    return [=](const Rank& own) __attribute__((always_inline))->CallFacts
    {
        return {.peer = own.communicators.world_rank(comm, rank), .index = mai < 0 ? -1 : mai, .bytes = bytes_of(size)};
    };
}
inline constexpr int kNoIndex = -1;
inline constexpr std::size_t kNoBytes = 0;

}  // namespace fmpl
