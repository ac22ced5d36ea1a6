// Where a rank lays down longer operands for others to read: one behind the other in a ring of memory, as far ahead of
// the root as it holds. Those of a CPU's ranks are so small together that each finds the others' operands in the core's
// cache: kBytesOfCpu, but not less than two operands of kDepositBytes a rank, nor more than kMostBytes. Of two members
// with a CPU each, what is written again is to have left the reader's caches (crossbar/rewritten_bytes.hpp), if the
// arena is not short.
//
// A line lies between one and the next: a processor that reads an operand asks for the line behind it, which its owner
// may be writing.
#pragma once

#include "coll/station.hpp"
#include "crossbar/rewritten_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace fmpl {

// What an operand takes of the ring.
constexpr std::size_t deposit_room(std::size_t bytes)
{
    return (bytes + kLine - 1) / kLine * kLine + kLine;
}

class DepositRing {
public:
    static constexpr std::size_t kLongest = 4 * kDepositBytes;
    static constexpr std::size_t kMostBytes = 3 * deposit_room(kLongest);
    static constexpr std::size_t kShareOfArena = 32;
    static constexpr std::size_t kBytesOfCpu = 8 * deposit_room(2 * kDepositBytes);

    // arena_bytes: of which a share may be taken; 0: none.
    explicit DepositRing(int ranks_of_cpu = 1, std::size_t arena_bytes = 0)
        : bytes_(std::clamp(kBytesOfCpu / static_cast<std::size_t>(ranks_of_cpu) / kLine * kLine,
              2 * deposit_room(kDepositBytes), kMostBytes))
    {
        const bool is_rewritten = ranks_of_cpu == 1 && has_victim_cache();
        if (is_rewritten && rewritten_bytes() <= arena_bytes / kShareOfArena)
            bytes_ = std::max(bytes_, rewritten_bytes());
        longest_ = longest_of(2, kLongest);
        longest_of_two_ = longest_of(3, std::max(kLongest, bytes_ / 8));
    }

    std::size_t bytes() const { return bytes_; }
    // The longest operand, if two of them shall have room.
    std::size_t longest() const { return longest_; }
    // Of two members, neither of which lays down its part of a use before it has its room: an operand never needs the
    // room of the last use, wherever that lies. One of the longer ring is a share of it that leaves room for others.
    std::size_t longest_of_two() const { return longest_of_two_; }
    // Makes room for the operand of the next use, if it is one for the ring: else of 0 bytes.
    void take(std::uint64_t use, std::size_t bytes)
    {
        if (bytes > 0 && end_ % bytes_ + bytes > bytes_) end_ += bytes_ - end_ % bytes_;
        begins_[use % kReduceSlots] = end_;
        if (bytes > 0) end_ += deposit_room(bytes);
    }
    // Whether what was last taken overlaps the room of an earlier use, one of the last kReduceSlots.
    bool overlaps(std::uint64_t earlier) const { return begins_[earlier % kReduceSlots] + bytes_ < end_; }
    // Where the room of such a use begins.
    std::size_t place(std::uint64_t use) const { return begins_[use % kReduceSlots] % bytes_; }

private:
    std::size_t longest_of(std::size_t operands, std::size_t most) const
    {
        return std::min((bytes_ / operands - kLine) / kLine * kLine, most);
    }

    std::size_t bytes_;
    std::size_t longest_;
    std::size_t longest_of_two_;
    std::uint64_t end_ = 0;  // of all that was ever taken
    std::array<std::uint64_t, kReduceSlots> begins_{};
};

}  // namespace fmpl
