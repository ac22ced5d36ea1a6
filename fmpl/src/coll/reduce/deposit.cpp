#include "coll/reduce/deposit.hpp"

#include "coll/reduce/by_cpu.hpp"
#include "coll/reduce/choose.hpp"
#include "p2p/shared_copy.hpp"

#include <fmpl/small_copy.hpp>

namespace fmpl {

namespace {

// Of more than two members, behind those for operands of reduces lie those for operands of allreduces and for a result.
// In an allreduce nobody is ahead: two in turn are in the caches, as one for each slot would not be.
constexpr std::size_t kOfAllreduces = 2;

Offset short_buffers(Meeting& m)
{
    Offset& at = m.reductions.short_deposits;
    if (at == kNoOffset) [[unlikely]]
        at = m.node().arena.allocate(
            (m.size() == 2 ? kPairSlots : kReduceSlots + kOfAllreduces + 1) * kShortBufferStride);
    return at;
}

// A ring for operands, behind which lies that for the result of more than two members.
Offset long_buffers(Meeting& m)
{
    Offset& at = m.reductions.long_deposits;
    if (at == kNoOffset) [[unlikely]]
        at = m.node().arena.allocate(m.reductions.ring.bytes() + (m.size() == 2 ? 0 : m.reductions.ring.longest()));
    return at;
}

}  // namespace

void reserve_deposits(Meeting& m, std::size_t bytes, std::size_t longest)
{
    const bool in_pieces = bytes > longest;  // of which the last may be short
    if (bytes <= kShortBufferBytes || in_pieces) short_buffers(m);
    if (bytes > kShortBufferBytes) long_buffers(m);
}

bool has_deposits(Meeting& m, std::size_t bytes, std::size_t longest)
{
    try {
        reserve_deposits(m, bytes, longest);
        return true;
    } catch (const Error&) {
        return false;
    }
}

Offset operand_buffer(Meeting& m, std::uint64_t use, std::size_t bytes, int root)
{
    const auto buffer = [&] {
        if (m.size() == 2) return use % kPairSlots;
        return root == kAllMembers ? kReduceSlots + use % kOfAllreduces : use % kReduceSlots;
    };
    if (bytes <= kShortBufferBytes) return short_buffers(m) + buffer() * kShortBufferStride;
    return long_buffers(m) + m.reductions.ring.place(use);
}

Offset result_buffer(Meeting& m, std::size_t bytes)
{
    if (bytes <= kShortBufferBytes) return short_buffers(m) + (kReduceSlots + kOfAllreduces) * kShortBufferStride;
    return long_buffers(m) + m.reductions.ring.bytes();
}

bool deposit(Meeting& m, std::uint64_t use, const ReduceBuffers& buffers, const Reduction& whole)
{
    const Crossbar& crossbar = m.node().crossbar;
    const std::size_t bytes = whole.bytes();
    const bool to_all = whole.root == kAllMembers;
    const bool is_root = whole.root == m.rank();
    Deposit& own = m.station->deposit(m.rank(), use);
    if (bytes <= kReduceInlineBytes) {
        own.at = crossbar.offset_of(own.operand);
        small_copy(own.operand, buffers.operand, bytes);
        own.waits = to_all || is_root ? 1 : 0;
        return true;
    }
    bool is_laid_down = true;
    const bool is_long = bytes > longest_deposit(m, whole);
    const bool by_cpu = goes_by_cpu(m, whole);
    const bool wants_result = to_all || is_root;
    const bool leaves_at_once = !wants_result && !m.node().each_has_a_cpu() &&
                                (by_cpu ? bytes <= kDepositBytes : bytes < partition_bytes(m, false));
    const auto in_place = [&](const std::byte* buffer) {
        return by_cpu && !to_all ? crossbar.contains(buffer, bytes) : goes_in_place(m, buffer, bytes, to_all);
    };
    if (!leaves_at_once && in_place(buffers.operand) && (!wants_result || in_place(buffers.result))) {
        own.at = m.place_of(buffers.operand, bytes);
        own.result_at = wants_result ? m.place_of(buffers.result, bytes) : kNoOffset;
        own.in_place = 1;
        own.is_private = PrivateMemory::is_private(own.at | own.result_at) ? 1 : 0;
    } else if (!is_root && !is_long) {
        own.at = operand_buffer(m, use, bytes, whole.root);
        is_laid_down = !by_cpu || !others_of_cpu_have_arrived(m, use);
        if (is_laid_down) copy_across(crossbar.local(own.at), buffers.operand, bytes);
        own.waits = to_all ? 1 : 0;
    }
    // For the result of an allreduce, and for the pieces: once all have agreed on them, none may fail.
    if (to_all || (is_long && !is_root)) reserve_deposits(m, bytes, longest_deposit(m, whole));
    return is_laid_down;
}

}  // namespace fmpl
