// How a reduction goes on once all have laid down their deposits: by the last to arrive.
#pragma once

#include "coll/meeting.hpp"
#include "coll/reduce/deposit.hpp"
#include "coll/reduce/reduction.hpp"

#include <algorithm>
#include <cstddef>

namespace fmpl {

// A reduction of at least this size, for each rank that a CPU has, whose operands are all read where they lie is
// partitioned among the members: the partition makes those of a reduce wait. Where ranks share CPUs an allreduce is
// beyond by_last_bytes(), below; and a reduce that goes by CPU if it is longer than kDepositBytes.
inline constexpr std::size_t kPartitionBytes = 4 * 1024;

// Where ranks share CPUs, an allreduce of up to this size whose operands are all read where they lie is combined by the
// last to arrive, and the results written where they are wanted. Of three members one often has a CPU for itself.
inline constexpr std::size_t kByLastBytes = 1024 - 1;
inline constexpr std::size_t kByLastBytesOfThree = 4 * 1024;
inline std::size_t by_last_bytes(const Meeting& m)
{
    return m.size() > 3 ? kByLastBytes : kByLastBytesOfThree;
}

// From which size on the kernel reads and writes private operands where they lie, of an allreduce what two library
// buffers do not hold; others go through these (docs/decisions/0048), and so do all of a reduce of two, in pieces
// (0061). Where ranks share CPUs, those of a reduce that goes by CPU do; where more than two share one, or the only two
// members theirs, all.
inline constexpr std::size_t kReducePrivateBytes = 256 * 1024;
inline constexpr std::size_t kReducePrivateBytesToAll = 2 * kDepositBytes + 1;
inline constexpr std::size_t kReducePrivateBytesSharedCpus = 256 * 1024;

// Between two ranks, whose reduction in place ends with a barrier, also operands in remote-DMA memory go through a
// library buffer below these sizes: of a reduce, whose other rank then need not wait for the root, so that one that
// stays is better off with more (docs/decisions/0038); and of an allreduce.
// Where the two share a CPU, the barrier has one of them run once more.
inline constexpr std::size_t kPairInPlaceBytes = 1024;
inline constexpr std::size_t kPairInPlaceBytesRootStays = 16 * 1024;
inline constexpr std::size_t kPairInPlaceBytesToAll = 2 * 1024;
inline constexpr std::size_t kPairInPlaceBytesSharedCpu = kDepositBytes + 1;

// Whether the order of a reduction is that of the CPUs, and the operands of a CPU's members are combined there if they
// lie in library buffers (by_cpu.hpp). For a reduce that is better than the kernel: its members need not wait.
inline bool goes_by_cpu(const Meeting& m, const Reduction& whole)
{
    return m.members_share_cpus() && whole.op->commutes != 0;
}

// The longest operand that goes through a library buffer in one use; longer ones go in pieces, which all have to agree
// on first. The same on all members.
inline std::size_t longest_deposit(const Meeting& m, const Reduction& whole)
{
    if (m.size() == 2) {
        const std::size_t longest = m.reductions.ring.longest_of_two();
        return whole.root == kAllMembers ? std::min(longest, kReducePrivateBytesToAll - 1) : longest;
    }
    const bool in_long_pieces = goes_by_cpu(m, whole) || (whole.root == kAllMembers && !m.node().each_has_a_cpu());
    return in_long_pieces ? m.reductions.ring.longest() : kDepositBytes;
}

// From which size on a reduction is partitioned among the members
// (docs/decisions/0011-partition-where-cpus-are-shared.md).
inline std::size_t partition_bytes(const Meeting& m, bool to_all)
{
    if (to_all && !m.node().each_has_a_cpu()) return 0;
    const auto ranks_a_cpu = static_cast<std::size_t>(m.node().crossbar.memory().ranks_of_cpu());
    return std::min(kPartitionBytes * ranks_a_cpu, kDepositBytes + 1);
}

// Whether a buffer of a reduction is read and written where it lies. A long one of private memory: if the members reach
// each other, which the last of them to arrive knows.
inline bool goes_in_place(const Meeting& m, const std::byte* buffer, std::size_t bytes, bool to_all)
{
    if (m.node().crossbar.contains(buffer, bytes)) return true;
    if (!m.node().private_memory.is_preferred()) return false;
    if (!m.node().each_has_a_cpu()) return bytes >= kReducePrivateBytesSharedCpus && m.shares_cpus_by_twos();
    if (m.size() == 2 && !to_all) return false;
    return bytes >= (to_all ? kReducePrivateBytesToAll : kReducePrivateBytes);
}

inline bool goes_in_place_of_two(
    const Meeting& m, const std::byte* buffer, std::size_t bytes, bool to_all, bool root_stays)
{
    const std::size_t with_a_cpu = to_all       ? kPairInPlaceBytesToAll
                                   : root_stays ? kPairInPlaceBytesRootStays
                                                : kPairInPlaceBytes;
    return bytes >= (m.node().each_has_a_cpu() ? with_a_cpu : kPairInPlaceBytesSharedCpu) &&
           goes_in_place(m, buffer, bytes, to_all);
}

// Whether this rank's operand, and its result, take part where they lie. A root that stays would rather not wait; but
// what its other rank has no library buffer for goes so all the same.
inline bool pair_goes_in_place(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole, bool root_stays)
{
    const std::size_t bytes = whole.bytes();
    const bool to_all = whole.root == kAllMembers;
    const bool wants_result = to_all || whole.root == m.rank();
    const auto goes = [&](bool stays) {
        return goes_in_place_of_two(m, buffers.operand, bytes, to_all, stays) &&
               (!wants_result || goes_in_place_of_two(m, buffers.result, bytes, to_all, stays));
    };
    return goes(root_stays) ||
           (root_stays && whole.root != m.rank() && goes(false) && !has_deposits(m, bytes, longest_deposit(m, whole)));
}

// whole: as all deposits have it.
inline ReduceManner choose_manner(const Meeting& m, const Reduction& whole, bool all_in_place)
{
    const std::size_t bytes = whole.bytes();
    const bool to_all = whole.root == kAllMembers;
    const bool last_writes_all = all_in_place && !m.node().each_has_a_cpu();
    if (to_all && bytes <= (last_writes_all ? by_last_bytes(m) : kReduceInlineBytes)) return ReduceManner::by_last;
    if (all_in_place && bytes >= partition_bytes(m, to_all)) return ReduceManner::partitioned;
    return bytes > longest_deposit(m, whole) ? ReduceManner::in_pieces : ReduceManner::combined;
}

}  // namespace fmpl
