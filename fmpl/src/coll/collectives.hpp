// Collective communication: each operation in a hardware form (the crossbar's barrier and broadcast, memory that all
// members map) and a tree form over point-to-point messages, and the choice between them (paper, sections 2.4 and 4.2).
//
// One algorithm a file: barrier_hardware, barrier_tree, bcast_hardware, bcast_tree, reduce_hardware, reduce_tree.
#pragma once

#include "coll/station.hpp"
#include "p2p/communicator.hpp"
#include "p2p/node.hpp"
#include "p2p/receiver.hpp"
#include "p2p/sender.hpp"

#include <cstddef>

namespace fmpl {

// FMPL_COLLECTIVES: which form to take where the communicator may use both. The hardware forms are faster at every size
// and rank count measured (docs/performance.md), so automatic means hardware where allowed, else tree.
enum class CollectiveForm { automatic, hardware, tree };

// A broadcast of at least this size from remote-DMA memory is read from the root's own buffer by all; a shorter one goes
// through the library's buffers, so that the root need not wait for its receivers.
inline constexpr std::size_t kBroadcastWholeBytes = 16 * 1024;
// An allreduce or reduce of at least this size from remote-DMA memory is partitioned in place among the members.
inline constexpr std::size_t kPartitionBytes = 128 * 1024;

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
    void reduce(Communicator& comm, void* buffer, std::size_t count, fmpl_op_t op, int root, void* work);
    void allreduce(Communicator& comm, void* buffer, std::size_t count, fmpl_op_t op, void* work);

    // Frees this rank's library buffers of a communicator.
    void release(Communicator& comm);

private:
    bool hardware(bool allowed) const { return allowed && form_ != CollectiveForm::tree; }

    void barrier_hardware(Communicator& comm, BarrierRecord& record);
    void barrier_tree(Communicator& comm);

    void bcast_hardware(Communicator& comm, void* buffer, std::size_t bytes, int root);
    void bcast_from_root(Communicator& comm, const std::byte* buffer, std::size_t bytes);
    void bcast_to_receiver(Communicator& comm, std::byte* buffer, std::size_t bytes, int root);
    void bcast_tree(Communicator& comm, void* buffer, std::size_t bytes, int root);

    void reduce_hardware(
        Communicator& comm, std::byte* buffer, std::size_t count, fmpl_op_t op, int root, std::byte* work);
    void allreduce_hardware(Communicator& comm, std::byte* buffer, std::size_t count, fmpl_op_t op);
    bool reduce_partitioned(Communicator& comm, std::byte* buffer, std::size_t count, fmpl_op_t op, int root);
    void fold(Communicator& comm, std::uint64_t use, std::byte* result, std::size_t count, fmpl_op_t op);
    void begin_use(Communicator& comm, std::uint64_t use);
    void end_use(Communicator& comm, std::uint64_t use);
    void leave_use(Communicator& comm, std::uint64_t use);
    int differing_deposit(Communicator& comm, std::uint64_t use, std::size_t total_bytes);
    [[noreturn]] void fail_differing(const Communicator& comm, int member, std::size_t total_bytes) const;
    Offset deposit_buffer(Communicator& comm, std::uint64_t use);
    void reduce_tree(Communicator& comm, std::byte* buffer, std::size_t count, fmpl_op_t op, int root, std::byte* work);

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
    Offset scratch_ = kNoOffset;
    std::size_t scratch_bytes_ = 0;
};

}  // namespace fmpl
