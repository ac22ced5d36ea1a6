// Collective communication: each operation in a hardware form (the crossbar's barrier and broadcast, memory that all
// members map) and a tree form over point-to-point messages, and the choice between them (paper, sections 2.4 and 4.2).
//
// One algorithm a file: arrival, barrier_hardware, barrier_tree, bcast (a folder, with a file a manner), bcast_tree,
// reduce (likewise), reduce_tree. What all of them stand on is the Meeting of a communicator.
#pragma once

#include "coll/barrier.hpp"
#include "coll/bcast/hardware.hpp"
#include "coll/meeting.hpp"
#include "coll/reduce/hardware.hpp"
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
    // Whether its members meet in memory, so that there are exchanges (coll/exchange.hpp).
    bool has_exchanges(const Communicator& comm) const
    {
        const Meeting& m = *comm.meeting;
        return m.size() > 1 && hardware(m.hardware.broadcast && m.station != nullptr);
    }
    // work: of fmpl_reduce, may be nullptr.
    void reduce(Communicator& comm, const ReduceBuffers& buffers, const Reduction& whole, void* work);

private:
    void barrier(Meeting& m);
    void bcast(Meeting& m, void* buffer, std::size_t bytes, int root);
    bool hardware(bool allowed) const { return allowed && form_ != CollectiveForm::tree; }

    void barrier_tree(Meeting& m);

    void bcast_tree(Meeting& m, void* buffer, std::size_t bytes, int root);

    void reduce_otherwise(
        Meeting& m, const ReduceBuffers& buffers, const Reduction& whole, bool in_memory, std::byte* work);
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
    Offset scratch_ = kNoOffset;
    std::size_t scratch_bytes_ = 0;
};

}  // namespace fmpl
