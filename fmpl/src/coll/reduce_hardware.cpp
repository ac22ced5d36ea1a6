// Reductions over memory that all members map.
//
// Up to kPartitionBytes, or from private buffers, in pieces: every member deposits its piece; for a reduce the root
// combines them, for an allreduce the last to arrive does, and the others copy the result. The operands are combined in
// the order of the ranks by whoever does it, so that the result does not depend on who arrives when. Two slots alternate,
// so that a member other than the root never waits for the combination of its last deposit.
// Cost with p ranks and n bytes: n / copy bandwidth + p n / combine rate.
//
// Larger ones in remote-DMA memory are partitioned in place: each member combines its share of the elements from all
// buffers and writes it to those that want the result. Cost: two barriers + n / combine rate, on as many CPUs as run.
#include "coll/collectives.hpp"

#include <algorithm>
#include <cstring>

namespace fmpl {
namespace {

// A share is combined in blocks of this size, so that the partial result stays in the first-level cache.
constexpr std::size_t kBlockBytes = 8 * 1024;

}  // namespace

// Waits until the last use of the slot that `use` takes is over.
void Collectives::begin_use(Communicator& comm, std::uint64_t use)
{
    if (use < kReduceSlots) return;
    ReduceSlot& slot = comm.station->reduce[use % kReduceSlots];
    const std::uint64_t last = use - kReduceSlots + 1;
    node_->wait([&] { return slot.over.load(std::memory_order_acquire) == last; },  // pairs with end_use
        waiting_for(comm, -1, 0));
}

void Collectives::end_use(Communicator& comm, std::uint64_t use)
{
    comm.station->reduce[use % kReduceSlots].over.store(use + 1, std::memory_order_release);  // pairs with begin_use
    wake_members(comm);
}

// For uses that all members read: the last one to leave ends it.
void Collectives::leave_use(Communicator& comm, std::uint64_t use)
{
    ReduceSlot& slot = comm.station->reduce[use % kReduceSlots];
    // acq_rel: everybody's reads come before the end of the use
    if (slot.leaving.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint64_t>(comm.size())) {
        slot.leaving.store(0, std::memory_order_relaxed);
        end_use(comm, use);
    }
}

// This rank's deposit for a use; the result of an allreduce lies behind the deposits.
Offset Collectives::deposit_buffer(Communicator& comm, std::uint64_t use)
{
    if (comm.deposits == kNoOffset) comm.deposits = node_->arena.allocate(2 * kReduceSlots * kDepositBytes);
    return comm.deposits + use % kReduceSlots * kDepositBytes;
}

// The first member whose count is not this rank's, or -1. An error is thrown only when the use has gone its way, so that
// nobody waits for the rank that found it.
int Collectives::differing_deposit(Communicator& comm, std::uint64_t use, std::size_t total_bytes)
{
    for (int member = 0; member < comm.size(); ++member) {
        if (comm.station->deposit(member, use).total_bytes != total_bytes) return member;
    }
    return -1;
}

void Collectives::fail_differing(const Communicator& comm, int member, std::size_t total_bytes) const
{
    fail(FMPL_ERR_MISMATCH,
        "rank {} gives another count than rank {}, which reduces {} bytes; give the same count on all ranks", member,
        comm.rank(), total_bytes);
}

// result = x_0 op (x_1 op (... op x_{p-1})), over the deposits of all members.
void Collectives::fold(Communicator& comm, std::uint64_t use, std::byte* result, std::size_t count, fmpl_op_t op)
{
    const auto operand = [&](int member) {
        return node_->crossbar.mapped(
            comm.members()[static_cast<std::size_t>(member)], comm.station->deposit(member, use).at);
    };
    const int last = comm.size() - 1;
    std::memcpy(result, operand(last), count * op->element_size);
    for (int member = last - 1; member >= 0; --member) op->function(operand(member), result, count);
}

void Collectives::reduce_hardware(
    Communicator& comm, std::byte* buffer, std::size_t count, fmpl_op_t op, int root, std::byte* work)
{
    const std::size_t element = op->element_size;
    const std::size_t total = count * element;
    if (element > kDepositBytes) return reduce_tree(comm, buffer, count, op, root, work);
    if (total >= kPartitionBytes && reduce_partitioned(comm, buffer, count, op, root)) return;

    const std::size_t piece_count = kDepositBytes / element;
    for (std::size_t done = 0; done < count; done += piece_count) {
        const std::size_t n = std::min(piece_count, count - done);
        std::byte* piece = buffer + done * element;
        const std::uint64_t use = comm.reduce_uses++;
        begin_use(comm, use);
        Deposit& own = comm.station->deposit(comm.rank(), use);
        own.at = deposit_buffer(comm, use);
        own.total_bytes = total;
        std::memcpy(node_->crossbar.local(own.at), piece, n * element);
        own.stamp.store(use + 1, std::memory_order_release);  // pairs with the root's acquire below
        if (comm.rank() != root) {
            node_->crossbar.wake(comm.members()[static_cast<std::size_t>(root)]);
            continue;
        }
        for (int member = 0; member < comm.size(); ++member) {
            const Deposit& theirs = comm.station->deposit(member, use);
            node_->wait([&] { return theirs.stamp.load(std::memory_order_acquire) == use + 1; },
                waiting_for(comm, member, total));
        }
        const int differing = differing_deposit(comm, use, total);
        if (differing < 0) fold(comm, use, piece, n, op);
        end_use(comm, use);
        if (differing >= 0) fail_differing(comm, differing, total);
    }
}

void Collectives::allreduce_hardware(Communicator& comm, std::byte* buffer, std::size_t count, fmpl_op_t op)
{
    const std::size_t element = op->element_size;
    const std::size_t total = count * element;
    if (element > kDepositBytes) {
        reduce_tree(comm, buffer, count, op, 0, nullptr);
        return bcast(comm, buffer, total, 0);
    }
    if (total >= kPartitionBytes && reduce_partitioned(comm, buffer, count, op, -1)) return;

    const Crossbar& crossbar = node_->crossbar;
    const bool in_place = crossbar.contains(buffer, total);  // the caller waits anyway: its buffer can be its deposit
    const std::size_t piece_count = kDepositBytes / element;
    for (std::size_t done = 0; done < count; done += piece_count) {
        const std::size_t n = std::min(piece_count, count - done);
        std::byte* piece = buffer + done * element;
        const std::uint64_t use = comm.reduce_uses++;
        begin_use(comm, use);
        ReduceSlot& slot = comm.station->reduce[use % kReduceSlots];
        Deposit& own = comm.station->deposit(comm.rank(), use);
        const Offset deposit = deposit_buffer(comm, use);
        own.at = in_place ? crossbar.offset_of(piece) : deposit;
        own.total_bytes = total;
        if (!in_place) std::memcpy(crossbar.local(deposit), piece, n * element);

        // acq_rel: every member's deposit comes before the last arrival
        if (slot.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint64_t>(comm.size())) {
            slot.arrived.store(0, std::memory_order_relaxed);
            const int differing = differing_deposit(comm, use, total);
            slot.result_at = differing < 0 ? deposit + kReduceSlots * kDepositBytes : kNoOffset;
            if (differing < 0) fold(comm, use, crossbar.local(slot.result_at), n, op);
            slot.result.store(use + 1, std::memory_order_release);  // pairs with the acquire below
            wake_members(comm);
        } else {
            node_->wait(
                [&] { return slot.result.load(std::memory_order_acquire) == use + 1; }, waiting_for(comm, -1, total));
        }
        // No result: the counts differ, on all members alike.
        const bool failed = slot.result_at == kNoOffset;
        if (!failed) std::memcpy(piece, crossbar.mapped(0, 0) + slot.result_at, n * element);
        const int differing = failed ? differing_deposit(comm, use, total) : -1;
        leave_use(comm, use);
        if (failed) fail_differing(comm, std::max(differing, 0), total);
    }
}

// root = -1: all members get the result. false, alike on all members, when some buffer cannot be addressed.
bool Collectives::reduce_partitioned(Communicator& comm, std::byte* buffer, std::size_t count, fmpl_op_t op, int root)
{
    const Crossbar& crossbar = node_->crossbar;
    const std::size_t element = op->element_size;
    const std::size_t total = count * element;
    const std::uint64_t use = comm.reduce_uses++;
    begin_use(comm, use);
    Deposit& own = comm.station->deposit(comm.rank(), use);
    own.at = crossbar.contains(buffer, total) ? crossbar.offset_of(buffer) : kNoOffset;
    own.total_bytes = total;
    own.stamp.store(use + 1, std::memory_order_relaxed);  // published by the barrier
    barrier_hardware(comm, comm.station->barrier);
    const int differing = differing_deposit(comm, use, total);
    if (differing >= 0) {
        leave_use(comm, use);
        fail_differing(comm, differing, total);
    }
    bool all = true;
    std::vector<std::byte*> buffers;
    for (int member = 0; member < comm.size(); ++member) {
        const Offset at = comm.station->deposit(member, use).at;
        all = all && at != kNoOffset;
        buffers.push_back(crossbar.mapped(comm.members()[static_cast<std::size_t>(member)], at));
    }
    if (!all) {
        leave_use(comm, use);
        return false;
    }

    // This member's share, block by block: read everybody's, then overwrite what only this member reads.
    const auto size = static_cast<std::size_t>(comm.size());
    const auto rank = static_cast<std::size_t>(comm.rank());
    const std::size_t begin = count / size * rank + std::min(count % size, rank);
    const std::size_t end = begin + count / size + (rank < count % size ? 1 : 0);
    const std::size_t block_count = std::max<std::size_t>(kBlockBytes / element, 1);
    std::byte* block = scratch(block_count * element);
    for (std::size_t i = begin; i < end; i += block_count) {
        const std::size_t n = std::min(block_count, end - i);
        std::memcpy(block, buffers.back() + i * element, n * element);
        for (std::size_t member = size - 1; member-- > 0;) op->function(buffers[member] + i * element, block, n);
        for (std::size_t member = 0; member < size; ++member) {
            if (root < 0 || member == static_cast<std::size_t>(root))
                std::memcpy(buffers[member] + i * element, block, n * element);
        }
    }
    barrier_hardware(comm, comm.station->barrier);
    leave_use(comm, use);
    return true;
}

}  // namespace fmpl
