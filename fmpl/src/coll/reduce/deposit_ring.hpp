// Where a rank lays down longer operands for others to read: one behind the other in a ring of memory, as far ahead of
// the root as it holds. Those of a CPU's ranks are so small together that each finds the others' operands in the core's
// cache: kBytesOfCpu, but not less than two operands of kDepositBytes a rank, nor more than kMostBytes.
#pragma once

#include "coll/station.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace fmpl {

class DepositRing {
public:
    static constexpr std::size_t kMostBytes = 8 * kDepositBytes;
    static constexpr std::size_t kBytesOfCpu = 512 * 1024;

    explicit DepositRing(int ranks_of_cpu = 1)
        : bytes_(std::clamp(
              kBytesOfCpu / static_cast<std::size_t>(ranks_of_cpu) / kLine * kLine, 2 * kDepositBytes, kMostBytes))
    {
    }

    // The longest operand: two of them have room.
    std::size_t longest() const { return bytes_ / 2 / kLine * kLine; }
    // Makes room for the operand of the next use, if it is one for the ring: else of 0 bytes.
    void take(std::uint64_t use, std::size_t bytes)
    {
        if (end_ % bytes_ + bytes > bytes_) end_ += bytes_ - end_ % bytes_;
        begins_[use % kReduceSlots] = end_;
        end_ += (bytes + kLine - 1) / kLine * kLine;
    }
    // Whether what was last taken overlaps the room of an earlier use, one of the last kReduceSlots.
    bool overlaps(std::uint64_t earlier) const { return begins_[earlier % kReduceSlots] + bytes_ < end_; }
    // Where the room of such a use begins.
    std::size_t place(std::uint64_t use) const { return begins_[use % kReduceSlots] % bytes_; }

private:
    std::size_t bytes_;
    std::uint64_t end_ = 0;  // of all that was ever taken
    std::array<std::uint64_t, kReduceSlots> begins_{};
};

}  // namespace fmpl
