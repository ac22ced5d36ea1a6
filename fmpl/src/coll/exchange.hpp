// Exchanges: short data that members lay down, each in slots of its own, and others read. Gather, scatter, allgather,
// all-to-all and scans of layers above are such: who lays down what for whom they know themselves.
//
// A member goes ahead of those who take what it gives by up to kExchangeSlots exchanges; nobody waits for who has
// nothing for it. Each begins and ends all exchanges of a series, also those in which it gives and takes nothing, and
// may have several open at once (docs/decisions/0045-short-data-is-exchanged.md). An exchange is named by its number in
// the series, `use`.
//
// Cost: a line that changes cores for who takes, and one for each 64 bytes beyond the first 32.
#pragma once

#include "coll/meeting.hpp"

#include <cstddef>
#include <cstdint>

namespace fmpl {

// The next one, which is open until its end. Throws std::bad_alloc.
inline std::uint64_t begin_exchange(ExchangeState& x)
{
    if (x.uses - x.open_from > x.ended.capacity()) [[unlikely]]
        x.make_room_to_end();
    return x.uses++;
}

// Of the one that has just begun: who gives to all others, or takes from all.
inline void set_root(ExchangeState& x, int root)
{
    if (x.meeting.cpu_mates.cpus == 0) return;
    x.roots.begins(root, x.meeting.size());
    x.rooted = x.uses - 1;
}

// Where this rank is to write its data, once those who took what it gave in the slot's last use have left that, and it
// has itself. bytes: at most kMostExchangeBytes. Throws Error: ABORTED; MEMORY, after which those who take it hear of
// that, too; ARGUMENT if only this rank itself can make room.
std::byte* room_to_give(ExchangeState& x, std::uint64_t use, std::size_t bytes);
// nullptr where that would have to wait. The rank is woken when it may be worth another call. Throws Error(MEMORY).
std::byte* try_room_to_give(ExchangeState& x, std::uint64_t use, std::size_t bytes);
// The data are written, for `to` or ExchangeState::kAll.
void show_given(ExchangeState& x, std::uint64_t use, int to);
// Instead of that: the data, of so many bytes, go by another way.
void decline_to_give(ExchangeState& x, std::uint64_t use, std::size_t bytes, int to);

// `data` is nullptr where the member has declined.
struct Given {
    const std::byte* data;
    std::size_t bytes;
};
// What another member has laid down, until this rank ends the exchange. Waits for it. Throws Error: ABORTED, MEMORY,
// INTERNAL.
Given take_given(ExchangeState& x, std::uint64_t use, int from);
// The same, if it is there; whether it is.
bool try_take_given(ExchangeState& x, std::uint64_t use, int from, Given& given);

void end_exchange(ExchangeState& x, std::uint64_t use);

}  // namespace fmpl
