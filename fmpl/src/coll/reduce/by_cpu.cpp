#include "coll/reduce/by_cpu.hpp"

#include "coll/reduce/choose.hpp"
#include "coll/reduce/combine.hpp"
#include "coll/reduce/deposit.hpp"

#include <cstring>

namespace fmpl {
namespace {

const std::vector<int>& members_of_own_cpu(const Meeting& m)
{
    return m.cpu_mates.members_of_cpus[static_cast<std::size_t>(m.cpu_mates.cpu)];
}

// Where the result for the CPU goes; kNoOffset: there is no memory for it, and the root does without.
Offset room_for_cpu(Meeting& m, std::uint64_t use, Deposit& of_cpu, std::size_t bytes)
{
    if (bytes <= kReduceInlineBytes) return m.node().crossbar.offset_of(of_cpu.operand);
    try {
        return operand_buffer(m, use, bytes);
    } catch (const Error&) {
        return kNoOffset;
    }
}

// The operands of this CPU's members but for the root; none, if one of them is not to be had here.
std::span<const Place> operands_of_cpu(Meeting& m, std::uint64_t use, const std::byte* own, const Reduction& whole)
{
    std::vector<Place>& operands = m.scratch.operands;
    operands.clear();
    for (const int member : members_of_own_cpu(m)) {
        if (member == whole.root) continue;
        const Offset at = m.station->deposit(member, use).at;
        if (member != m.rank() && at == kNoOffset) return {};
        operands.push_back(member == m.rank() ? m.own_place(own) : m.place(member, at));
        if (operands.back().here == nullptr) return {};
    }
    return operands;
}

Offset combine_for_cpu(Meeting& m, std::uint64_t use, Deposit& of_cpu, const std::byte* own, const Reduction& whole)
{
    const std::span<const Place> from = operands_of_cpu(m, use, own, whole);
    if (from.empty()) return kNoOffset;
    if (from.size() == 1 && from[0].node != m.node().rank()) return from[0].at;
    const Offset at = room_for_cpu(m, use, of_cpu, whole.bytes());
    if (at == kNoOffset) return kNoOffset;
    const Place to = m.own_place(m.node().crossbar.local(at));
    combine(m, {from}, 0, whole.count, whole.op, std::span(&to, 1));
    return at;
}

}  // namespace

bool others_of_cpu_have_arrived(const Meeting& m, std::uint64_t use)
{
    // relaxed: their deposits are read after this rank's own arrival
    const std::uint32_t so_far =
        m.records_of_own_cpu().arrivals.reduce[use % kReduceSlots].load(std::memory_order_relaxed);
    return so_far % CpuArrivals::kUnsettled + 1 == static_cast<std::uint32_t>(m.cpu_mates.count);
}

void deposit_for_cpu(Meeting& m, std::uint64_t use, const ReduceBuffers& buffers, const Reduction& whole)
{
    Deposit& of_cpu = m.records_of_own_cpu().deposits[use % kReduceSlots];
    const Deposit& own = m.station->deposit(m.rank(), use);
    of_cpu.count = own.count;
    of_cpu.element_size = own.element_size;
    of_cpu.root = own.root;
    std::uint32_t waiting = 0;
    bool all_in_place = true, any_private = false, differ = false;
    for (const int member : members_of_own_cpu(m)) {
        const Deposit& theirs = m.station->deposit(member, use);
        waiting += theirs.waits;
        all_in_place = all_in_place && theirs.in_place != 0;
        any_private = any_private || theirs.is_private != 0;
        differ = differ || theirs.no_memory != 0 || !theirs.goes_with(own);
    }
    of_cpu.waits = waiting;
    of_cpu.in_place = all_in_place ? 1 : 0;
    of_cpu.is_private = any_private ? 1 : 0;
    of_cpu.differ = differ ? 1 : 0;
    of_cpu.at = kNoOffset;
    const std::size_t bytes = whole.bytes();
    if (differ || all_in_place || !goes_by_cpu(m, whole) || bytes > kDepositBytes) return;
    of_cpu.at = combine_for_cpu(m, use, of_cpu, buffers.operand, whole);
    const bool lies_in_buffer = own.at != kNoOffset && own.in_place == 0 && bytes > kReduceInlineBytes;
    if (of_cpu.at == kNoOffset && lies_in_buffer) {
        std::memcpy(m.node().crossbar.local(own.at), buffers.operand, bytes);  // it may have been left out
    }
}

}  // namespace fmpl
