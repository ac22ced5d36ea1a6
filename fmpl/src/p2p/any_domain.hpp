// The any domain: fmpl_send_any and fmpl_recv_any, matched at the receiver (paper, section 2.3).
//
// Each pair of ranks has a ring of kAnyCells cells in the destination's arena, written by the source alone; the cells are
// the source's credits, given back through PairRecord::any_taken. A short message travels in its cell; of a longer one
// the cell says where it lies in the source's memory, and the destination reads it and then sets its `done` word. A
// message that no receive wants yet leaves its cell for a private list, so that no index blocks another.
#pragma once

#include "p2p/communicator.hpp"
#include "p2p/node.hpp"
#include "p2p/receiver.hpp"
#include "p2p/send_buffer.hpp"

#include <cstddef>
#include <list>
#include <map>
#include <vector>

namespace fmpl {

class AnyDomain {
public:
    AnyDomain(Node& node, SendBuffer& buffer, Receiver& receiver) : node_(&node), buffer_(&buffer), receiver_(&receiver) {}

    void send(Communicator& comm, int destination, int index, const void* data, std::size_t bytes);
    void recv(Communicator& comm, int index, void* buffer, std::size_t capacity);

    // Frees the memory of messages that have been taken.
    void reclaim();

    // Messages that arrived and that nobody received: calls report(source, index, bytes).
    template <class Report>
    void for_each_unreceived(Communicator& comm, Report&& report)
    {
        collect(comm);
        for (const Unexpected& message : unexpected_[&comm]) report(message.source, static_cast<int>(message.header.index), message.header.bytes);
    }
    // Forgets what belongs to a communicator that is being freed.
    void abandon(Communicator& comm);

private:
    struct Unexpected {
        int source;
        AnyHeader header;
        std::vector<std::byte> payload;  // when it came in the cell
    };
    // A message in this rank's memory that its destination reads; `word` holds the done word.
    struct Outgoing {
        Offset word;
        Offset block;
        bool in_send_buffer;
    };

    bool collect(Communicator& comm);
    bool take_match(Communicator& comm, int index, void* buffer, std::size_t capacity, bool& truncated);
    void release(const Outgoing& message);
    bool is_done(const Outgoing& message) const;

    Node* node_;
    SendBuffer* buffer_;
    Receiver* receiver_;
    std::map<const Communicator*, std::list<Unexpected>> unexpected_;
    std::map<const Communicator*, int> next_source_;  // where the next collection begins, so that no source starves
    std::vector<Outgoing> outgoing_;
};

}  // namespace fmpl
