#include "coll/reduce/hardware.hpp"

#include "coll/reduce/by_cpu.hpp"
#include "coll/reduce/choose.hpp"
#include "coll/reduce/combine.hpp"
#include "coll/reduce/deposit.hpp"
#include "coll/reduce/use.hpp"
#include "crossbar/copy_across.hpp"
#include "p2p/shared_copy.hpp"

#include <fmpl/small_copy.hpp>

#include <algorithm>

namespace fmpl {

namespace {

// By the last to arrive: publishes the verdict, with the result of an allreduce that this rank combines for all.
// Whether the verdict was that the deposits do not go together, where `tells`: nobody else may be waiting to report
// it.
std::exception_ptr decide(
    Meeting& m, std::uint64_t use, const ReduceBuffers& buffers, const Reduction& whole, bool tells)
{
    const ReduceVerdict verdict = judge(m, use, whole);
    std::span<const std::byte> result;  // for the others
    const auto combine_to = [&](std::span<const Place> places) {
        const Operands from = operands(m, use, buffers.operand, whole);
        combine(m, from, 0, whole.count, whole.op, places, whose_are(from.places));
    };
    if (verdict.manner == ReduceManner::by_last && whole.bytes() > kReduceInlineBytes) {
        combine_to(results(m, use, whole));
    } else if (verdict.manner == ReduceManner::by_last) {
        combine_all_inline(m, use, whole, buffers.result);
        result = {buffers.result, whole.bytes()};
    } else if (verdict.manner == ReduceManner::combined && whole.root == kAllMembers) {
        std::byte* const for_all = m.node().crossbar.local(result_buffer(m, whole.bytes()));
        const Place places[] = {m.own_place(buffers.result), m.own_place(for_all)};
        combine_to(places);
        result = {for_all, whole.bytes()};
    }
    const std::exception_ptr disagrees = tells ? disagreement(m, use, verdict) : nullptr;
    publish_verdict(m, use, verdict, result);
    return disagrees;
}

// By who arrives, for its CPU where members share them, while the root stays: the lines that it will write for the use
// after the next come from other cores meanwhile; to the last of all, whom the others are ahead of, also those that
// they have deposited (docs/decisions/0043-lines-to-write-asked-for-ahead.md).
void ask_ahead(Meeting& m, std::uint64_t use, bool is_last)
{
    constexpr std::uint64_t kAhead = 2;
    const std::uint64_t next = use + kAhead;
    prefetch_to_write(&m.station->reduce[next % kReduceSlots]);
    const bool by_cpu = m.members_share_cpus();
    const auto deposit = [&](int i) -> const Deposit& {
        return by_cpu ? m.records_of_cpu(i).deposits[next % kReduceSlots] : m.station->deposit(i, next);
    };
    const int own = by_cpu ? m.cpu_mates.cpu : m.rank();
    if (!is_last) return prefetch_to_write(&deposit(own));
    const int deposits = by_cpu ? m.cpu_mates.cpus : m.size();
    for (int i = 0; i < deposits; ++i) {
        if (i != own) prefetch_to_read(reinterpret_cast<const std::byte*>(&deposit(i)), kLine);
    }
}

// By the root, when all deposits are there.
void combine_at_root(Meeting& m, std::uint64_t use, const ReduceBuffers& buffers, const Reduction& whole)
{
    if (whole.bytes() <= kReduceInlineBytes) return combine_all_inline(m, use, whole, buffers.result);
    const Place result = m.own_place(buffers.result);
    const Operands from = operands(m, use, buffers.operand, whole);
    combine(m, from, 0, whole.count, whole.op, std::span(&result, 1), whose_are(from.places));
}

// By the root of a reduce that is the last to arrive: if nobody waits for a verdict, there need be none. Whether that
// was it.
bool combine_alone(Meeting& m, std::uint64_t use, const ReduceBuffers& buffers, const Reduction& whole)
{
    const ReduceVerdict verdict = judge(m, use, whole);
    if (verdict.manner != ReduceManner::combined || verdict.waiting != 1) return false;
    if (m.node().has_busy()) m.node().progress();  // as in a wait
    if (m.reductions.root_stays) ask_ahead(m, use, true);
    combine_at_root(m, use, buffers, whole);
    m.reductions.over = use + 1;
    end_reduction(m, use);
    return true;
}

// How a member has come to a use whose verdict it awaits.
struct Arrived {
    bool is_last;
    bool alone;                    // no other rank of this CPU has to run before the end
    std::exception_ptr no_memory;  // for what it was to lay down
};

// Does this member's part of what the verdict says, once that is there.
ReduceManner follow_verdict(
    Meeting& m, std::uint64_t use, const ReduceBuffers& buffers, const Reduction& whole, const Arrived& arrived)
{
    const bool to_all = whole.root == kAllMembers;
    const ReduceSlot& slot = m.station->reduce[use % kReduceSlots];
    await_verdict(m, use, roots_of(m, whole), arrived.alone);
    const ReduceManner manner = slot.verdict.manner;
    bool await_others = false;  // they read this rank's operand
    switch (manner) {
        case ReduceManner::by_last:
            if (!arrived.is_last && whole.bytes() <= kReduceInlineBytes && whole.count > 0)
                small_copy(buffers.result, slot.result, whole.bytes());
            return manner;
        case ReduceManner::combined:
            if (whole.root == m.rank()) {
                combine_at_root(m, use, buffers, whole);
            } else if (!to_all) {
                await_others = true;
            } else if (!arrived.is_last && whole.count > 0) {
                copy_from_across(buffers.result, m.node().crossbar.mapped(0, 0) + slot.result_at, whole.bytes());
            }
            break;
        case ReduceManner::partitioned:
            combine_shares(m, use, buffers.operand, whole);
            await_end(m, use, roots_of(m, whole), arrived.alone);
            return manner;
        case ReduceManner::in_pieces:
        case ReduceManner::failed:
            break;
    }
    try {
        leave_reduction(m, use);
    } catch (const Error&) {
        if (!arrived.no_memory) throw;
        std::rethrow_exception(arrived.no_memory);
    }
    if (await_others) await_end(m, use, roots_of(m, whole));
    return manner;
}

}  // namespace

ReduceManner reduce_once(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole)
{
    const bool to_all = whole.root == kAllMembers;
    const std::uint64_t use = begin_reduction(m, whole);
    Deposit& own = m.station->deposit(m.rank(), use);
    std::exception_ptr no_memory;
    bool is_laid_down = true;
    try {
        is_laid_down = deposit(m, use, buffers, whole);
    } catch (const Error&) {
        no_memory = std::current_exception();  // thrown when the others know
        own.no_memory = 1;
        own.waits = to_all || whole.root == m.rank() || whole.bytes() > longest_deposit(m, whole) ? 1 : 0;
    }
    const bool waits = own.waits != 0;
    std::exception_ptr no_one_else;  // may be waiting to report a disagreement
    std::atomic<std::uint32_t>& of_cpu = m.records_of_own_cpu().arrivals.reduce[use % kReduceSlots];
    const Meeting::CpuArrival arrival = m.arrive_at_cpu(of_cpu);
    if (arrival.last && m.members_share_cpus()) deposit_for_cpu(m, use, buffers, whole, is_laid_down);
    const bool is_last = arrival.last && m.arrive_for_cpu(m.station->reduce[use % kReduceSlots].arrived);
    if (is_last && whole.root == m.rank() && combine_alone(m, use, buffers, whole)) return ReduceManner::combined;
    if (is_last) no_one_else = decide(m, use, buffers, whole, !waits && !no_memory);
    if (arrival.last && !to_all && m.reductions.root_stays) ask_ahead(m, use, is_last);
    // In a reduce the others of this CPU may have gone on.
    if (waits) return follow_verdict(m, use, buffers, whole, {is_last, to_all && arrival.alone, no_memory});
    if (no_memory) std::rethrow_exception(no_memory);
    if (no_one_else) std::rethrow_exception(no_one_else);
    return ReduceManner::combined;
}

bool reduce_hardware(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole)
{
    const std::size_t element = whole.op->element_size;
    reserve_blocks(m, whole.bytes(), element);  // before others count on this rank
    m.tell_reach(whole.bytes());
    RootSuccession* const roots = roots_of(m, whole);
    if (roots != nullptr && m.is_ordered()) roots->begins(whole.root, m.size());
    const auto once = [&](const ReduceBuffers& from, const Reduction& part) {
        return m.size() == 2 ? reduce_once_of_two(m, from, part) : reduce_once(m, from, part);
    };
    if (once(buffers, whole) != ReduceManner::in_pieces) return true;
    if (!goes_in_hardware(whole)) return false;
    // A piece of a reduce of more members is to leave them at once (docs/decisions/0042-operands-of-a-cpu-first.md).
    const bool leaves_at_once = m.size() > 2 && whole.root != kAllMembers;
    const std::size_t piece_count = (leaves_at_once ? kDepositBytes : longest_deposit(m, whole)) / element;
    for (std::size_t done = 0; done < whole.count; done += piece_count) {
        const Reduction piece{std::min(piece_count, whole.count - done), whole.op, whole.root};
        once(buffers.at(done * element), piece);
    }
    return true;
}

}  // namespace fmpl
