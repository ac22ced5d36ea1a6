// A whole broadcast between two ranks, which both copy: the receiver from one end, the root from the other.
//
// The receiver says where it wants the broadcast, perhaps before the root has come, with a chunk kept for the root.
// From and to private memory the kernel copies. Cost with n bytes: one flag latency + n / (2 copy bandwidth).
#pragma once

#include "coll/meeting.hpp"
#include "p2p/shared_copy.hpp"

#include <cstddef>
#include <cstdint>

namespace fmpl {

// wanted_at: where the receiver wants it, which it knows without a look at the line that the root is writing to.
SharedCopy shared_copy(const Meeting& m, BroadcastSlot& slot, Offset wanted_at, std::size_t bytes);
// By the receiver: opens the copy. If this is before the root has come, all must have left the slot's last use, which
// had the same words.
void ask_for_help(Meeting& m, std::uint64_t use, const std::byte* buffer, std::size_t bytes);
// By the receiver, which has asked for help, when the root has come.
void receive_with_help(Meeting& m, BroadcastSlot& slot, std::byte* buffer, std::size_t bytes);
// By the root; whether it has: once the receiver has asked for it. Not where that expects another number of bytes.
bool help_to_receive(Meeting& m, std::uint64_t use, const std::byte* buffer, std::size_t bytes);

}  // namespace fmpl
