// The any domain: fmpl_send_any and fmpl_recv_any, matched at the receiver (paper, section 2.3).
//
// Each pair of ranks has a ring of kAnyCells cells in the destination's arena, written by the source alone; the cells
// are the source's credits, given back through PairRecord::any_taken. A short message travels in its cell; of a longer
// one the cell says where it lies in the source's memory, and the destination reads it and then sets its `done` word. A
// message that no receive wants yet leaves its cell for a private list, so that no index blocks another.
//
// A rank that has called either function empties its rings during every later wait that is long, whatever it waits for.
#pragma once

#include "p2p/communicator.hpp"
#include "p2p/node.hpp"
#include "p2p/receiver.hpp"
#include "p2p/send_buffer.hpp"
#include "p2p/sender.hpp"

#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <vector>

namespace fmpl {

class AnyDomain final : Progressing {
public:
    AnyDomain(Node& node, SendBuffer& buffer, Sender& sender, Receiver& receiver)
        : node_(&node),
          buffer_(&buffer),
          sender_(&sender),
          receiver_(&receiver)
    {
    }

    void send(Communicator& comm, int destination, int index, const void* data, std::size_t bytes);
    void recv(Communicator& comm, int index, void* buffer, std::size_t capacity);

    // Sends what waits for credits, and frees the memory of messages that have been taken.
    void reclaim();

    // Messages that nobody received: calls arrived(source, index, bytes), unsent(destination, index, bytes).
    template <class Arrived, class Unsent>
    void for_each_pending(Communicator& comm, Arrived&& arrived, Unsent&& unsent)
    {
        collect(comm);
        for (const Unexpected& m : unexpected_[&comm])
            arrived(m.source, static_cast<int>(m.header.index), m.header.bytes);
        for (const Outgoing& m : waiting_) {
            if (m.comm == &comm) unsent(m.destination, static_cast<int>(m.header.index), m.header.bytes);
        }
    }

    // From now on the rings of the communicator are emptied during waits; and no more, its messages forgotten.
    void watch(Communicator& comm) { watched_.push_back(&comm); }
    void abandon(Communicator& comm);
    // Drops what waits for a credit and empties no rings any more, so that nothing is written to other ranks: nobody
    // receives on the communicator any more.
    void withdraw(Communicator& comm);

private:
    struct Unexpected {
        int source;
        AnyHeader header;
        std::vector<std::byte> payload;  // when it came in the cell
    };
    // A message in this rank's memory: the done word, a line further the payload.
    struct Outgoing {
        Communicator* comm = nullptr;
        int destination = 0;
        AnyHeader header{};
        Offset block = kNoOffset;
        bool in_send_buffer = false;
    };

    void progress() override;
    void take_part();
    bool has_credit(Communicator& comm, int destination);
    bool waits_for_credit(const Communicator& comm, int destination) const;
    void put(Communicator& comm, int destination, const AnyHeader& header, const void* data);
    bool collect(Communicator& comm);
    bool take_match(Communicator& comm, int index, void* buffer, std::size_t capacity, bool& truncated);
    void release(const Outgoing& message);
    bool is_done(const Outgoing& message) const;
    Offset take_from_buffer(std::size_t bytes);
    Outgoing copy_to(Offset block, Communicator& comm, int destination, int index, const void* data, std::size_t bytes);
    Outgoing store(Communicator& comm, int destination, int index, const void* data, std::size_t bytes);

    Node* node_;
    SendBuffer* buffer_;
    Sender* sender_;  // which shares the send buffer
    Receiver* receiver_;
    bool takes_part_ = false;
    std::vector<Communicator*> watched_;
    std::map<const Communicator*, std::list<Unexpected>> unexpected_;
    std::map<const Communicator*, int> next_source_;  // where the next collection begins, so that no source starves
    std::vector<Outgoing> outgoing_;                  // sent, not yet taken
    std::deque<Outgoing> waiting_;                    // in the send buffer, waiting for credits
};

}  // namespace fmpl
