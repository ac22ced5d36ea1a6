// Collective communication: each operation in a hardware form (the crossbar's barrier and broadcast, memory that all
// members map) and a tree form over point-to-point messages, and the choice between them (paper, sections 2.4 and 4.2).
//
// One algorithm a file: arrival, barrier_hardware, barrier_tree, bcast (a folder, with a file a manner), bcast_tree, reduce_hardware,
// reduce_pair, reduce_tree. What all of them stand on is the Meeting of a communicator.
#pragma once

#include "coll/bcast/hardware.hpp"
#include "coll/meeting.hpp"
#include "p2p/columns.hpp"
#include "error.hpp"
#include "p2p/communicator.hpp"
#include "p2p/node.hpp"
#include "p2p/receiver.hpp"
#include "p2p/shared_copy.hpp"
#include "p2p/sender.hpp"

#include <cstddef>
#include <exception>
#include <span>
#include <vector>

namespace fmpl {

// FMPL_COLLECTIVES: which form to take where the communicator may use both. The hardware forms are faster at every size
// and rank count measured (docs/performance.md), so automatic means hardware where allowed, else tree.
enum class CollectiveForm { automatic, hardware, tree };

// The root of an allreduce: all members get the result.
inline constexpr int kAllMembers = -1;

// What the user asks of a reduction.
struct Reduction {
    std::size_t count;
    fmpl_op_t op;
    int root;  // or kAllMembers

    std::size_t bytes() const { return count * op->element_size; }
};

// Where a member's part of a reduction lies. The operand is only read, unless `result` is the same place; `result` is
// nullptr where the member gets none, and may not be at the root.
struct ReduceBuffers {
    const std::byte* operand;
    std::byte* result;

    ReduceBuffers at(std::size_t bytes) const
    {
        return {operand + bytes, result != nullptr ? result + bytes : nullptr};
    }
};

// A reduction of at least this size whose operands all lie in remote-DMA memory is partitioned among the members. Where
// ranks share CPUs an allreduce always is, and a reduce from the second size on for each rank that a CPU has, since the
// partition makes its members wait; beyond kDepositBytes a reduction is always partitioned.
inline constexpr std::size_t kPartitionBytes = 4 * 1024;
inline constexpr std::size_t kPartitionBytesSharedCpus = 2 * 1024;

// "rank 0 reduces ..., rank 1 ...": for reductions whose members do not agree.
template <class One, class Other>
[[noreturn]] void fail_mismatch(int other_rank, const One& first, const Other& other)
{
    const auto described = [](const auto& deposit) {
        return fmt::format("{} elements of {} bytes to {}", deposit.count, deposit.element_size,
            deposit.root == kAllMembers ? "all ranks" : fmt::format("rank {}", deposit.root));
    };
    fail(FMPL_ERR_MISMATCH, "rank 0 reduces {}, rank {} {}; give the same count, operation and root on all ranks",
        described(first), other_rank, described(other));
}

class Collectives {
public:
    Collectives(Node& node, Sender& sender, Receiver& receiver, CollectiveForm form)
        : node_(&node),
          sender_(&sender),
          receiver_(&receiver),
          form_(form)
    {
    }

    void barrier(Communicator& comm) { barrier(*comm.meeting); }
    void bcast(Communicator& comm, void* buffer, std::size_t bytes, int root)
    {
        bcast(*comm.meeting, buffer, bytes, root);
    }
    void bcast(Communicator& comm, std::byte* base, const Columns& columns, int root);
    // work: of fmpl_reduce, may be nullptr.
    void reduce(Communicator& comm, const ReduceBuffers& buffers, const Reduction& whole, void* work);

private:
    void barrier(Meeting& m);
    void bcast(Meeting& m, void* buffer, std::size_t bytes, int root);
    bool hardware(bool allowed) const { return allowed && form_ != CollectiveForm::tree; }

    void barrier_hardware(Meeting& m, BarrierRecord& record);
    void barrier_of_two(Meeting& m, BarrierRecord& record);
    void barrier_tree(Meeting& m);

    static RootSuccession* roots_of(Meeting& m, const Reduction& whole)
    {
        return whole.root == kAllMembers ? nullptr : &m.reduce_roots;
    }
    void bcast_tree(Meeting& m, void* buffer, std::size_t bytes, int root);

    void reduce_hardware(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole, std::byte* work);
    ReduceManner reduce_once(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole);
    std::uint64_t begin_use(Meeting& m, const Reduction& whole);
    void await_end(Meeting& m, std::uint64_t use, RootSuccession* roots, bool alone = false);
    void deposit(Meeting& m, std::uint64_t use, const ReduceBuffers& buffers, const Reduction& whole);
    void combine_shares(Meeting& m, std::uint64_t use, const std::byte* operand, const Reduction& whole);
    std::size_t partition_bytes(bool to_all) const;
    ReduceVerdict judge(Meeting& m, std::uint64_t use) const;
    void publish_verdict(
        Meeting& m, std::uint64_t use, const ReduceVerdict& verdict, std::span<const std::byte> result);
    const ReduceSlot& await_verdict(Meeting& m, std::uint64_t use, RootSuccession* roots, bool alone);
    std::exception_ptr disagreement(Meeting& m, std::uint64_t use, const ReduceVerdict& verdict);
    void leave_use(Meeting& m, std::uint64_t use);
    void end_use(Meeting& m, std::uint64_t use);
    Offset deposit_buffer(Meeting& m, std::uint64_t use);
    std::span<const std::byte* const> operands(Meeting& m, std::uint64_t use, const std::byte* own);
    void combine(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end, fmpl_op_t op,
        std::span<std::byte* const> results);
    void deposit_for_pair(
        Meeting& m, std::uint64_t use, PairDeposit& own, const ReduceBuffers& buffers, const Reduction& whole);
    ReduceManner reduce_once_of_two(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole);
    [[noreturn]] static void fail_no_memory(int member);
    void reduce_tree(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole, std::byte* work);
    void reduce_tree_in_place(Meeting& m, std::byte* buffer, const Reduction& whole, std::byte* work);
    void reduce_tree_to_root(Meeting& m, std::byte* buffer, const Reduction& whole, int root, std::byte* work);

    void tree_send(Meeting& m, int to, const void* data, std::size_t bytes);
    void tree_recv(Meeting& m, int from, void* data, std::size_t bytes);
    std::byte* scratch(std::size_t bytes);

    Node* node_;
    Sender* sender_;
    Receiver* receiver_;
    CollectiveForm form_;
    std::vector<std::byte> block_;            // combine()'s partial result
    std::vector<const std::byte*> operands_;  // of the present reduction, in the order of the members
    std::vector<std::byte*> results_;         // where a share of it goes
    Offset scratch_ = kNoOffset;
    std::size_t scratch_bytes_ = 0;
};

}  // namespace fmpl
