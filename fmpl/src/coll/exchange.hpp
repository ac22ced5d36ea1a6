// Exchanges: short data that members lay down, each in slots of its own, and others read. Gather, scatter, allgather,
// all-to-all and scans of layers above are such: who lays down what for whom they know themselves.
//
// A member goes ahead of those who take what it gives by up to kExchangeSlots exchanges; nobody waits for who has
// nothing for it. Each goes through all exchanges of the communicator, also those in which it gives and takes nothing
// (docs/decisions/0045-short-data-is-exchanged.md).
//
// Cost: a line that changes cores for who takes, and one for each 64 bytes beyond the first 32.
#pragma once

#include "coll/meeting.hpp"

#include <cstddef>
#include <span>

namespace fmpl {

// Where this rank is to write its data of the present exchange, once those who took what it gave in the slot's last use
// have left that. bytes: at most kMostExchangeBytes. Throws Error: ABORTED; MEMORY, after which those who take it hear
// of that, too.
std::byte* room_to_give(Meeting& m, std::size_t bytes);
// They are written, for `to` or ExchangeState::kAll.
void show_given(Meeting& m, int to);
// Instead of both: the data, of so many bytes, go by another way. Throws Error(ABORTED).
void decline_to_give(Meeting& m, std::size_t bytes, int to);

// `data` is nullptr where the member has declined.
struct Given {
    const std::byte* data;
    std::size_t bytes;
};
// What another member has laid down in the present exchange, until the end of it. Waits for it. Throws Error: ABORTED,
// MEMORY, INTERNAL.
Given take_given(Meeting& m, int from);
void end_exchange(Meeting& m);

}  // namespace fmpl
