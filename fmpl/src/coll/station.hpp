// Where the members of a communicator meet for the hardware forms of collectives: a record, in the arena of the member
// of the lowest rank in FMPL_COMM_WORLD, that all members map. docs/memory_layout.md explains the fields.
//
// Broadcast and reduction go through numbered *uses* of a few slots in turn (paper, section 4.2: two library buffers).
// All members count the uses alike, since collective calls come in the same order everywhere; a slot is used again when
// everybody is through with its last use. Many slots let a rank that shares its CPU do as many operations as it can each
// time it runs, and let the root of a broadcast look only now and then how far the others are.
#pragma once

#include "crossbar/control_block.hpp"
#include "coll/place_in_lap.hpp"
#include "p2p/records.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fmpl {

inline constexpr std::size_t kBroadcastSlots = 64;
inline constexpr std::size_t kBroadcastBufferBytes = 32 * 1024;
inline constexpr std::size_t kBroadcastInlineBytes = 32;
inline constexpr std::uint64_t kBroadcastFailed = ~std::uint64_t{0};
inline constexpr std::size_t kReduceSlots = 8;
inline constexpr std::size_t kDepositBytes = 32 * 1024;
inline constexpr std::size_t kReduceInlineBytes = 16;
inline constexpr std::size_t kMostShares = 64;

// Where the receivers of a broadcast get its payload, or a piece of it, from.
enum class BroadcastManner : std::uint32_t {
    in_pieces,    // the slot's line, or a library buffer of the root's
    whole,        // all of it at once, from the root's own buffer
    partitioned,  // likewise, and whoever runs copies chunks of it to all receivers that wait (Reception)
};

struct alignas(kLine) BroadcastSlot {
    // Line 0: written by the root of the use.
    std::atomic<std::uint64_t> stamp;  // use + 1 (release, after the rest of the line and the payload), or claimed(use)
    std::uint64_t total_bytes;         // of the whole broadcast; kBroadcastFailed: the root has no memory for it
    Offset at;                         // the payload of this use; kNoOffset: in the line
    std::uint32_t root;
    BroadcastManner manner;
    std::uint8_t payload[kBroadcastInlineBytes];
    // Line 1: where the root's own buffer is read, each receiver adds 1 to `taken` when it has been (release); the root
    // stores 0 before `stamp`. A lone receiver may let the root help: it writes where its buffer is and how many bytes
    // it expects, opens the copy, and then sets `helped` to use + 1 (release), perhaps before the root has come.
    alignas(kLine) std::atomic<std::uint64_t> taken;
    HeadBody shared;
    std::atomic<std::uint64_t> helped;
    std::uint8_t pad[kLine - 16 - sizeof(HeadBody)];

    // Whether the caller is the only root of a use: by mistake there may be another, at the very same moment. REQUIRES: all
    // members have left the slot's last use.
    bool claim(std::uint64_t use)
    {
        std::uint64_t last = use < kBroadcastSlots ? 0 : use + 1 - kBroadcastSlots;
        // relaxed: what is written next needs no order among the roots, since only one of them writes
        return stamp.compare_exchange_strong(last, claimed(use), std::memory_order_relaxed, std::memory_order_relaxed);
    }
    // While the root writes the first piece; no use's stamp.
    static constexpr std::uint64_t claimed(std::uint64_t use) { return ~use; }
};
static_assert(sizeof(BroadcastSlot) == 2 * kLine);

// A receiver's part of a partitioned broadcast, before the root has come or after. Writer: the receiver; of `left` and `done`
// also the members that copy for it.
struct alignas(kLine) Reception {
    // tag(use), and bit i: nobody has taken chunk i (release by the receiver, after the rest)
    std::atomic<std::uint64_t> left;
    std::atomic<std::uint64_t> bytes;  // that the receiver expects (release: looked at before a chunk is taken, too)
    Offset at;                         // its buffer
    std::atomic<std::uint32_t> done;   // chunks that have been copied (release)
    std::uint8_t pad[kLine - 28];

    static constexpr std::uint64_t tag(std::uint64_t use) { return (use + 1) << 32; }
};
static_assert(sizeof(Reception) == kLine);

// How a reduction goes on, once its deposits are known to go together.
enum class ReduceManner : std::uint32_t {
    failed,    // it does not
    in_line,   // the last to arrive combines the operands of an allreduce, and its verdict has the result: that is all
    combined,  // the root combines all operands, in an allreduce the last to arrive
    partitioned,  // the members that run take shares of the elements until there is none left
    in_pieces,    // in further uses of at most kDepositBytes, since some operand is not to be reached where it is
};

struct ReduceVerdict {
    ReduceManner manner;
    std::uint32_t waiting;  // members that wait for the verdict, see Deposit::waits
    std::int32_t culprit;   // a member whose deposit does not go with member 0's, or -1
};

struct alignas(kLine) ReduceSlot {
    std::atomic<std::uint64_t> stamp;  // use + 1 (release, after the verdict and the result): the last to arrive
    std::atomic<std::uint64_t> over;   // use + 1 of the last use that is over: who ends it (release)
    // By the last to arrive, before `stamp`:
    union {
        Offset result_at;                      // manner combined, of an allreduce
        std::byte result[kReduceInlineBytes];  // manner in_line
    };
    ReduceVerdict verdict;
    std::atomic<std::uint32_t>
        arrived;  // members that have made their deposit, by CPU (CpuArrivals); the last one resets it
    std::atomic<std::uint32_t> leaving;  // members that need the verdict no more; the last one resets it
    // Manner partitioned: shares that have been written to the results. Who finishes the last ends the use.
    std::atomic<std::uint32_t> finished;
    std::atomic<std::uint64_t> taken;  // bit i: a member has taken share i
};
static_assert(sizeof(ReduceSlot) == kLine);

// A member's contribution to a use. Writer: the member, before it adds to `arrived`.
struct alignas(kLine) Deposit {
    Offset at;                              // of its operand; kNoOffset: none that others can read, or the root's own
    Offset result_at;                       // in place: where the member wants the result, of the whole reduction
    std::uint64_t count;                    // elements of the whole reduction
    std::uint64_t element_size;             // bytes
    std::int32_t root;                      // -1: all members get the result
    std::uint32_t waits;                    // 1: the member waits for the verdict
    std::uint32_t in_place;                 // 1: `at` is the member's own buffer, of the whole reduction
    std::uint32_t no_memory;                // 1: the member has no library buffers for its pieces
    std::byte operand[kReduceInlineBytes];  // if it is no longer than that
};
static_assert(sizeof(Deposit) == kLine);

// Between two members: what each of them reduces, in one line. Writer of by[rank]: that member.
struct PairDeposit {
    std::atomic<std::uint64_t> stamp;  // use + 1 (release, after the rest and the operand)
    std::uint64_t count;
    std::uint64_t payload;       // the operand, if no longer than this; else the offset of where it lies
    std::uint32_t element_size;  // bytes; those of 4 GiB and more are all alike
    std::int16_t root;           // or kAllMembers
    std::uint8_t in_place;       // kInPlace and what belongs to it, or 0
    std::uint8_t no_memory;      // 1: the member has no library buffers

    static constexpr std::uint8_t kInPlace = 1;          // the operand is the member's own buffer, whole
    static constexpr std::uint8_t kResultElsewhere = 2;  // and the result has another place
    static constexpr std::uint8_t kPrivate = 4;          // and one of the two is private memory
};
struct alignas(kLine) PairReduction {
    PairDeposit by[2];
};
static_assert(sizeof(PairReduction) == kLine);

// Where the members of such a pair want the result, if not in the operand's place. Writer of at[rank]: that member, before its stamp.
struct alignas(kLine) PairResults {
    Offset at[2];
    std::uint8_t pad[kLine - 16];
};
static_assert(sizeof(PairResults) == kLine);

// How far a member is. Writer: the member. A line for each, which others look at seldom: nobody has to fetch it from
// another core to say that a broadcast has been read.
struct alignas(kLine) BroadcastProgress {
    std::atomic<std::uint64_t> left;  // uses that the member is through with (release)
    std::uint8_t pad[kLine - 8];
};
static_assert(sizeof(BroadcastProgress) == kLine);

// How many of the members that are bound to one CPU have arrived, and kUnsettled for each that has transfers under way. In the
// records of the lowest such member; the last of them resets it, and arrives for all where members meet. This line stays in one
// core's cache.
struct alignas(kLine) CpuArrivals {
    static constexpr std::uint32_t kUnsettled = 1u << 16;

    std::atomic<std::uint32_t> barrier;
    std::atomic<std::uint32_t> reduce[kReduceSlots];
    CpuLap lap;  // of the same members
    std::uint8_t pad[kLine - 4 - 4 * kReduceSlots - sizeof(CpuLap)];
};
static_assert(sizeof(CpuArrivals) == kLine);

struct alignas(kLine) MemberRecords {
    Deposit deposits[kReduceSlots];
    Reception reception;
    BroadcastProgress broadcasts;
    CpuArrivals arrivals;
};

struct alignas(kLine) Station {
    BarrierRecord barrier;
    BroadcastSlot broadcast[kBroadcastSlots];
    // Roots that wait for others to leave a use. These, not the roots, look here before they wake anybody.
    alignas(kLine) std::atomic<std::uint32_t> waiting_roots;
    // Members that reach the private memory of all others. Each that does adds 1, once (release: pairs with
    // Meeting::members_reach_each_other).
    std::atomic<std::uint32_t> reaching;
    ReduceSlot reduce[kReduceSlots];
    PairReduction pairs[kReduceSlots];
    PairResults pair_results[kReduceSlots];
    __extension__ MemberRecords members[];

    Deposit& deposit(int member, std::uint64_t use)
    {
        return members[static_cast<std::size_t>(member)].deposits[use % kReduceSlots];
    }
    std::atomic<std::uint64_t>& broadcasts_left(int member)
    {
        return members[static_cast<std::size_t>(member)].broadcasts.left;
    }
    Reception& reception(int member) { return members[static_cast<std::size_t>(member)].reception; }
    CpuArrivals& arrivals(int member) { return members[static_cast<std::size_t>(member)].arrivals; }
    static std::size_t bytes(int members)
    {
        return sizeof(Station) + sizeof(MemberRecords) * static_cast<std::size_t>(members);
    }
};

}  // namespace fmpl
