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
inline constexpr std::uint64_t kBroadcastFailed = ~std::uint64_t{0};
inline constexpr std::size_t kReduceSlots = 2;
inline constexpr std::size_t kDepositBytes = 64 * 1024;

struct alignas(kLine) BroadcastSlot {
    // Line 0: written by the root of the use.
    std::atomic<std::uint64_t> stamp;  // use + 1 (release, after the rest of the line and the payload)
    std::uint64_t total_bytes;         // of the whole broadcast; kBroadcastFailed: the root has no memory for it
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
    std::atomic<std::uint64_t> arrived;  // members that have made their deposit; the last one resets it
    std::uint8_t pad0[kLine - 8];
    // Line 1: the verdict, written by the last to arrive.
    alignas(kLine) std::atomic<std::uint64_t> stamp;  // use + 1 (release, after the rest of the line and the result)
    Offset result_at;                                 // of an allreduce in one piece
    std::uint32_t waiting;                            // members that wait for the verdict, see Deposit::waits
    std::int32_t culprit;                             // a member whose deposit does not go with member 0's, or -1
    std::uint32_t all_addressable;                    // 1: all deposits lie in the members' own buffers
    std::uint8_t pad1[kLine - 28];
    alignas(kLine) std::atomic<std::uint64_t> leaving;  // members that need the verdict no more; the last one resets it
    std::uint8_t pad2[kLine - 8];
    alignas(kLine) std::atomic<std::uint64_t> over;  // use + 1 of the last use that is over: who ends it (release)
    std::uint8_t pad3[kLine - 8];
};
static_assert(sizeof(ReduceSlot) == 4 * kLine);

// A member's contribution to a use. Writer: the member, before it adds to `arrived`.
struct alignas(kLine) Deposit {
    Offset at;                   // of its operand; kNoOffset: none that others can read
    std::uint64_t count;         // elements of the whole reduction
    std::uint64_t element_size;  // bytes
    std::int32_t root;           // -1: all members get the result
    std::uint32_t waits;         // 1: the member waits for the verdict
    std::uint32_t no_memory;     // 1: the member has no library buffers for its pieces
    std::uint8_t pad[kLine - 36];
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
