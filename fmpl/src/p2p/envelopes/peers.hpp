// What a rank keeps of each other one, and how two ranks come to know each other: from the first envelope in either
// direction on. The source of a pair's first envelope then backs what it writes at the destination, and opens its
// door; room for bodies it backs as they need it.
#pragma once

#include "p2p/envelopes/block.hpp"
#include "p2p/envelopes/pair_cell.hpp"
#include "p2p/offers.hpp"
#include "p2p/zeroed_table.hpp"

#include <deque>
#include <vector>

namespace fmpl {

// The way to one destination, all zeros before the first envelope in either direction.
struct Outbox {
    OutgoingRing ring;
    EnvelopeCell* pair_cell = nullptr;  // when it is this rank's turn to write it
    Offset counted = kNoOffset;         // its door for this rank where it counts, else kNoOffset
    EnvelopeClaim* claim = nullptr;     // of what is lent to it, when it is mapped
    OfferBackOff lending{};
};

// What a poll looks at: where the next envelope of a source will be. Small, since many are looked at.
struct Inbox {
    std::uint64_t number;  // of that envelope; 0: the two have not been introduced
    EnvelopeCell* next;    // in the ring
    int source;
    AwaitedAnswer answer;  // in the pair cell
};

// The rest of what is kept of a source.
struct Source {
    IncomingRing ring;
    EnvelopeClaim* claim;  // of what the source lends
};

class EnvelopePeers {
public:
    EnvelopePeers(Node& node, const EnvelopeBlocks& blocks) : node_(&node), blocks_(&blocks) {}

    // When all blocks are known.
    void open();
    void close();

    // The number of ranks; 0 when it is not open.
    std::size_t size() const { return outboxes_.size(); }
    Outbox& outbox(int peer) { return outboxes_[static_cast<std::size_t>(peer)]; }
    const Outbox& outbox(int peer) const { return outboxes_[static_cast<std::size_t>(peer)]; }
    Inbox& inbox(int peer) { return inboxes_[static_cast<std::size_t>(peer)]; }
    Source& source(int peer) { return sources_[static_cast<std::size_t>(peer)]; }
    const Source& source(int peer) const { return sources_[static_cast<std::size_t>(peer)]; }

    // The inbox of a rank that may not be known yet.
    Inbox& introduced(int peer)
    {
        Inbox& known = inbox(peer);
        if (known.number == 0) [[unlikely]]
            introduce(peer);
        return known;
    }
    // Before the first envelope to the destination: backs what this rank writes there, and opens its door. false: there
    // is no such way, or no memory for it, and then the job is ending.
    bool open_way(int destination);
    // The same for the body that is reserved, and some more that may lie behind it.
    bool back_body(int destination);

private:
    void introduce(int peer);
    template <class Back>
    bool backs(int destination, Back&& back);

    Node* node_;
    const EnvelopeBlocks* blocks_;
    // By rank, with this rank's own, which are unused.
    ZeroedTable<Outbox> outboxes_;
    ZeroedTable<Inbox> inboxes_;
    ZeroedTable<Source> sources_;
    std::deque<std::vector<BodyLine>> stagings_;
};

}  // namespace fmpl
