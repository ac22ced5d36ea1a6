// Reductions over memory that all members map.
//
// In one *use* every member leaves a deposit: what it reduces, and where its operand lies. The last to arrive judges
// whether the deposits go together and publishes the verdict, so that one rank with other arguments, or without memory,
// is an error in words on every rank that waits for the use, and the next reduction begins in step.
//
// Up to kDepositBytes: the operands are copied to library buffers, and the members of a reduce leave without waiting;
// the root combines. In an allreduce the last to arrive combines, and the others copy the result.
// Cost with p ranks and n bytes: n / copy bandwidth + p n / combine rate.
//
// More than that: one use in which all wait for the verdict. In remote-DMA memory the reduction is then partitioned in
// place: each member combines its share of the elements from all buffers and writes it to those that want the result, at
// the cost of two meetings + n / combine rate on as many CPUs as run. Else it goes in pieces as above.
//
// The operands are combined in the order of the ranks by whoever does it, so that the result does not depend on who
// arrives when. Two slots alternate, so that a member other than the root need not wait for the combination of its last
// deposit.
#include "coll/collectives.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

namespace fmpl {
namespace {

// Elements are combined in blocks of this size, so that the partial result stays in the first-level cache.
constexpr std::size_t kBlockBytes = 8 * 1024;

std::string described(const Deposit& deposit)
{
    return fmt::format("{} elements of {} bytes to {}", deposit.count, deposit.element_size,
        deposit.root == kAllMembers ? "all ranks" : fmt::format("rank {}", deposit.root));
}

}  // namespace

// Begins this rank's next use: waits until the last use of its slot is over, and makes the deposit but for its operand.
std::uint64_t Collectives::begin_use(Communicator& comm, const Reduction& whole, bool waits)
{
    const std::uint64_t use = comm.reduce_uses++;
    if (use >= kReduceSlots) {
        ReduceSlot& slot = comm.station->reduce[use % kReduceSlots];
        const std::uint64_t last = use - kReduceSlots + 1;
        node_->wait([&] { return slot.over.load(std::memory_order_acquire) == last; },  // pairs with end_use
            waiting_for(comm, -1, whole.bytes()));
    }
    Deposit& own = comm.station->deposit(comm.rank(), use);
    own.at = kNoOffset;
    own.count = whole.count;
    own.element_size = whole.op->element_size;
    own.root = whole.root;
    own.waits = waits ? 1 : 0;
    own.no_memory = 0;
    return use;
}

void Collectives::end_use(Communicator& comm, std::uint64_t use)
{
    comm.station->reduce[use % kReduceSlots].over.store(use + 1, std::memory_order_release);  // pairs with begin_use
    wake_members(comm);
}

// Hands in this rank's deposit. True for the last to arrive, who has then judged the deposits of all and publishes the
// verdict.
bool Collectives::arrive(Communicator& comm, std::uint64_t use)
{
    ReduceSlot& slot = comm.station->reduce[use % kReduceSlots];
    // acq_rel: every member's deposit comes before the last arrival
    if (slot.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != static_cast<std::uint64_t>(comm.size()))
        return false;
    slot.arrived.store(0, std::memory_order_relaxed);
    slot.waiting = 0;
    slot.all_addressable = 1;
    for (int member = 0; member < comm.size(); ++member) {
        const Deposit& theirs = comm.station->deposit(member, use);
        slot.waiting += theirs.waits;
        if (theirs.at == kNoOffset) slot.all_addressable = 0;
    }
    slot.culprit = -1;
    const Deposit& first = comm.station->deposit(0, use);
    for (int member = 0; member < comm.size() && slot.culprit < 0; ++member) {
        const Deposit& theirs = comm.station->deposit(member, use);
        const bool same =
            theirs.count == first.count && theirs.element_size == first.element_size && theirs.root == first.root;
        const bool enough_memory = theirs.no_memory == 0 || slot.all_addressable != 0;
        if (!same || !enough_memory) slot.culprit = member;
    }
    return true;
}

void Collectives::publish_verdict(Communicator& comm, std::uint64_t use)
{
    ReduceSlot& slot = comm.station->reduce[use % kReduceSlots];
    const int root = comm.station->deposit(comm.rank(), use).root;
    const bool to_root = slot.culprit < 0 && slot.waiting == 1 && root != kAllMembers;
    const bool to_nobody = slot.waiting == 0;
    slot.stamp.store(use + 1, std::memory_order_release);  // pairs with await_verdict
    if (to_nobody) {
        end_use(comm, use);
    } else if (to_root) {
        node_->crossbar.wake(comm.members()[static_cast<std::size_t>(root)]);
    } else {
        wake_members(comm);
    }
}

const ReduceSlot& Collectives::await_verdict(Communicator& comm, std::uint64_t use)
{
    const ReduceSlot& slot = comm.station->reduce[use % kReduceSlots];
    node_->wait([&] { return slot.stamp.load(std::memory_order_acquire) == use + 1; },  // pairs with publish_verdict
        waiting_for(comm, -1, 0));
    return slot;
}

// For those who wait for the verdict: the last of them to leave ends the use. Throws if the verdict was that the deposits
// do not go together.
void Collectives::leave_use(Communicator& comm, std::uint64_t use)
{
    ReduceSlot& slot = comm.station->reduce[use % kReduceSlots];
    int code = FMPL_SUCCESS;
    std::string words;
    if (slot.culprit >= 0) [[unlikely]] {
        const Deposit& first = comm.station->deposit(0, use);
        const Deposit& other = comm.station->deposit(slot.culprit, use);
        if (other.no_memory != 0) {
            code = FMPL_ERR_MEMORY;
            words = fmt::format(
                "rank {} has no remote-DMA memory left for its part of the reduction; give the ranks larger arenas "
                "with FMPL_ARENA_SIZE",
                slot.culprit);
        } else {
            code = FMPL_ERR_MISMATCH;
            words = fmt::format("rank 0 reduces {}, rank {} {}; give the same count, operation and root on all ranks",
                described(first), slot.culprit, described(other));
        }
    }
    // acq_rel: everybody's reads come before the end of the use
    if (slot.leaving.fetch_add(1, std::memory_order_acq_rel) + 1 == slot.waiting) {
        slot.leaving.store(0, std::memory_order_relaxed);
        end_use(comm, use);
    }
    if (code != FMPL_SUCCESS) throw Error(code, words);
}

// This rank's library buffers for a use: the first for its operand, one for the result of an allreduce behind all of them.
Offset Collectives::deposit_buffer(Communicator& comm, std::uint64_t use)
{
    if (comm.deposits == kNoOffset) comm.deposits = node_->arena.allocate(2 * kReduceSlots * kDepositBytes);
    return comm.deposits + use % kReduceSlots * kDepositBytes;
}

// The operands of all members, in their order, for a use whose verdict is known; this rank's own is at `own`.
std::span<const std::byte* const> Collectives::operands(Communicator& comm, std::uint64_t use, const std::byte* own)
{
    operands_.clear();
    for (int member = 0; member < comm.size(); ++member) {
        operands_.push_back(member == comm.rank()
                                ? own
                                : node_->crossbar.mapped(comm.members()[static_cast<std::size_t>(member)],
                                      comm.station->deposit(member, use).at));
    }
    return operands_;
}

// results = x_0 op (x_1 op (... op x_{p-1})) for the elements begin .. end - 1. Each block is read from all operands
// before it is written to the results, which may be among them.
void Collectives::combine(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end, fmpl_op_t op,
    std::span<std::byte* const> results)
{
    const std::size_t element = op->element_size;
    const std::size_t block_count = std::max<std::size_t>(kBlockBytes / element, 1);
    const bool in_place = results.size() == 1 && results[0] == operands.back();
    if (!in_place) block_.resize(std::max(block_.size(), block_count * element));
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

// n elements, which fit into a deposit; `whole` is what the user asked for.
void Collectives::reduce_piece(Communicator& comm, std::byte* piece, std::size_t n, const Reduction& whole)
{
    const Crossbar& crossbar = node_->crossbar;
    const bool to_all = whole.root == kAllMembers;
    const bool is_root = whole.root == comm.rank();
    const std::size_t bytes = n * whole.op->element_size;
    const std::uint64_t use = begin_use(comm, whole, to_all || is_root);
    Deposit& own = comm.station->deposit(comm.rank(), use);
    std::exception_ptr no_memory;
    Offset buffer = kNoOffset;
    try {
        if (!is_root) buffer = deposit_buffer(comm, use);
        if (to_all && crossbar.contains(piece, bytes)) {
            own.at = crossbar.offset_of(piece);  // its owner waits until it has been read
        } else if (!is_root) {
            own.at = buffer;
            if (bytes > 0) std::memcpy(crossbar.local(buffer), piece, bytes);
        }
    } catch (const Error&) {
        no_memory = std::current_exception();  // thrown when the others know
        own.no_memory = 1;
        own.at = kNoOffset;
    }

    const bool last = arrive(comm, use);
    if (last) {
        ReduceSlot& slot = comm.station->reduce[use % kReduceSlots];
        if (to_all && slot.culprit < 0) {
            slot.result_at = buffer + kReduceSlots * kDepositBytes;
            std::byte* const results[] = {crossbar.local(slot.result_at), piece};
            combine(operands(comm, use, piece), 0, n, whole.op, results);
        }
        publish_verdict(comm, use);
    }
    if (to_all || is_root) {
        const ReduceSlot& slot = await_verdict(comm, use);
        if (slot.culprit < 0 && is_root) combine(operands(comm, use, piece), 0, n, whole.op, std::span(&piece, 1));
        if (slot.culprit < 0 && to_all && !last && bytes > 0) {
            std::memcpy(piece, crossbar.mapped(0, 0) + slot.result_at, bytes);
        }
        try {
            leave_use(comm, use);
        } catch (const Error&) {
            if (!no_memory) throw;
        }
    }
    if (no_memory) std::rethrow_exception(no_memory);
}

// False, alike on all members, when some buffer cannot be addressed; nothing has been written then.
bool Collectives::reduce_partitioned(Communicator& comm, std::byte* buffer, const Reduction& whole)
{
    const Crossbar& crossbar = node_->crossbar;
    const std::uint64_t use = begin_use(comm, whole, true);
    Deposit& own = comm.station->deposit(comm.rank(), use);
    if (crossbar.contains(buffer, whole.bytes())) own.at = crossbar.offset_of(buffer);
    try {
        deposit_buffer(comm, use);  // for the pieces: once all have agreed on them, none may fail
    } catch (const Error&) {
        own.no_memory = 1;
    }
    if (arrive(comm, use)) publish_verdict(comm, use);
    const ReduceSlot& slot = await_verdict(comm, use);
    const bool partition = slot.culprit < 0 && slot.all_addressable != 0;
    if (partition) {
        const auto size = static_cast<std::size_t>(comm.size());
        const auto rank = static_cast<std::size_t>(comm.rank());
        const std::size_t begin = whole.count / size * rank + std::min(whole.count % size, rank);
        const std::size_t end = begin + whole.count / size + (rank < whole.count % size ? 1 : 0);
        results_.clear();
        for (int member = 0; member < comm.size(); ++member) {
            if (whole.root != kAllMembers && whole.root != member) continue;
            const Offset at = comm.station->deposit(member, use).at;
            results_.push_back(crossbar.mapped(comm.members()[static_cast<std::size_t>(member)], at));
        }
        combine(operands(comm, use, buffer), begin, end, whole.op, results_);
    }
    leave_use(comm, use);
    // Everybody has written its share when the use is over; the slot's next use needs this rank.
    if (partition) {
        node_->wait([&] { return slot.over.load(std::memory_order_acquire) == use + 1; },  // pairs with end_use
            waiting_for(comm, -1, whole.bytes()));
    }
    return partition;
}

void Collectives::reduce_hardware(Communicator& comm, std::byte* buffer, const Reduction& whole, std::byte* work)
{
    const std::size_t element = whole.op->element_size;
    if (whole.bytes() <= kDepositBytes) return reduce_piece(comm, buffer, whole.count, whole);
    if (reduce_partitioned(comm, buffer, whole)) return;
    if (element > kDepositBytes) return reduce_tree(comm, buffer, whole, work);
    const std::size_t piece_count = kDepositBytes / element;
    for (std::size_t done = 0; done < whole.count; done += piece_count) {
        reduce_piece(comm, buffer + done * element, std::min(piece_count, whole.count - done), whole);
    }
}

}  // namespace fmpl
