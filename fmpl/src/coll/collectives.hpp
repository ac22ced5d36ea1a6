// Collective communication: each operation in a hardware form (the crossbar's barrier and broadcast, memory that all
// members map) and a tree form over point-to-point messages, and the choice between them (paper, sections 2.4 and 4.2).
//
// One algorithm a file: arrival, barrier_hardware, barrier_tree, bcast_hardware, bcast_tree, reduce_hardware, reduce_pair,
// reduce_tree.
#pragma once

#include "coll/station.hpp"
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

// A broadcast of at least this size from remote-DMA memory is read from the root's own buffer by all; a shorter one
// goes through the library's buffers, so that the root need not wait for its receivers. Where each rank has a CPU, the
// wait is short; where it has not, the root has to run once more, and the buffers hold so much at a time.
inline constexpr std::size_t kBroadcastWholeBytes = 1024;
inline constexpr std::size_t kBroadcastWholeBytesSharedCpus = 256 * 1024;
// Such a broadcast between two ranks is copied by both, from this size on.
inline constexpr std::size_t kBroadcastSharedBytes = 1024;
// Where ranks share CPUs, but no more than two one, a broadcast from this size on is partitioned among those that run
// (docs/decisions/0016-whoever-runs-copies.md).
inline constexpr std::size_t kBroadcastPartitionBytes = 256 * 1024;
inline constexpr int kBroadcastPartitionRanksOfCpu = 2;

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

// Who of the members shares the CPU of the one that has this rank among them. cpus: of all ranks of the job (NodeRecord::cpu).
CpuMates cpu_mates(std::span<const int> cpus, std::span<const int> members, int rank);

class Collectives {
public:
    Collectives(Node& node, Sender& sender, Receiver& receiver, CollectiveForm form)
        : node_(&node),
          sender_(&sender),
          receiver_(&receiver),
          form_(form)
    {
    }

    void barrier(Communicator& comm);
    void bcast(Communicator& comm, void* buffer, std::size_t bytes, int root);
    void bcast(Communicator& comm, std::byte* base, const Columns& columns, int root);
    // work: of fmpl_reduce, may be nullptr.
    void reduce(Communicator& comm, const ReduceBuffers& buffers, const Reduction& whole, void* work);

    // Frees this rank's library buffers of a communicator.
    void release(Communicator& comm);

private:
    std::size_t whole_bytes() const { return node_->helps() ? kBroadcastWholeBytes : kBroadcastWholeBytesSharedCpus; }
    bool hardware(bool allowed) const { return allowed && form_ != CollectiveForm::tree; }

    // Whether this rank is the last of all to arrive, or the last of those that share its CPU.
    struct Arrival {
        bool last;
        bool alone;  // none of these has anything to do until the others have come
    };
    Arrival arrive(
        const Communicator& comm, std::atomic<std::uint32_t>& arrived, std::atomic<std::uint32_t>& of_cpu) const;
    CpuArrivals& cpu_arrivals(const Communicator& comm) const { return comm.station->arrivals(comm.cpu_mates.first); }

    void barrier_hardware(Communicator& comm, BarrierRecord& record);
    void barrier_of_two(Communicator& comm, BarrierRecord& record);
    void barrier_tree(Communicator& comm);

    // columns: that the buffer is made of; nullptr: in one piece.
    void bcast_hardware(Communicator& comm, void* buffer, const Columns* columns, std::size_t bytes, int root);
    void bcast_from_root(Communicator& comm, const std::byte* buffer, const Columns* columns, std::size_t bytes);
    // Waits for a broadcast without leaving the CPU, for a short while, if this rank is to be the next root there; whether
    // it has come.
    template <class HasCome>
    bool keep_cpu_until(Communicator& comm, HasCome&& has_come)
    {
        RootSuccession& roots = comm.broadcast_roots;
        if (comm.cpu_mates.cpus == 0 || node_->has_busy()) return false;
        if (!roots.is_next(comm.rank(), comm.cpu_mates.of_members)) return false;
        if (!roots.keeping.is_worth_it()) return false;
        const bool came = node_->waiter.spin(has_come, true);
        came ? roots.keeping.was_taken() : roots.keeping.was_left();
        return came;
    }
    // Waits. Where the ranks of a CPU are root in turn, this one among them, they come to run in that order. roots: of the operation;
    // nullptr: it has none.
    template <class Ready>
    void wait_in_turn(Communicator& comm, RootSuccession* roots, Ready&& ready, const WaitFor& what)
    {
        if (roots == nullptr || !is_ordered(comm)) {
            node_->wait(ready, what);
        } else {
            node_->wait(ready, what, [&] { leave_cpu_in_turn(comm, *roots); });
        }
    }
    void leave_cpu_in_turn(Communicator& comm, RootSuccession& roots);
    static bool is_ordered(const Communicator& comm) { return comm.cpu_mates.cpus > 0 && comm.cpu_mates.count > 2; }
    static RootSuccession* roots_of(Communicator& comm, const Reduction& whole)
    {
        return whole.root == kAllMembers ? nullptr : &comm.reduce_roots;
    }
    void bcast_to_receiver(Communicator& comm, std::byte* buffer, const Columns* columns, std::size_t bytes, int root);
    SharedCopy shared_copy(const Communicator& comm, BroadcastSlot& slot, std::size_t bytes) const;
    void ask_for_help(const Communicator& comm, std::uint64_t use, const std::byte* buffer, std::size_t bytes);
    void receive_with_help(Communicator& comm, BroadcastSlot& slot, std::byte* buffer, std::size_t bytes);
    bool help_to_receive(Communicator& comm, std::uint64_t use, const std::byte* buffer, std::size_t bytes);
    bool all_have_left(Communicator& comm, std::uint64_t uses);
    void await_left(Communicator& comm, std::uint64_t uses, std::uint64_t enough, const WaitFor& what);
    void leave_broadcast(Communicator& comm, std::uint64_t use);
    Offset broadcast_buffer(Communicator& comm, std::uint64_t use, const WaitFor& what);
    bool is_partitioned(const Communicator& comm, std::size_t bytes) const;
    void open_reception(Communicator& comm, std::uint64_t use, const std::byte* buffer, std::size_t bytes);
    static void close_reception(Communicator& comm);
    void await_reception(Communicator& comm, std::uint64_t use, const std::byte* from, std::size_t bytes, int root);
    void copy_for_all(Communicator& comm, std::uint64_t use, const std::byte* from, std::size_t bytes);
    void bcast_tree(Communicator& comm, void* buffer, std::size_t bytes, int root);

    void reduce_hardware(Communicator& comm, const ReduceBuffers& buffers, const Reduction& whole, std::byte* work);
    ReduceManner reduce_once(Communicator& comm, const ReduceBuffers& buffers, const Reduction& whole);
    std::uint64_t begin_use(Communicator& comm, const Reduction& whole);
    void await_end(Communicator& comm, std::uint64_t use, RootSuccession* roots, bool alone = false);
    void deposit(Communicator& comm, std::uint64_t use, const ReduceBuffers& buffers, const Reduction& whole);
    void combine_shares(Communicator& comm, std::uint64_t use, const std::byte* operand, const Reduction& whole);
    std::size_t partition_bytes(bool to_all) const;
    ReduceVerdict judge(Communicator& comm, std::uint64_t use) const;
    void publish_verdict(
        Communicator& comm, std::uint64_t use, const ReduceVerdict& verdict, std::span<const std::byte> result);
    const ReduceSlot& await_verdict(Communicator& comm, std::uint64_t use, RootSuccession* roots, bool alone);
    std::exception_ptr disagreement(Communicator& comm, std::uint64_t use, const ReduceVerdict& verdict);
    void leave_use(Communicator& comm, std::uint64_t use);
    void end_use(Communicator& comm, std::uint64_t use);
    Offset deposit_buffer(Communicator& comm, std::uint64_t use);
    std::span<const std::byte* const> operands(Communicator& comm, std::uint64_t use, const std::byte* own);
    void combine(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end, fmpl_op_t op,
        std::span<std::byte* const> results);
    void deposit_for_pair(
        Communicator& comm, std::uint64_t use, PairDeposit& own, const ReduceBuffers& buffers, const Reduction& whole);
    ReduceManner reduce_once_of_two(Communicator& comm, const ReduceBuffers& buffers, const Reduction& whole);
    [[noreturn]] static void fail_no_memory(int member);
    void reduce_tree(Communicator& comm, const ReduceBuffers& buffers, const Reduction& whole, std::byte* work);
    void reduce_tree_in_place(Communicator& comm, std::byte* buffer, const Reduction& whole, std::byte* work);
    void reduce_tree_to_root(Communicator& comm, std::byte* buffer, const Reduction& whole, int root, std::byte* work);

    void tree_send(Communicator& comm, int to, const void* data, std::size_t bytes);
    void tree_recv(Communicator& comm, int from, void* data, std::size_t bytes);
    std::byte* scratch(std::size_t bytes);

    WaitFor waiting_for(const Communicator& comm, int peer, std::size_t bytes) const
    {
        return {node_->call, peer < 0 ? -1 : comm.members()[static_cast<std::size_t>(peer)], -1, comm.size(), bytes};
    }
    void wake_members(const Communicator& comm) const { node_->crossbar.wake(comm.members()); }

    Node* node_;
    Sender* sender_;
    Receiver* receiver_;
    CollectiveForm form_;
    std::vector<std::byte> block_;            // combine()'s partial result
    std::vector<const std::byte*> operands_;  // of the present reduction, in the order of the members
    std::vector<std::byte*> results_;         // where a share of it goes
    std::vector<int> served_;                 // whom a chunk of a broadcast goes to
    Offset scratch_ = kNoOffset;
    std::size_t scratch_bytes_ = 0;
};

}  // namespace fmpl
