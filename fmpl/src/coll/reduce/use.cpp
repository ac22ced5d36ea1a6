#include "coll/reduce/use.hpp"

#include "coll/reduce/choose.hpp"
#include "coll/reduce/deposit.hpp"
#include "coll/reduce/hardware.hpp"

#include <fmpl/small_copy.hpp>

#include <cstring>

namespace fmpl {
namespace {

// How far members may be ahead of the root. While roots take turns they would, farther ahead than this, come to run in
// another order than that of the roots (docs/decisions/0038-members-go-ahead-of-a-fixed-root.md).
std::uint64_t most_ahead(bool root_stays)
{
    constexpr std::uint64_t kOfRootsInTurn = 8;
    return root_stays ? kReduceSlots : kOfRootsInTurn;
}

bool is_over(Meeting& m, std::uint64_t use)
{
    // acquire: pairs with end_reduction
    if (m.station->reduce[use % kReduceSlots].over.load(std::memory_order_acquire) != use + 1) return false;
    m.reductions.over = use + 1;
    return true;
}

// Waits until this rank is less than so many uses ahead. Where fewer than two ranks share a CPU, at first until only
// half of them are under way: else it would look all the time at the line that the root is writing.
[[gnu::noinline]] void await_room(Meeting& m, std::uint64_t use, std::uint64_t ahead, RootSuccession* roots)
{
    const auto cpus = static_cast<int>(m.node().crossbar.memory().constants().cpus);
    if (m.node().crossbar.nodes() >= 2 * cpus) return await_end(m, use - ahead, roots);
    Patience patience;
    m.wait_in_turn(
        roots, [&] { return is_over(m, use - ahead / 2) || (patience.ends(m.node()) && is_over(m, use - ahead)); },
        m.waiting_for(-1, 0));
}

// A member whose deposit does not go with that of member 0, or lacks memory that it needs; -1: there is none.
int find_culprit(Meeting& m, std::uint64_t use, ReduceManner manner)
{
    const Deposit& first = m.station->deposit(0, use);
    for (int member = 0; member < m.size(); ++member) {
        const Deposit& theirs = m.station->deposit(member, use);
        const bool enough_memory = theirs.no_memory == 0 || manner == ReduceManner::partitioned;
        if (!theirs.goes_with(first) || !enough_memory) return member;
    }
    return -1;
}

}  // namespace

std::uint64_t begin_reduction(Meeting& m, const Reduction& whole)
{
    const std::uint64_t use = m.reductions.uses++;
    const std::uint64_t ahead = most_ahead(m.reductions.keeps_root(whole.root));
    if (use >= m.reductions.over + ahead) await_room(m, use, ahead, roots_of(m, whole));
    const std::size_t bytes = whole.bytes();
    m.reductions.ring.take(use, bytes > kShortBufferBytes && bytes <= longest_deposit(m, whole) ? bytes : 0);
    while (m.reductions.over < use && m.reductions.ring.overlaps(m.reductions.over))
        [[unlikely]] await_end(m, m.reductions.over, roots_of(m, whole));
    Deposit& own = m.station->deposit(m.rank(), use);
    own.at = kNoOffset;
    own.count = whole.count;
    own.element_size = whole.op->element_size;
    own.root = whole.root;
    own.commutes = whole.op->commutes != 0 ? 1 : 0;
    own.waits = 1;
    own.in_place = 0;
    own.is_private = 0;
    own.no_memory = 0;
    return use;
}

void await_end(Meeting& m, std::uint64_t use, RootSuccession* roots, bool alone)
{
    WaitFor what = m.waiting_for(-1, 0);
    what.alone = alone;
    m.wait_in_turn(
        roots, [&] { return is_over(m, use); }, what);
}

void end_reduction(Meeting& m, std::uint64_t use)
{
    m.station->reduce[use % kReduceSlots].over.store(use + 1, std::memory_order_release);  // pairs with await_end
    m.wake_members();
}

ReduceVerdict judge(Meeting& m, std::uint64_t use, const Reduction& whole)
{
    const bool by_cpu = m.members_share_cpus();
    const auto deposit = [&](int i) -> const Deposit& {
        return by_cpu ? m.records_of_cpu(i).deposits[use % kReduceSlots] : m.station->deposit(i, use);
    };
    const int deposits = by_cpu ? m.cpu_mates.cpus : m.size();
    const Deposit& first = deposit(0);
    bool all_in_place = true, any_private = false, differ = false;
    std::uint32_t waiting = 0;
    for (int i = 0; i < deposits; ++i) {
        const Deposit& theirs = deposit(i);
        waiting += theirs.waits;
        all_in_place = all_in_place && theirs.in_place != 0;
        any_private = any_private || theirs.is_private != 0;
        differ = differ || (by_cpu ? theirs.differ : theirs.no_memory) != 0 || !theirs.goes_with(first);
    }
    if (any_private && !m.members_reach_each_other()) all_in_place = false;
    const ReduceManner manner = choose_manner(m, whole, all_in_place);
    const int culprit = differ ? find_culprit(m, use, manner) : -1;
    return {culprit < 0 ? manner : ReduceManner::failed, waiting, culprit};
}

// All that others read in the slot's line is written at once: they look at it meanwhile.
void publish_verdict(Meeting& m, std::uint64_t use, const ReduceVerdict& verdict, std::span<const std::byte> result)
{
    ReduceSlot& slot = m.station->reduce[use % kReduceSlots];
    slot.verdict = verdict;
    slot.taken.store(0, std::memory_order_relaxed);
    slot.finished.store(0, std::memory_order_relaxed);
    if (verdict.manner == ReduceManner::by_last) {
        small_copy(slot.result, result.data(), result.size());
        // release: pairs with await_end. Until all have left this use, the slot's next one writes nothing but deposits.
        slot.over.store(use + 1, std::memory_order_release);
    } else if (!result.empty()) {
        slot.result_at = m.node().crossbar.offset_of(result.data());
    }
    const int root = m.station->deposit(m.rank(), use).root;
    slot.stamp.store(use + 1, std::memory_order_release);  // pairs with await_verdict
    if (verdict.waiting == 0) {
        end_reduction(m, use);
    } else if (verdict.manner == ReduceManner::combined && verdict.waiting == 1) {
        m.node().crossbar.wake_only(m.members()[static_cast<std::size_t>(root)]);
    } else {
        m.wake_members();
    }
}

const ReduceSlot& await_verdict(Meeting& m, std::uint64_t use, RootSuccession* roots, bool alone)
{
    WaitFor what = m.waiting_for(-1, 0);
    what.alone = alone;
    const ReduceSlot& slot = m.station->reduce[use % kReduceSlots];
    // acquire: pairs with publish_verdict
    m.wait_in_turn(
        roots, [&] { return slot.stamp.load(std::memory_order_acquire) == use + 1; }, what);
    m.reductions.over = use;  // since all have come for this one
    return slot;
}

std::exception_ptr disagreement(Meeting& m, std::uint64_t use, const ReduceVerdict& verdict)
{
    if (verdict.culprit < 0) [[likely]]
        return nullptr;
    const Deposit& other = m.station->deposit(verdict.culprit, use);
    try {
        if (other.no_memory != 0) fail_no_memory(verdict.culprit);
        fail_mismatch(verdict.culprit, m.station->deposit(0, use), other);
    } catch (const Error&) {
        return std::current_exception();
    }
}

void leave_reduction(Meeting& m, std::uint64_t use)
{
    ReduceSlot& slot = m.station->reduce[use % kReduceSlots];
    const std::exception_ptr failure = disagreement(m, use, slot.verdict);  // thrown when this rank has left
    if (slot.verdict.waiting == 1) {
        end_reduction(m, use);
        if (failure) std::rethrow_exception(failure);
        return;
    }
    // acq_rel, with the others that leave: everybody's reads come before the end of the use
    if (slot.leaving.fetch_add(1, std::memory_order_acq_rel) + 1 == slot.verdict.waiting) {
        slot.leaving.store(0, std::memory_order_relaxed);
        end_reduction(m, use);
    }
    if (failure) std::rethrow_exception(failure);
}

void fail_no_memory(int member)
{
    fail(FMPL_ERR_MEMORY,
        "rank {} has no remote-DMA memory left for its part of the reduction; give the ranks larger arenas with "
        "FMPL_ARENA_SIZE",
        member);
}

}  // namespace fmpl
