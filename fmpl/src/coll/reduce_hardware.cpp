// Reductions over memory that all members map.
//
// In one *use* every member leaves a deposit: what it reduces, and where its operand lies. The last to arrive judges
// whether the deposits go together, decides how the reduction goes on, and publishes this verdict; so that one rank
// with other arguments, or without memory, is an error in words on every rank that waits for the use, and the next
// reduction begins in step.
//
// Where an operand lies: up to 16 bytes in the deposit itself. Else in the member's own buffer, if that is remote-DMA
// memory and the member waits until it has been read; that saves a copy, and costs the members of a reduce a wait that
// only pays while each rank has a CPU or there is much to reduce. Else, up to kDepositBytes, in a library buffer, and
// the members of a reduce leave without waiting.
//
// Who combines: in an allreduce of up to 16 bytes the last to arrive, whose verdict has the result; that ends the use.
// If all operands lie in the members' own buffers and there is enough to share (partition_bytes), the members that run,
// each taking one share of the elements after the other and writing it to all buffers that want the result. Where ranks
// share CPUs most members find the work done when they run: a reduction costs one run of each. Else the root, in an
// allreduce the last to arrive, whose result the others copy. What is too long for a library buffer goes in pieces. Cost
// with p ranks and n bytes: one meeting + p n / combine rate, on as many CPUs as run if partitioned, else on one.
//
// The operands are combined in the order of the ranks by whoever does it, so that the result does not depend on who
// arrives when. Several slots take turns, so that a member other than the root need not wait for the combination of its
// last deposits. Two members have a protocol of their own: reduce_pair.cpp.
#include "coll/collectives.hpp"
#include "coll/nearest_first.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

namespace fmpl {
namespace {

// Elements are combined in blocks of this size, so that the partial result stays in the first-level cache.
constexpr std::size_t kSumBlockBytes = 8 * 1024;
// A share of a partitioned reduction, at least.
constexpr std::size_t kShareBytes = 1024;

}  // namespace

// Begins this rank's next use: waits until the last use of its slot is over, and makes the deposit but for its operand.
std::uint64_t Collectives::begin_use(Meeting& m, const Reduction& whole)
{
    const std::uint64_t use = m.reduce_uses++;
    if (use >= kReduceSlots) await_end(m, use - kReduceSlots, roots_of(m, whole));
    Deposit& own = m.station->deposit(m.rank(), use);
    own.at = kNoOffset;
    own.count = whole.count;
    own.element_size = whole.op->element_size;
    own.root = whole.root;
    own.waits = 1;
    own.in_place = 0;
    own.no_memory = 0;
    return use;
}

// Requires that this rank has not arrived for the slot's next use, so that the use is still the slot's last.
void Collectives::await_end(Meeting& m, std::uint64_t use, RootSuccession* roots, bool alone)
{
    WaitFor what = m.waiting_for(-1, 0);
    what.alone = alone;
    const ReduceSlot& slot = m.station->reduce[use % kReduceSlots];
    // acquire: pairs with end_use
    m.wait_in_turn(
        roots, [&] { return slot.over.load(std::memory_order_acquire) == use + 1; }, what);
}

void Collectives::end_use(Meeting& m, std::uint64_t use)
{
    m.station->reduce[use % kReduceSlots].over.store(use + 1, std::memory_order_release);  // pairs with await_end
    m.wake_members();
}

// From which size on a reduction is partitioned among the members
// (docs/decisions/0011-partition-where-cpus-are-shared.md).
std::size_t Collectives::partition_bytes(bool to_all) const
{
    if (node_->helps()) return kPartitionBytes;
    if (to_all) return 0;
    const auto cpus = static_cast<std::size_t>(node_->crossbar.control().cpus);
    const std::size_t ranks_a_cpu = (static_cast<std::size_t>(node_->crossbar.nodes()) + cpus - 1) / cpus;
    return std::min(kPartitionBytesSharedCpus * ranks_a_cpu, kDepositBytes + 1);
}

// Whether the deposits of all go together, and how the reduction goes on. By the last to arrive.
ReduceVerdict Collectives::judge(Meeting& m, std::uint64_t use) const
{
    const Deposit& first = m.station->deposit(0, use);
    const std::uint64_t bytes = first.count * first.element_size;
    bool all_in_place = true;
    ReduceVerdict verdict{ReduceManner::combined, 0, -1};
    for (int member = 0; member < m.size(); ++member) {
        const Deposit& theirs = m.station->deposit(member, use);
        verdict.waiting += theirs.waits;
        all_in_place = all_in_place && theirs.in_place != 0;
    }
    const bool to_all = first.root == kAllMembers;
    if (to_all && bytes <= kReduceInlineBytes) {
        verdict.manner = ReduceManner::in_line;
    } else if (all_in_place && bytes >= partition_bytes(to_all)) {
        verdict.manner = ReduceManner::partitioned;
    } else if (bytes > kDepositBytes) {
        verdict.manner = ReduceManner::in_pieces;
    }
    for (int member = 0; member < m.size(); ++member) {
        const Deposit& theirs = m.station->deposit(member, use);
        const bool same =
            theirs.count == first.count && theirs.element_size == first.element_size && theirs.root == first.root;
        const bool enough_memory = theirs.no_memory == 0 || verdict.manner == ReduceManner::partitioned;
        if (same && enough_memory) continue;
        return {ReduceManner::failed, verdict.waiting, member};
    }
    return verdict;
}

// By the last to arrive. All that others read in the slot's line is written at once: they look at it meanwhile.
// result: of an allreduce that is combined.
void Collectives::publish_verdict(
    Meeting& m, std::uint64_t use, const ReduceVerdict& verdict, std::span<const std::byte> result)
{
    ReduceSlot& slot = m.station->reduce[use % kReduceSlots];
    slot.verdict = verdict;
    slot.taken.store(0, std::memory_order_relaxed);
    slot.finished.store(0, std::memory_order_relaxed);
    if (verdict.manner == ReduceManner::in_line) {
        if (!result.empty()) std::memcpy(slot.result, result.data(), result.size());
        // release: pairs with await_end. Until all have left this use, the slot's next one writes nothing but deposits.
        slot.over.store(use + 1, std::memory_order_release);
    } else if (!result.empty()) {
        slot.result_at = node_->crossbar.offset_of(result.data());
    }
    const int root = m.station->deposit(m.rank(), use).root;
    slot.stamp.store(use + 1, std::memory_order_release);  // pairs with await_verdict
    if (verdict.waiting == 0) {
        end_use(m, use);
    } else if (verdict.manner == ReduceManner::combined && verdict.waiting == 1) {
        node_->crossbar.wake(m.members()[static_cast<std::size_t>(root)]);
    } else {
        m.wake_members();
    }
}

const ReduceSlot& Collectives::await_verdict(Meeting& m, std::uint64_t use, RootSuccession* roots, bool alone)
{
    WaitFor what = m.waiting_for(-1, 0);
    what.alone = alone;
    const ReduceSlot& slot = m.station->reduce[use % kReduceSlots];
    // acquire: pairs with publish_verdict
    m.wait_in_turn(
        roots, [&] { return slot.stamp.load(std::memory_order_acquire) == use + 1; }, what);
    return slot;
}

// What the verdict says is wrong, or null. Called before this rank leaves the use.
std::exception_ptr Collectives::disagreement(Meeting& m, std::uint64_t use, const ReduceVerdict& verdict)
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

// For those who wait for the verdict: the last of them to leave ends the use. Throws if the verdict was that the
// deposits do not go together.
void Collectives::leave_use(Meeting& m, std::uint64_t use)
{
    ReduceSlot& slot = m.station->reduce[use % kReduceSlots];
    const std::exception_ptr failure = disagreement(m, use, slot.verdict);  // thrown when this rank has left
    // acq_rel, with the others that leave: everybody's reads come before the end of the use
    if (slot.leaving.fetch_add(1, std::memory_order_acq_rel) + 1 == slot.verdict.waiting) {
        slot.leaving.store(0, std::memory_order_relaxed);
        end_use(m, use);
    }
    if (failure) std::rethrow_exception(failure);
}

void Collectives::fail_no_memory(int member)
{
    fail(FMPL_ERR_MEMORY,
        "rank {} has no remote-DMA memory left for its part of the reduction; give the ranks larger arenas with "
        "FMPL_ARENA_SIZE",
        member);
}

// This rank's library buffers for a use: the first for its operand, one for the result of an allreduce behind all of
// them.
Offset Collectives::deposit_buffer(Meeting& m, std::uint64_t use)
{
    if (m.deposits == kNoOffset) m.deposits = node_->arena.allocate(2 * kReduceSlots * kDepositBytes);
    return m.deposits + use % kReduceSlots * kDepositBytes;
}

// The operands of all members, in their order, for a use whose verdict is known; this rank's own is at `own`.
std::span<const std::byte* const> Collectives::operands(Meeting& m, std::uint64_t use, const std::byte* own)
{
    operands_.clear();
    for (int member = 0; member < m.size(); ++member) {
        operands_.push_back(member == m.rank() ? own
                                               : node_->crossbar.mapped(m.members()[static_cast<std::size_t>(member)],
                                                     m.station->deposit(member, use).at));
    }
    return operands_;
}

// results = x_0 op (x_1 op (... op x_{p-1})) for the elements begin .. end - 1. Each block is read from all operands
// before it is written to the results, which may be among them.
void Collectives::combine(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end, fmpl_op_t op,
    std::span<std::byte* const> results)
{
    const std::size_t element = op->element_size;
    const std::size_t block_count = std::max<std::size_t>(kSumBlockBytes / element, 1);
    const bool in_place = results.size() == 1 && results[0] == operands.back();
    const std::size_t first = begin * element, bytes = (end - begin) * element;
    for (const std::byte* const operand : operands) node_->crossbar.map_pages(operand + first, bytes);
    for (std::byte* const result : results) node_->crossbar.map_pages(result + first, bytes);
    for (std::size_t i = begin; i < end; i += block_count) {
        const std::size_t n = std::min(block_count, end - i);
        std::byte* const block = in_place ? results[0] + i * element : block_.data();
        if (!in_place) std::memcpy(block, operands.back() + i * element, n * element);
        for (std::size_t member = operands.size() - 1; member-- > 0;) {
            op->function(operands[member] + i * element, block, n);
        }
        if (in_place) continue;
        for (std::byte* const result : results) std::memcpy(result + i * element, block, n * element);
    }
}

// This rank's operand: in the deposit itself, in place, in a library buffer, or, of a long one, nowhere yet.
void Collectives::deposit(Meeting& m, std::uint64_t use, const ReduceBuffers& buffers, const Reduction& whole)
{
    const Crossbar& crossbar = node_->crossbar;
    const std::size_t bytes = whole.bytes();
    const bool to_all = whole.root == kAllMembers;
    const bool is_root = whole.root == m.rank();
    const bool is_long = bytes > kDepositBytes;
    Deposit& own = m.station->deposit(m.rank(), use);
    if (bytes <= kReduceInlineBytes) {
        own.at = crossbar.offset_of(own.operand);
        if (bytes > 0) std::memcpy(own.operand, buffers.operand, bytes);
        own.waits = to_all || is_root ? 1 : 0;
        return;
    }
    const bool leaves_at_once = !to_all && !is_root && bytes < partition_bytes(false) && !node_->helps();
    const bool wants_result = to_all || is_root;
    if (!leaves_at_once && crossbar.contains(buffers.operand, bytes) &&
        (!wants_result || crossbar.contains(buffers.result, bytes))) {
        own.at = crossbar.offset_of(buffers.operand);
        own.result_at = wants_result ? crossbar.offset_of(buffers.result) : kNoOffset;
        own.in_place = 1;
    } else if (!is_root && !is_long) {
        own.at = deposit_buffer(m, use);
        if (bytes > 0) copy_across(crossbar.local(own.at), buffers.operand, bytes);
        own.waits = to_all ? 1 : 0;
    }
    // For the result of an allreduce, and for the pieces: once all have agreed on them, none may fail.
    if (to_all || (is_long && !is_root)) deposit_buffer(m, use);
}

// One use, of all that the user asks for or of a piece of it.
ReduceManner Collectives::reduce_once(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole)
{
    const Crossbar& crossbar = node_->crossbar;
    const bool to_all = whole.root == kAllMembers;
    const std::uint64_t use = begin_use(m, whole);
    Deposit& own = m.station->deposit(m.rank(), use);
    std::exception_ptr no_memory;
    try {
        deposit(m, use, buffers, whole);
    } catch (const Error&) {
        no_memory = std::current_exception();  // thrown when the others know
        own.no_memory = 1;
        own.waits = to_all || whole.root == m.rank() || whole.bytes() > kDepositBytes ? 1 : 0;
    }
    const bool waits = own.waits != 0;
    std::exception_ptr no_one_else;  // may be waiting to report a disagreement
    ReduceSlot& slot = m.station->reduce[use % kReduceSlots];
    const Meeting::Arrival arrival = m.arrive(slot.arrived, m.cpu_arrivals().reduce[use % kReduceSlots]);
    if (arrival.last) {
        const ReduceVerdict verdict = judge(m, use);
        const bool in_line = verdict.manner == ReduceManner::in_line;
        std::span<const std::byte> result;
        if (to_all && (in_line || verdict.manner == ReduceManner::combined)) {
            std::byte* const for_all =
                in_line ? buffers.result : crossbar.local(deposit_buffer(m, use) + kReduceSlots * kDepositBytes);
            std::byte* const results[] = {buffers.result, for_all};
            combine(operands(m, use, buffers.operand), 0, whole.count, whole.op, std::span(results, in_line ? 1 : 2));
            result = {for_all, whole.bytes()};
        }
        if (!waits && !no_memory) no_one_else = disagreement(m, use, verdict);
        publish_verdict(m, use, verdict, result);
    }
    if (!waits) {
        if (no_memory) std::rethrow_exception(no_memory);
        if (no_one_else) std::rethrow_exception(no_one_else);
        return ReduceManner::combined;
    }

    // In a reduce the others of this CPU may have gone on.
    const bool alone = to_all && arrival.alone;
    await_verdict(m, use, roots_of(m, whole), alone);
    const ReduceManner manner = slot.verdict.manner;
    bool await_others = false;  // they read this rank's operand
    switch (manner) {
        case ReduceManner::in_line:
            if (!arrival.last && whole.count > 0) std::memcpy(buffers.result, slot.result, whole.bytes());
            return manner;
        case ReduceManner::combined:
            if (whole.root == m.rank()) {
                combine(operands(m, use, buffers.operand), 0, whole.count, whole.op, std::span(&buffers.result, 1));
            } else if (!to_all) {
                await_others = true;
            } else if (!arrival.last && whole.count > 0) {
                copy_across(buffers.result, crossbar.mapped(0, 0) + slot.result_at, whole.bytes());
            }
            break;
        case ReduceManner::partitioned:
            combine_shares(m, use, buffers.operand, whole);
            await_end(m, use, roots_of(m, whole), alone);
            return manner;
        case ReduceManner::in_pieces:
        case ReduceManner::failed:
            break;
    }
    try {
        leave_use(m, use);
    } catch (const Error&) {
        if (!no_memory) throw;
        std::rethrow_exception(no_memory);
    }
    if (await_others) await_end(m, use, roots_of(m, whole));
    return manner;
}

// Takes shares of the elements until there is none left, and writes them to every buffer that wants the result. Where
// ranks share CPUs, those that run do it all; the others find it done. Who finishes the last share ends the use.
void Collectives::combine_shares(Meeting& m, std::uint64_t use, const std::byte* operand, const Reduction& whole)
{
    ReduceSlot& slot = m.station->reduce[use % kReduceSlots];
    const auto members = static_cast<std::size_t>(m.size());
    const std::size_t shares = std::clamp<std::size_t>(whole.bytes() / kShareBytes, 1, std::min(members, kMostShares));
    const auto begin_of = [&](std::size_t i) { return whole.count / shares * i + std::min(whole.count % shares, i); };
    std::span<const std::byte* const> from;
    const auto take = [&](std::size_t share) {
        const std::uint64_t bit = std::uint64_t{1} << share;
        if ((slot.taken.load(std::memory_order_relaxed) & bit) != 0) return;
        if ((slot.taken.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return;
        if (from.empty()) {
            from = operands(m, use, operand);
            results_.clear();
            for (int member = 0; member < m.size(); ++member) {
                if (whole.root != kAllMembers && whole.root != member) continue;
                const Offset at = m.station->deposit(member, use).result_at;
                results_.push_back(node_->crossbar.mapped(m.members()[static_cast<std::size_t>(member)], at));
            }
        }
        combine(from, begin_of(share), begin_of(share + 1), whole.op, results_);
        // acq_rel, with those that finish other shares: all come before the end of the use
        if (slot.finished.fetch_add(1, std::memory_order_acq_rel) + 1 == shares) end_use(m, use);
    };
    nearest_first(m.rank(), m.size(), shares, take);
}

void Collectives::reduce_hardware(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole, std::byte* work)
{
    const std::size_t element = whole.op->element_size;
    block_.resize(std::max({block_.size(), kSumBlockBytes, element}));  // before others count on this rank
    RootSuccession* const roots = roots_of(m, whole);
    if (roots != nullptr && m.is_ordered()) roots->begins(whole.root, m.size());
    const auto once = [&](const ReduceBuffers& from, const Reduction& part) {
        return m.size() == 2 ? reduce_once_of_two(m, from, part) : reduce_once(m, from, part);
    };
    if (once(buffers, whole) != ReduceManner::in_pieces) return;
    if (element > kDepositBytes) return reduce_tree(m, buffers, whole, work);
    const std::size_t piece_count = kDepositBytes / element;
    for (std::size_t done = 0; done < whole.count; done += piece_count) {
        const Reduction piece{std::min(piece_count, whole.count - done), whole.op, whole.root};
        once(buffers.at(done * element), piece);
    }
}

}  // namespace fmpl
