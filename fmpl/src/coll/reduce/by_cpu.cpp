#include "coll/reduce/by_cpu.hpp"

#include "coll/reduce/choose.hpp"
#include "coll/reduce/combine.hpp"
#include "coll/reduce/deposit.hpp"
#include "p2p/shared_copy.hpp"

namespace fmpl {
namespace {

const std::vector<int>& members_of_own_cpu(const Meeting& m)
{
    return m.cpu_mates.members_of_cpus[static_cast<std::size_t>(m.cpu_mates.cpu)];
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

// Where the result for this CPU lies; kNoOffset: there is none.
Offset combine_for_cpu(
    Meeting& m, std::uint64_t use, Deposit& of_cpu, const std::byte* own, const Reduction& whole, bool is_laid_down)
{
    const Crossbar& crossbar = m.node().crossbar;
    const std::size_t bytes = whole.bytes();
    if (bytes <= kReduceInlineBytes) {
        combine_inline(m, use, members_of_own_cpu(m), whole, of_cpu.operand);
        return crossbar.offset_of(of_cpu.operand);
    }
    const std::span<const Place> from = operands_of_cpu(m, use, own, whole);
    if (from.empty()) return kNoOffset;
    if (from.size() == 1 && is_laid_down) return m.station->deposit(m.rank(), use).at;
    const Offset at = operand_buffer(m, use, bytes, whole.root);
    const Place to = m.own_place(crossbar.local(at));
    if (from.size() == 1) {
        copy_across(to.here, own, bytes);
    } else {
        combine(m, {from}, 0, whole.count, whole.op, std::span(&to, 1));
    }
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

void deposit_for_cpu(
    Meeting& m, std::uint64_t use, const ReduceBuffers& buffers, const Reduction& whole, bool is_laid_down)
{
    Deposit& of_cpu = m.records_of_own_cpu().deposits[use % kReduceSlots];
    const Deposit& own = m.station->deposit(m.rank(), use);
    of_cpu.count = own.count;
    of_cpu.element_size = own.element_size;
    of_cpu.root = own.root;
    of_cpu.commutes = own.commutes;
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
    if (differ || !goes_by_cpu(m, whole) || whole.bytes() > longest_deposit(m, whole)) return;
    // The root reads them itself; and in a reduce, a member whose operand is read in place has no buffer.
    const bool has_buffer = whole.root == kAllMembers || (whole.root != m.rank() && own.in_place == 0);
    if (!all_in_place && has_buffer) {
        of_cpu.at = combine_for_cpu(m, use, of_cpu, buffers.operand, whole, is_laid_down);
    }
    if (of_cpu.at == kNoOffset && !is_laid_down) {
        copy_across(m.node().crossbar.local(own.at), buffers.operand, whole.bytes());
    }
}

}  // namespace fmpl
