// Where the members of a communicator meet for the hardware forms of collectives: a record in the first member's arena
// that all members map. docs/memory_layout.md explains the fields.
//
// Broadcast and reduction go through numbered *uses* of a few slots, alternately (paper, section 4.2: two library
// buffers). All members count the uses alike, since collective calls come in the same order everywhere; a slot is used
// again when everybody is through with its last use.
#pragma once

#include "crossbar/control_block.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fmpl {

inline constexpr std::size_t kBroadcastSlots = 2;
inline constexpr std::size_t kBroadcastBufferBytes = 64 * 1024;
inline constexpr std::size_t kBroadcastInlineBytes = 32;
inline constexpr std::size_t kReduceSlots = 2;
inline constexpr std::size_t kDepositBytes = 64 * 1024;

struct alignas(kLine) BroadcastSlot {
    // Line 0: written by the root of the use.
    std::atomic<std::uint64_t> stamp;  // use + 1 (release, after the rest of the line and the payload)
    std::uint64_t total_bytes;         // of the whole broadcast
    Offset at;                         // the payload of this use; kNoOffset: in the line
    std::uint32_t root;
    std::uint32_t whole;  // 1: all of it at once from the root's own buffer; 0: a piece of kBroadcastBufferBytes
    std::uint8_t payload[kBroadcastInlineBytes];
    // Line 1: all receivers of the use add 1 when they have read it (release).
    alignas(kLine) std::atomic<std::uint64_t> taken;
    std::uint8_t pad[kLine - 8];
};
static_assert(sizeof(BroadcastSlot) == 2 * kLine);

struct alignas(kLine) ReduceSlot {
    std::atomic<std::uint64_t>
        arrived;  // members that have made their deposit for an allreduce; the last one resets it
    std::uint8_t pad0[kLine - 8];
    alignas(
        kLine) std::atomic<std::uint64_t> result;  // use + 1 (release, after result_at and the result): last to arrive
    Offset result_at;
    std::uint8_t pad1[kLine - 16];
    alignas(kLine) std::atomic<std::uint64_t> leaving;  // members that need the use no more; the last one resets it
    std::uint8_t pad2[kLine - 8];
    alignas(kLine) std::atomic<std::uint64_t> over;  // use + 1 of the last use that is over: who ends it (release)
    std::uint8_t pad3[kLine - 8];
};
static_assert(sizeof(ReduceSlot) == 4 * kLine);

// A member's contribution to a use. Writer: the member.
struct alignas(kLine) Deposit {
    std::atomic<std::uint64_t> stamp;  // use + 1 (release, after the rest and the data)
    Offset at;                         // kNoOffset: the member's buffer cannot be addressed (partitioned form)
    std::uint64_t total_bytes;         // of the whole reduction
    std::uint8_t pad[kLine - 24];
};
static_assert(sizeof(Deposit) == kLine);

struct alignas(kLine) Station {
    BarrierRecord barrier;
    BroadcastSlot broadcast[kBroadcastSlots];
    ReduceSlot reduce[kReduceSlots];
    __extension__ Deposit deposits[];  // [member][kReduceSlots]

    Deposit& deposit(int member, std::uint64_t use)
    {
        return deposits[static_cast<std::size_t>(member) * kReduceSlots + use % kReduceSlots];
    }
    static std::size_t bytes(int members)
    {
        return sizeof(Station) + sizeof(Deposit) * kReduceSlots * static_cast<std::size_t>(members);
    }
};

}  // namespace fmpl
