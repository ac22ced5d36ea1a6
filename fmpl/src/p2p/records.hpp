// The shared records of point-to-point communication. docs/memory_layout.md has a table of their fields, made from the
// words Writer and Ordering here (tools/memory-layout).
//
// One *channel* carries the messages of a (source, destination, index) of a communicator, numbered 1, 2, 3 ... Each
// side polls a record in its own arena that only the other side writes:
//
//   MatchingSlot     at the source, written by the destination: what receive is posted, what has been consumed
//   CompletionFlag   at the destination, written by the source: which message there is, and the message if short
//   Lane             at the lower rank of the pair, for mapped peers: one short message of each direction at a time,
//                    whatever its index
//
// Invariants
//   1. The destination posts or consumes message n only after it has consumed n-1.
//   2. The source overwrites the head part of a CompletionFlag (everything but `available`, `chain`) only for a
//      message n whose predecessors have all been consumed, or to replace its own unclaimed offer (see `claim`) or
//      held message n: by `moved` or `shared` if a buffer is posted meanwhile, by `piped` if neither side reaches the
//      other's private buffer, by `spooled` after the time-out.
//   3. A message that cannot be the head because an earlier one is unconsumed is a ChainLink at the source: the head's
//      successor hangs on CompletionFlag::chain, its own on ChainLink::next, and `available` counts to the last. The
//      destination follows a link only when `available` counts the message behind it.
//   4. A ChainLink is freed when it and its successor in the chain have been consumed.
//   5. The source puts message n of a channel into the lane only when all before it on this channel, and whatever was
//      in the lane, have been consumed. So what is in the lane is the next message of its channel. One that is only on
//      offer there becomes a head when the source has claimed it, and leaves the lane when it is consumed; its `body`
//      says nothing of it. A destination that finds such a head first sees the offer too, and counts both as one.
//   6. No number is offered twice on a channel, so nobody resets `claim`. The destination reads the `body` of an
//      offered message only after its own successful claim, and waits for the stamp to change when the claim fails;
//      so it never meets a source there that replaces its offer.
#pragma once

#include "crossbar/control_block.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fmpl {

enum class MessageKind : std::uint8_t {
    inlined = 1,  // the payload is in the completion flag
    moved = 2,    // the source has written it into the posted buffer
    offered = 3,  // it lies in the source's memory; whoever claims it moves it
    spooled = 4,  // it lies in the source's memory for the destination to take: nobody else will
    piped = 5,    // it comes in pieces through a ring in the source's memory
    held = 6,     // in private memory of the source, which waits for a posted receive to move or pipe it
    shared = 7,   // the source has begun to write it into the posted buffer, and the destination may help
};

// Message number and kind in one word, the flag of a CompletionFlag: number << 16 | kind << 8 | inline bytes.
struct Stamp {
    static constexpr std::uint64_t make(std::uint64_t number, MessageKind kind, std::size_t inline_bytes = 0)
    {
        return number << 16 | static_cast<std::uint64_t>(kind) << 8 | inline_bytes;
    }
    static constexpr std::uint64_t number(std::uint64_t stamp) { return stamp >> 16; }
    static constexpr MessageKind kind(std::uint64_t stamp) { return static_cast<MessageKind>(stamp >> 8 & 0xff); }
    static constexpr std::size_t inline_bytes(std::uint64_t stamp) { return stamp & 0xff; }
};

// Message number and pieces done in one word, for pipes: number << 24 | pieces.
struct PipeCount {
    static constexpr std::uint64_t make(std::uint64_t number, std::uint64_t pieces) { return number << 24 | pieces; }
    // Pieces of message `number` that the word stands for; 0 when it still speaks of an earlier message.
    static constexpr std::uint64_t pieces(std::uint64_t word, std::uint64_t number)
    {
        return word >> 24 == number ? word & 0xffffff : 0;
    }
};

inline constexpr std::size_t kInlineBytes = 72;

// In place of MatchingSlot::columns: the destination has claimed the message, copies it from its end, and asks the
// source to help (SharedCopy). Written only for what the source has offered, so it is never a later receive's.
inline constexpr Offset kHelpWanted = ~Offset{0};

// In place of MatchingSlot::columns too, of a block of whole columns: the bytes of one column and their stride. So the
// source needs no record of them, which would be one more line from the destination's cache. Their number follows from
// the capacity.
struct BlockWord {
    static constexpr bool fits(std::size_t column_bytes, std::size_t stride)
    {
        return column_bytes > 0 && column_bytes < (std::uint64_t{1} << 31) && stride < 0xffff'ffff;
    }
    static constexpr std::uint64_t make(std::size_t column_bytes, std::size_t stride)
    {
        return kMark | std::uint64_t{column_bytes} << 32 | stride;
    }
    static constexpr bool is(std::uint64_t word) { return (word & kMark) != 0 && word != kHelpWanted; }
    static constexpr std::size_t column_bytes(std::uint64_t word) { return (word & ~kMark) >> 32; }
    static constexpr std::size_t stride(std::uint64_t word) { return word & 0xffff'ffff; }

private:
    static constexpr std::uint64_t kMark = std::uint64_t{1} << 63;  // no offset has it
};

// Of a channel, at the source. Writer: the destination. Ordering: relaxed, under `posted`.
struct alignas(kLine) MatchingSlot {
    // The posted receive: where to write (kNoOffset: the source cannot address the buffer), how much fits, and the
    // columns that it is made of: a BlockWord, or the place of the fmpl_columns in the destination's arena (kNoOffset:
    // it is in one piece); or kHelpWanted. The source may look while they change, and looks again after its claim of an
    // offered message. The fmpl_columns are plain memory, which the source reads while the message is its to move; so
    // one record a rank serves all its receives.
    std::atomic<std::uint64_t> buffer_at;
    std::atomic<std::uint64_t> capacity;
    std::atomic<std::uint64_t> columns;
    // Number of the message that the buffer is for. Of a receive that is taken back (fmpl_irecv_withdraw) it becomes
    // the number before, and buffer_at 0: the source does not look until the layer has told it of the next receive,
    // and so ordered the two. For the same reason a receive of fmpl_irecv_ahead wakes nobody.
    // Ordering: release; acquire in SendOperation::is_posted.
    std::atomic<std::uint64_t> posted;
    // Number of the last message that has been taken.
    // Ordering: release, after its reads; acquire in SendEnd::known_consumed, SendEnd::lane_is_free.
    std::atomic<std::uint64_t> consumed;
    // PipeCount of pieces taken from the ring. Ordering: release, after their reads; acquire in piped::fill.
    std::atomic<std::uint64_t> drained;
    std::uint8_t pad[kLine - 48];
};
static_assert(sizeof(MatchingSlot) == kLine);

// What is in one direction of a lane, in one word: count << 32 | index << 8 | bytes. The count is of the messages that
// the direction has carried, cut to 32 bits and from 1.
struct LaneStamp {
    static constexpr std::uint64_t make(std::uint32_t count, int index, std::size_t bytes)
    {
        return std::uint64_t{count} << 32 | std::uint64_t{static_cast<std::uint32_t>(index)} << 8 | bytes;
    }
    // Whether the stamp is of message `count` and for `index`.
    static constexpr bool is(std::uint64_t stamp, std::uint32_t count, int index)
    {
        return (stamp ^ make(count, index, 0)) <= 0xff;
    }
    static constexpr std::size_t bytes(std::uint64_t stamp) { return stamp & 0xff; }
    // In place of the bytes: the message is on offer, and the payload is a LaneOffer.
    static constexpr std::size_t kOffer = 0xff;
    static constexpr bool is_offer(std::uint64_t stamp) { return bytes(stamp) == kOffer; }
};
inline constexpr int kMaxLaneIndex = (1 << 24) - 1;

inline constexpr std::size_t kLaneBytes = 16;

// A message that lies in the source's memory, in one piece or as a block of whole columns. Whoever claims it
// (CompletionFlag::claim) moves it.
struct LaneOffer {
    std::uint64_t place;  // its offset; above that, in 16 bits, the number of a block's columns
    std::uint64_t shape;  // the bytes of a message in one piece, or a BlockWord

    static constexpr bool fits(Offset at, std::size_t columns) { return at >> kOffsetBits == 0 && columns < 65536; }
    static constexpr LaneOffer piece(Offset at, std::size_t bytes) { return {at, bytes}; }
    static constexpr LaneOffer block(Offset at, std::size_t columns, std::uint64_t block_word)
    {
        return {at | std::uint64_t{columns} << kOffsetBits, block_word};
    }
    // As LaneOffer{}: nothing that the destination can reach.
    constexpr bool is_none() const { return shape == 0; }
    constexpr Offset at() const { return place & ((Offset{1} << kOffsetBits) - 1); }
    constexpr bool is_block() const { return BlockWord::is(shape); }
    constexpr std::size_t bytes() const
    {
        return is_block() ? (place >> kOffsetBits) * BlockWord::column_bytes(shape) : shape;
    }

private:
    static constexpr int kOffsetBits = 48;
};
static_assert(sizeof(LaneOffer) == kLaneBytes);

// One direction of a lane. Writer: the source of that direction.
struct LaneHalf {
    // LaneStamp of the message. Ordering: release; acquire in ReceiveEnd::arrival, Receiver::take_short.
    std::atomic<std::uint64_t> stamp;
    // Count of the last message taken from the opposite half. It goes out with each message of this half; and at once,
    // before `consumed`, after a message that was on offer or not taken by Receiver::take_short. A value that has not
    // changed since the last look is not believed: it could be 2^32 messages old.
    // Ordering: release, after its reads; acquire in SendEnd::lane_is_free, lane_offer::send.
    std::atomic<std::uint32_t> reverse_taken;
    // Low bits of CompletionFlag::order, restored by near(): a message that has lain there while 2^31 others went by
    // may be taken for a late one by FMPL_ANY_TAG. Ordering: plain, under `stamp`.
    std::uint32_t order;
    // The message, or its LaneOffer. Ordering: plain, under `stamp`; again after `reverse_taken` or the channel's
    // `consumed`.
    std::uint8_t payload[kLaneBytes];
};
static_assert(sizeof(LaneHalf) == kLine / 2);

// Both directions of a pair of ranks in one line. A core that takes a line to read it owns it, so an answer written
// into the line of the question costs one passage between cores where a line of its own costs two; and so does the next
// message, over whatever index, since the line is where the last one left it.
struct alignas(kLine) Lane {
    LaneHalf half[2];  // by the lower rank of the pair, by the higher
};
static_assert(sizeof(Lane) == kLine);

// `value` with its upper bits restored, given a number that differs from it by less than 2^31.
constexpr std::uint64_t near(std::uint64_t number, std::uint32_t value)
{
    const auto difference = static_cast<std::int32_t>(value - static_cast<std::uint32_t>(number));
    return number + static_cast<std::uint64_t>(static_cast<std::int64_t>(difference));
}

// Body of a head message that is not inlined. Nobody writes it again before the message is consumed. `work` and `done`
// are written by both sides: SharedCopy. In a joint copy (api/calls/joint_copy.cpp) it lies at the source, and the
// destination writes `bytes` and, as `at`, where the message belongs.
struct HeadBody {
    std::uint64_t bytes;
    Offset at;           // offered, shared, spooled: the payload; piped: the ring
    std::uint64_t work;  // offered, shared
    std::uint64_t done;
};

// Of a channel, at the destination. Writer: the source.
struct alignas(kLine) CompletionFlag {
    // Stamp of the head message. Ordering: release, after all of the head; acquire in ReceiveEnd::arrival.
    std::atomic<std::uint64_t> stamp;
    // Copy of MatchingSlot::consumed of the opposite channel, which saves the source a cache miss.
    // Ordering: release; acquire in SendEnd::known_consumed.
    std::atomic<std::uint64_t> reverse_consumed;
    // Of the head among all messages of this pair of ranks, from 1. Ordering: plain, under `stamp`.
    std::uint64_t order;
    union {
        std::uint8_t payload[kInlineBytes];  // Ordering: plain, under `stamp`.
        // Writer: the source; `work` and `done` both sides, by SharedCopy.
        // Ordering: plain, under `stamp`, of an offered message under `claim` too; SharedCopy.
        HeadBody body;
    };
    // Number of the last message in the chain. Ordering: release, after the link to it; acquire in ReceiveEnd::arrival.
    std::atomic<std::uint64_t> available;
    // The ChainLink after the head, or after a message in the lane. Ordering: release, before `available`; acquire in
    // ReceiveEnd::next_in_chain.
    std::atomic<std::uint64_t> chain;
    // PipeCount of pieces put into the ring. Ordering: release; acquire in piped::drain.
    std::atomic<std::uint64_t> filled;
    // Number of the last message that a side has claimed: an offered one belongs to the side that puts its number here,
    // and gets another number back. Writer: source and destination, by exchange.
    // Ordering: acq_rel; SendEnd::claim and ReceiveEnd::claim with each other.
    std::atomic<std::uint64_t> claim;

    // With a look at `stamp`: the second line, where a long payload goes on, comes while the first one does.
    void ask_for_second_line() const { __builtin_prefetch(&available); }
};
static_assert(sizeof(CompletionFlag) == 2 * kLine);
static_assert(offsetof(CompletionFlag, available) == 96);

// A message behind the head, at the source. Writer: the source, before it is linked. Ordering: plain, under the link.
struct alignas(kLine) ChainLink {
    // The next ChainLink. Ordering: release, before `available` counts it; acquire in ReceiveEnd::next_in_chain.
    std::atomic<std::uint64_t> next;
    std::uint64_t bytes;
    Offset at;  // payload
    std::uint64_t order;
    std::uint8_t pad[kLine - 32];
};
static_assert(sizeof(ChainLink) == kLine);

// Of each pair of ranks of a communicator, at the source. Writer: the destination.
struct alignas(kLine) PairRecord {
    // Cells of the any domain's ring that the destination has taken: the source's credits.
    // Ordering: release, after their reads; acquire in AnyDomain::has_credit.
    std::atomic<std::uint64_t> any_taken;
    std::uint8_t pad[kLine - 8];
};
static_assert(sizeof(PairRecord) == kLine);

// The any domain: a ring of cells for each pair, at the destination.
inline constexpr std::size_t kAnyCells = 16;  // credits
inline constexpr std::size_t kAnyInlineBytes = 88;

struct AnyHeader {
    std::uint64_t bytes;
    Offset at;    // kNoOffset: the payload is in the cell; else in the source's memory
    Offset done;  // at the source: the destination writes 1 when it has taken the payload (release; AnyDomain::is_done)
    std::int64_t index;
};

// Writer: the source. Ordering: plain, under `number`; again after `any_taken`.
struct alignas(kLine) AnyCell {
    // Of the message, from 1. Ordering: release, after the rest; acquire in AnyDomain::collect.
    std::atomic<std::uint64_t> number;
    AnyHeader header;
    std::uint8_t payload[kAnyInlineBytes];
};
static_assert(sizeof(AnyCell) == 2 * kLine);

// 1 once the source has put its first message into its ring: the rings of sources that never do are not looked at, and
// so not there. Writer: the source.
struct AnyDoor {
    // Ordering: release, after AnyCell::number; acquire in Communicator::any_door_is_open.
    std::atomic<std::uint64_t> opened;
};
static_assert(sizeof(AnyDoor) == 8);

}  // namespace fmpl
