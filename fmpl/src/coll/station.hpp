// Where the members of a communicator meet for the hardware forms of collectives: a record, in the arena of the
// member of the lowest rank in FMPL_COMM_WORLD, that all members map. docs/memory_layout.md has a table of the
// fields, made from the words Writer and Ordering here (tools/memory-layout).
//
// Broadcast and reduction go through numbered *uses* of a few slots in turn (paper, section 4.2: two library
// buffers). All members count the uses alike, since collective calls come in the same order everywhere; a slot is
// used again when everybody is through with its last use. Many slots let a rank that shares its CPU do as many
// operations as it can each time it runs, and let the root of a broadcast look only now and then how far the others
// are.
//
// An exchange has a slot of each member, which that reuses when those who take what it gives have left its last use.
//
// A payload that is not in its record lies in the arena of its writer: in the user's own buffer if that is read in
// place, else in a library buffer for broadcasts (bcast/pieces.cpp) or for reductions (reduce/deposit.hpp). A root
// takes its buffers in turn, each again when all members have left the use that had it last.
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
inline constexpr std::size_t kReduceSlots = 64;
inline constexpr std::size_t kPairSlots = 32;
inline constexpr std::size_t kDepositBytes = 32 * 1024;
inline constexpr std::size_t kReduceInlineBytes = 16;
inline constexpr std::size_t kMostShares = 64;

// Payloads of up to this size have library buffers of their own, which take less memory. They lie in pages of their
// own, since a processor that reads one asks for what follows, which its owner may be writing; and at different places
// of these, so that they do not push each other out of a first-level cache.
inline constexpr std::size_t kShortBufferBytes = 2 * 1024;
inline constexpr std::size_t kShortBufferStride = 4096 + kLine;
static_assert(kDepositBytes == kBroadcastBufferBytes);
inline constexpr std::size_t kLongBufferStride = kDepositBytes + kLine;

inline constexpr std::size_t kExchangeSlots = 64;
inline constexpr std::size_t kExchangeSeries = 2;  // which know nothing of each other
inline constexpr std::size_t kExchangeInlineBytes = 32;
inline constexpr std::size_t kMostExchangeBytes = 8 * 1024;
// Up to this size data has buffers of its own, which are in the cache sooner and take less memory.
inline constexpr std::size_t kShortExchangeBytes = 1024;
// In place of the bytes that a member gives: it has no memory for them; they go by another way, and the line says how
// many they are.
inline constexpr std::uint32_t kExchangeFailed = ~std::uint32_t{0};
inline constexpr std::uint32_t kExchangeDeclined = kExchangeFailed - 1;

// Where the receivers of a broadcast get its payload, or a piece of it, from.
enum class BroadcastManner : std::uint32_t {
    in_pieces,    // the slot's line, or a library buffer of the root's
    whole,        // all of it at once, from the root's own buffer
    partitioned,  // likewise, and whoever runs copies chunks of it to all receivers that wait (Reception)
};

// Writer: the root of the use. Ordering: plain, under `stamp`; again when all have left the slot's last use.
struct alignas(kLine) BroadcastSlot {
    // Line 0.
    // use + 1, or claimed(use). Ordering: release, after the line and the payload; acquire in await_root(); claim()
    // relaxed.
    std::atomic<std::uint64_t> stamp;
    std::uint64_t total_bytes;  // of the whole broadcast; kBroadcastFailed: the root has no memory for it
    Offset at;                  // the payload of this use; kNoOffset: in the line
    std::uint32_t root;
    BroadcastManner manner;
    std::uint8_t payload[kBroadcastInlineBytes];
    // Line 1. Receivers that have read the root's own buffer.
    // Writer: the root, 0 before `stamp`; then receivers, fetch_add. Ordering: acq_rel in leave(); acquire in
    // send_whole().
    alignas(kLine) std::atomic<std::uint64_t> taken;
    // A lone receiver may let the root help: where its buffer is and how many bytes it expects, and the opened copy. It
    // writes them when it comes, if the root is known to have left the slot's last use, else when it has seen `stamp`.
    // The root leaves when all is copied, or when the receiver has left.
    // Writer: the lone receiver; `work` and `done` both sides, by SharedCopy. Ordering: plain, under `helped`.
    HeadBody shared;
    // use + 1. Writer: the lone receiver. Ordering: release, after `shared`; acquire in help_to_receive().
    std::atomic<std::uint64_t> helped;
    std::uint8_t pad[kLine - 16 - sizeof(HeadBody)];

    // Whether the caller is the only root of a use: by mistake there may be another, at the very same moment.
    // REQUIRES: all members have left the slot's last use.
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

// A receiver's part of a partitioned broadcast, before the root has come or after. The others take chunks once they
// have seen the root's stamp and manner, if `bytes` is the broadcast's. Who looks at `bytes` and takes nothing may
// meet the member's next reception: then the compare-exchange fails, since the use differs. The receiver waits for
// who has taken a chunk, and then adds to BroadcastSlot::taken; it stores `left` = 0 (relaxed) if manner or size turn
// out to be others. Writer: the receiver.
struct alignas(kLine) Reception {
    // tag(use), and bit i: nobody has taken chunk i. Writer: the receiver; who takes a chunk, by compare-exchange.
    // Ordering: release, after the rest; acquire in left_of() and claim().
    std::atomic<std::uint64_t> left;
    // That the receiver expects. Ordering: release, before `left`; acquire in wanted().
    std::atomic<std::uint64_t> bytes;
    Offset at;  // its buffer. Ordering: plain, under `left`.
    // Chunks that have been copied. Writer: the receiver, 0 before `left`; then who has copied one, fetch_add.
    // Ordering: acq_rel in tell_served(); acquire in await_reception().
    std::atomic<std::uint32_t> done;
    std::uint8_t pad[kLine - 28];

    static constexpr std::uint64_t tag(std::uint64_t use) { return (use + 1) << 32; }
};
static_assert(sizeof(Reception) == kLine);

// How a reduction goes on, once its deposits are known to go together.
enum class ReduceManner : std::uint32_t {
    failed,  // it does not
    // The last to arrive combines the operands of an allreduce before it tells the verdict, which has the result, or
    // the members' own buffers have it: that is all.
    by_last,
    combined,     // the root combines all operands, in an allreduce the last to arrive
    partitioned,  // the members that run take shares of the elements until there is none left
    in_pieces,    // in further uses of library buffers' size, since some operand is not reached where it is
};

struct ReduceVerdict {
    ReduceManner manner;
    std::uint32_t waiting;  // members that wait for the verdict, see Deposit::waits
    std::int32_t culprit;   // a member whose deposit does not go with member 0's, or -1
};

// Others may still read a result in the line when the use is over: nobody writes the line again before they have
// arrived for the slot's next use, and of the deposits they read none. Those who wait look at the line before
// `stamp`, so all of it is written at once. A reduce whose root is the last to arrive, and alone would wait, has no
// verdict: but `over` nothing is written.
// Writer: the last to arrive. Ordering: plain, under `stamp`.
struct alignas(kLine) ReduceSlot {
    // use + 1. Ordering: release, after verdict and result; acquire in await_verdict().
    std::atomic<std::uint64_t> stamp;
    // use + 1 of the last use that is over. Writer: the last to leave, to finish a share, or, if nobody else waits or
    // the result is in the line, to arrive. Ordering: release; acquire in await_end().
    std::atomic<std::uint64_t> over;

    union {
        Offset result_at;                      // manner combined, of an allreduce
        std::byte result[kReduceInlineBytes];  // manner by_last, if it is no longer than that
    };
    ReduceVerdict verdict;

    // Members that have made their deposit, by CPU (CpuArrivals). All deposits reach the last one.
    // Writer: members, or the last of each CPU, fetch_add; the last, 0.
    // Ordering: acq_rel, in Meeting::arrive_for_cpu of all.
    std::atomic<std::uint32_t> arrived;
    // Members that need the verdict no more, if several wait. Writer: who has waited, fetch_add; the last stores 0.
    // Ordering: acq_rel, in leave_reduction() of all.
    std::atomic<std::uint32_t> leaving;
    // Manner partitioned: shares that have been written to the results. Who finishes the last ends the use.
    // Writer: the last to arrive, 0 before `stamp`; then members, fetch_add.
    // Ordering: acq_rel, in combine_shares() of all; before `over`.
    std::atomic<std::uint32_t> finished;
    // Bit i: a member has taken share i. No member looks later than for this use, since the next one to store 0 needs
    // its arrival. Writer: the last to arrive, 0 before `stamp`; then members, fetch_or. Ordering: relaxed; data
    // under `stamp`.
    std::atomic<std::uint64_t> taken;
};
static_assert(sizeof(ReduceSlot) == kLine);

// A member's contribution to a use, read by the last to arrive, of its CPU and of all, and, before they leave, by those
// who wait. Or that of a CPU's members together (CpuRecords), which the last of them to arrive deposits: so many of
// them wait, and their combined operands lie at `at`; kNoOffset there: they are to be read one by one.
// Writer: who deposits. Ordering: plain, under the counts of arrivals.
struct alignas(kLine) Deposit {
    Offset at;                   // of its operand; kNoOffset: none that others can read, or the root's own
    Offset result_at;            // in place: where the member wants the result, of the whole reduction
    std::uint64_t count;         // elements of the whole reduction
    std::uint64_t element_size;  // bytes
    std::int32_t root;           // -1: all members get the result
    std::uint32_t waits;         // 1: the member waits for the verdict
    std::uint8_t in_place;       // 1: `at` is the member's own buffer, of the whole reduction
    std::uint8_t is_private;     // 1: and that or the result's place is private memory
    std::uint8_t no_memory;      // 1: the member has no library buffers for its pieces
    std::uint8_t differ;         // 1: of a CPU: its members' deposits do not go together
    std::uint8_t commutes;       // 1: the operation does
    std::uint8_t pad[3];
    std::byte operand[kReduceInlineBytes];  // if it is no longer than that

    bool goes_with(const Deposit& other) const
    {
        return count == other.count && element_size == other.element_size && root == other.root &&
               commutes == other.commutes;
    }
};
static_assert(sizeof(Deposit) == kLine);

// Between two members: what each of them reduces, in one line. Who lays down its part of use u + 1 is through with use
// u, so that the other may write the line again. Writer: the member of that place. Ordering: plain, under `stamp`.
struct PairDeposit {
    // use + 1, and how many steps of a long operand are in its library buffer. Ordering: release, after the rest and
    // what it counts; acquire in stamp_of_other() and is_over().
    std::atomic<std::uint64_t> stamp;
    std::uint64_t count;
    std::uint64_t payload;       // the operand, if no longer than this; else the offset of where it lies
    std::uint32_t element_size;  // bytes; those of 4 GiB and more are all alike
    std::int16_t root;           // or kAllMembers
    std::uint8_t in_place;       // kInPlace and what belongs to it, or 0
    std::uint8_t no_memory;      // 1: the member has no library buffers

    static constexpr std::uint8_t kInPlace = 1;          // the operand is the member's own buffer, whole
    static constexpr std::uint8_t kResultElsewhere = 2;  // and the result has another place
    static constexpr std::uint8_t kPrivate = 4;          // and one of the two is private memory

    static constexpr std::uint64_t kMostSteps = 255;
    static std::uint64_t stamp_of(std::uint64_t use, std::uint64_t steps) { return use << 8 | steps; }
    static std::uint64_t use_of(std::uint64_t stamp) { return stamp >> 8; }
    static std::uint64_t steps_of(std::uint64_t stamp) { return stamp & kMostSteps; }
};
struct alignas(kLine) PairReduction {
    PairDeposit by[2];
};
static_assert(sizeof(PairReduction) == kLine);

// Where the members of such a pair want the result, if not in the operand's place.
// Writer: the member of that place. Ordering: plain, under its PairDeposit::stamp.
struct alignas(kLine) PairResults {
    Offset at[2];
    std::uint8_t pad[kLine - 16];
};
static_assert(sizeof(PairResults) == kLine);

// How far a member is, in broadcasts or in exchanges. A line for each, which others look at only when what they saw
// last does not suffice: nobody has to fetch it from another core to say that something has been read. Writer: the
// member.
struct alignas(kLine) UseProgress {
    // Uses that the member is through with: it reads and writes nothing of their slots and buffers any more.
    // Ordering: release; acquire in look_who_has_left() and is_free().
    std::atomic<std::uint64_t> left;
    std::uint8_t pad[kLine - 8];
};
static_assert(sizeof(UseProgress) == kLine);

// What a member lays down in an exchange, for others to read.
// Writer: the member. Ordering: plain, under `stamp`; again when those who take it have left the slot's last use.
struct alignas(kLine) ExchangeSlot {
    // use + 1. Ordering: release, after the rest and the data; acquire in has_given().
    std::atomic<std::uint64_t> stamp;
    Offset at;            // of the data; kNoOffset: in the line
    std::uint32_t bytes;  // or kExchangeFailed, kExchangeDeclined
    std::uint8_t pad[12];
    alignas(16) std::byte data[kExchangeInlineBytes];
};
static_assert(sizeof(ExchangeSlot) == kLine);

// What a member has in a series of exchanges.
struct alignas(kLine) ExchangeRecords {
    UseProgress progress;
    ExchangeSlot given[kExchangeSlots];
};

// How many of the members that are bound to one CPU have arrived, and kUnsettled for each that has transfers under
// way. The last of them stores 0, and then arrives for all where members meet: so the writes of all reach the last of
// all, and the 0 comes before anybody can arrive again. These lines stay in one core's cache.
// Writer: those members, fetch_add. Ordering: acq_rel, in Meeting::arrive_at_cpu of all.
struct alignas(kLine) CpuArrivals {
    static constexpr std::uint32_t kUnsettled = 1u << 16;

    std::atomic<std::uint32_t> barrier;

    CpuLap lap;  // of the same members. Writer: who leaves the CPU. Ordering: relaxed.
    std::uint8_t pad[kLine - 4 - sizeof(CpuLap)];
    std::atomic<std::uint32_t> reduce[kReduceSlots];
};
static_assert(sizeof(CpuArrivals) == 5 * kLine);

struct alignas(kLine) MemberRecords {
    Deposit deposits[kReduceSlots];
    Reception reception;
    UseProgress broadcasts;
    ExchangeRecords exchanges[kExchangeSeries];
};

// What the members on one CPU have together; used if each member is bound to one CPU.
struct alignas(kLine) CpuRecords {
    CpuArrivals arrivals;
    Deposit deposits[kReduceSlots];
};

struct alignas(kLine) Station {
    BarrierRecord barrier;
    BroadcastSlot broadcast[kBroadcastSlots];
    // Roots that wait for others to leave a use. These, not the roots, look here before they wake anybody.
    // Writer: those roots, fetch_add and fetch_sub. Ordering: relaxed; as NodeRecord::sleeping in leave_use().
    alignas(kLine) std::atomic<std::uint32_t> waiting_roots;
    // Members that wait for others to leave an exchange, or have looked for that and will again, likewise.
    // Writer: those members, fetch_add and fetch_sub. Ordering: relaxed; as waiting_roots, in leave_use().
    std::atomic<std::uint32_t> waiting_givers;
    // Members that reach the private memory of all others. Writer: each of those, fetch_add, once.
    // Ordering: release; acquire in Meeting::members_reach_each_other.
    std::atomic<std::uint32_t> reaching;
    ReduceSlot reduce[kReduceSlots];
    PairReduction pairs[kPairSlots];
    PairResults pair_results[kPairSlots];
    __extension__ MemberRecords members[];

    Deposit& deposit(int member, std::uint64_t use)
    {
        return members[static_cast<std::size_t>(member)].deposits[use % kReduceSlots];
    }
    Reception& reception(int member) { return members[static_cast<std::size_t>(member)].reception; }
    // The CPUs' records follow those of the members, of whom there are `count`.
    CpuRecords& cpu(int count, int cpu) { return reinterpret_cast<CpuRecords*>(members + count)[cpu]; }
    static std::size_t bytes(int members, int cpus)
    {
        return sizeof(Station) + sizeof(MemberRecords) * static_cast<std::size_t>(members) +
               sizeof(CpuRecords) * static_cast<std::size_t>(cpus);
    }
};

}  // namespace fmpl
