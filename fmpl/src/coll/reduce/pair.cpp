// Reductions of two ranks over memory that both map.
//
// Both lay down what they reduce, in the two halves of one line, and look at the other's: the same verdict for both, at
// the cost of one barrier of two. Up to 8 bytes travel in the line. Longer operands in remote-DMA memory are combined
// where they are, one half of the elements by each rank, and a barrier ends that. Else they go through library buffers
// of kDepositBytes, in pieces if need be.
//
// Cost with n bytes: one or two lines back and forth, n / (2 combine rate) in place, else n / copy bandwidth + n /
// combine rate. The operands are combined in the order of the ranks.
#include "coll/barrier.hpp"
#include "coll/reduce/combine.hpp"
#include "coll/reduce/deposit.hpp"
#include "coll/reduce/hardware.hpp"
#include "coll/reduce/use.hpp"
#include "p2p/shared_copy.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

namespace fmpl {
namespace {

void copy_some(void* to, const void* from, std::size_t bytes)
{
    if (bytes > 0) std::memcpy(to, from, bytes);
}

// Makes this rank's half of the line for a use. Throws Error(MEMORY) when there is no library buffer that may be
// needed.
void deposit_for_pair(
    Meeting& m, std::uint64_t use, PairDeposit& own, const ReduceBuffers& buffers, const Reduction& whole)
{
    const Crossbar& crossbar = m.node().crossbar;
    const std::size_t bytes = whole.bytes();
    own.count = whole.count;
    own.element_size = static_cast<std::uint32_t>(std::min<std::size_t>(whole.op->element_size, UINT32_MAX));
    own.root = static_cast<std::int16_t>(whole.root);
    const std::byte* const operand = buffers.operand;
    const bool wants_result = whole.root == kAllMembers || whole.root == m.rank();
    const bool elsewhere = wants_result && buffers.result != operand;
    const bool in_place = crossbar.contains(operand, bytes) && (!elsewhere || crossbar.contains(buffers.result, bytes));
    own.in_place = !in_place ? 0 : elsewhere ? 2 : 1;
    own.no_memory = 0;
    if (bytes <= sizeof own.payload) {
        copy_some(&own.payload, operand, bytes);
        return;
    }
    own.payload = in_place ? crossbar.offset_of(operand) : kNoOffset;
    if (own.in_place == 2) {
        m.station->pair_results[use % kReduceSlots].at[m.rank()] = crossbar.offset_of(buffers.result);
    }
    const bool needs_buffer = in_place ? whole.root == kAllMembers : whole.root != m.rank();
    const Offset buffer = needs_buffer ? deposit_buffer(m, use) : kNoOffset;
    if (!in_place && needs_buffer && bytes <= kDepositBytes) {
        copy_across(crossbar.local(buffer), operand, bytes);
        own.payload = buffer;
    }
}

}  // namespace

ReduceManner reduce_once_of_two(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole)
{
    const int rank = m.rank();
    const bool wants_result = whole.root == kAllMembers || whole.root == rank;
    const std::size_t bytes = whole.bytes();
    const std::uint64_t use = m.reduce_uses++;
    PairReduction& line = m.station->pairs[use % kReduceSlots];
    PairDeposit& own = line.by[rank];
    const PairDeposit& other = line.by[1 - rank];
    std::exception_ptr no_memory;
    // The other rank is through with the line's last use: it has answered a later one.
    try {
        deposit_for_pair(m, use, own, buffers, whole);
    } catch (const Error&) {
        no_memory = std::current_exception();  // thrown when the other rank knows
        own.no_memory = 1;
    }
    own.stamp.store(use + 1, std::memory_order_release);  // pairs with the other's acquire below
    m.node().crossbar.wake(m.members()[static_cast<std::size_t>(1 - rank)]);
    // acquire: pairs with the other's store above
    m.node().wait(
        [&] { return other.stamp.load(std::memory_order_acquire) == use + 1; }, m.waiting_for(1 - rank, bytes));

    if (other.count != own.count || other.element_size != own.element_size || other.root != own.root) [[unlikely]] {
        fail_mismatch(1, line.by[0], line.by[1]);
    }
    if (bytes <= sizeof own.payload) {
        if (!wants_result || whole.count == 0) return ReduceManner::combined;
        std::uint64_t higher = line.by[1].payload;
        const std::uint64_t lower = line.by[0].payload;
        whole.op->function(&lower, &higher, whole.count);
        copy_some(buffers.result, &higher, bytes);
        return ReduceManner::combined;
    }

    const bool both_in_place = own.in_place != 0 && other.in_place != 0;
    if (!both_in_place && (own.no_memory != 0 || other.no_memory != 0)) {
        if (no_memory) std::rethrow_exception(no_memory);
        fail_no_memory(1 - rank);
    }
    if (!both_in_place && bytes > kDepositBytes) return ReduceManner::in_pieces;
    const int peer = m.members()[static_cast<std::size_t>(1 - rank)];
    std::byte* const theirs = m.node().crossbar.mapped(peer, other.payload);
    m.scratch.operands.assign({rank == 0 ? buffers.operand : theirs, rank == 0 ? theirs : buffers.operand});
    if (both_in_place) {
        m.scratch.results.clear();
        const PairResults& elsewhere = m.station->pair_results[use % kReduceSlots];
        for (int member = 0; member < 2; ++member) {
            if (whole.root == kAllMembers || whole.root == member) {
                m.scratch.results.push_back(member == rank        ? buffers.result
                                            : other.in_place == 2 ? m.node().crossbar.mapped(peer, elsewhere.at[member])
                                                                  : theirs);
            }
        }
        const std::size_t half = whole.count - whole.count / 2;
        combine(
            m, m.scratch.operands, rank == 0 ? 0 : half, rank == 0 ? half : whole.count, whole.op, m.scratch.results);
        barrier_of_two(m, m.station->barrier);
        return ReduceManner::partitioned;
    }
    // In library buffers, but for one operand perhaps, whose owner may write to it when the other has read it.
    if (!wants_result) {
        if (own.in_place != 0) barrier_of_two(m, m.station->barrier);
        return ReduceManner::combined;
    }
    const bool is_read_here = own.in_place != 0 && whole.root == kAllMembers;
    const bool overwrites = is_read_here && own.in_place == 1;
    std::byte* const result = overwrites ? m.node().crossbar.local(deposit_buffer(m, use)) : buffers.result;
    combine(m, m.scratch.operands, 0, whole.count, whole.op, std::span(&result, 1));
    if (is_read_here || other.in_place != 0) barrier_of_two(m, m.station->barrier);
    if (overwrites) copy_across(buffers.result, result, bytes);
    return ReduceManner::combined;
}

}  // namespace fmpl
