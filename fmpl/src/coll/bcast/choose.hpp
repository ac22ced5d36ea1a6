// In which manner a broadcast goes: by the root, from what it knows by itself.
#pragma once

#include "coll/bcast/hardware.hpp"

#include <algorithm>
#include <cstddef>

namespace fmpl {

// A broadcast of at least this size from remote-DMA memory is read from the root's own buffer by all; a shorter one
// goes through the library's buffers, so that the root need not wait for its receivers. Where each rank has a CPU, the
// wait is short; where it has not, the root has to run once more, and the buffers hold so much at a time. Where it is
// partitioned, below, also from that size on. A root that stays would go on with its next broadcast meanwhile: for it
// the buffers are better up to a larger size (docs/decisions/0038).
inline constexpr std::size_t kBroadcastWholeBytes = 1024;
inline constexpr std::size_t kBroadcastWholeBytesRootStays = 16 * 1024;
inline constexpr std::size_t kBroadcastWholeBytesSharedCpus = 256 * 1024;
// The same of a root's private memory, which the kernel lets all read: what two library buffers do not hold
// (docs/decisions/0048). Where more than two ranks share a CPU, never: the library's buffers stay in a CPU's cache for
// its next rank (docs/decisions/0034).
inline constexpr std::size_t kBroadcastWholePrivateBytes = 2 * kBroadcastBufferBytes + 1;
inline constexpr std::size_t kBroadcastWholePrivateBytesSharedCpus = 512 * 1024;
// Such a broadcast between two ranks is copied by both, from this size on.
inline constexpr std::size_t kBroadcastSharedBytes = 1024;
// Where ranks share CPUs, but no more than two one, a broadcast from this size on is partitioned among those that run
// (docs/decisions/0016-whoever-runs-copies.md).
inline constexpr std::size_t kBroadcastPartitionBytes = 64 * 1024;

// Of a shorter one a receiver offers nothing before the root has come.
inline constexpr std::size_t kBroadcastLeastOffered = std::min(kBroadcastSharedBytes, kBroadcastPartitionBytes);

// Whether a whole broadcast of so many bytes is partitioned: the same on all members.
inline bool is_partitioned(const Meeting& m, std::size_t bytes)
{
    return bytes >= kBroadcastPartitionBytes && m.shares_cpus_by_twos();
}

// Whether the receiver of a broadcast between two may have the root help it to copy.
inline bool may_be_copied_by_both(const Meeting& m, std::size_t bytes)
{
    return m.size() == 2 && bytes >= kBroadcastSharedBytes && m.node().each_has_a_cpu();
}

// Whether what is left to send of a broadcast goes whole: the receivers can read it where it lies, and that is better
// than pieces.
inline bool goes_whole(Meeting& m, const OutgoingBroadcast& out, std::size_t sent)
{
    if (out.columns != nullptr || !m.hardware.any_source_buffer) return false;
    const bool each_has_a_cpu = m.node().each_has_a_cpu();
    const std::size_t left = out.bytes - sent;
    if (m.node().crossbar.contains(out.buffer, out.bytes)) {
        if (!each_has_a_cpu) return left >= kBroadcastWholeBytesSharedCpus || is_partitioned(m, left);
        if (left < kBroadcastWholeBytes || left >= kBroadcastWholeBytesRootStays) return left >= kBroadcastWholeBytes;
        const bool root_stays = m.broadcasts.own == m.broadcasts.uses;
        return !root_stays || !has_library_buffers(m, out.bytes);
    }
    if (left < kReachBytes || !m.members_reach_each_other()) return false;
    const std::size_t whole = each_has_a_cpu ? kBroadcastWholePrivateBytes : kBroadcastWholePrivateBytesSharedCpus;
    return (left >= whole && m.node().private_memory.is_preferred()) || !has_library_buffers(m, out.bytes);
}

inline BroadcastManner choose_whole_manner(const Meeting& m, const OutgoingBroadcast& out)
{
    return is_partitioned(m, out.bytes) ? BroadcastManner::partitioned : BroadcastManner::whole;
}

}  // namespace fmpl
