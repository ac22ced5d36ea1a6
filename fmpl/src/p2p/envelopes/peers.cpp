#include "p2p/envelopes/peers.hpp"

#include "crossbar/abort.hpp"
#include "error.hpp"

#include <algorithm>

namespace fmpl {

void EnvelopePeers::open()
{
    const auto ranks = static_cast<std::size_t>(node_->crossbar.nodes());
    inboxes_ = ZeroedTable<Inbox>(ranks);
    sources_ = ZeroedTable<Source>(ranks);
    outboxes_ = ZeroedTable<Outbox>(ranks);
}

void EnvelopePeers::close()
{
    outboxes_ = {};
    inboxes_ = {};
    sources_ = {};
}

void EnvelopePeers::introduce(int peer)
{
    const Crossbar& crossbar = node_->crossbar;
    const int me = crossbar.node();
    Outbox& out = outbox(peer);
    out.ring.mapped = crossbar.mapped(peer, 0);
    out.ring.cells = blocks_->cells(peer, me);
    out.ring.bodies = blocks_->bodies(peer, me);
    const std::int32_t cpu = crossbar.record(me).cpu;
    out.ring.crosses_cores = cpu < 0 || cpu != crossbar.record(peer).cpu;
    EnvelopeCell* pair_cell = nullptr;
    if (out.ring.mapped == nullptr) {
        out.ring.staging = stagings_.emplace_back(blocks_->layout().sizes().body_lines / 4).data();
    } else {
        pair_cell = reinterpret_cast<EnvelopeCell*>(out.ring.mapped + blocks_->pair_cell(me, peer));
        out.claim = reinterpret_cast<EnvelopeClaim*>(out.ring.mapped + blocks_->claim(peer, me));
        if (me > peer) out.pair_cell = std::exchange(pair_cell, nullptr);
    }
    auto* const cells = reinterpret_cast<EnvelopeCell*>(crossbar.local(blocks_->cells(me, peer)));
    inbox(peer) = {1, cells + 1, peer, {pair_cell, 0}};
    Source& from = source(peer);
    from.ring.cells = cells;
    from.ring.bodies = reinterpret_cast<const BodyLine*>(crossbar.local(blocks_->bodies(me, peer)));
    from.ring.credit = blocks_->credit(peer, me);
    from.claim = reinterpret_cast<EnvelopeClaim*>(crossbar.local(blocks_->claim(me, peer)));
}

bool EnvelopePeers::open_way(int destination)
{
    const int me = node_->rank();
    if (destination == me) return false;
    introduced(destination);
    Outbox& out = outbox(destination);
    const Offset credit = blocks_->credit(me, destination);
    const bool backed = backs(destination, [&] {
        node_->tables.back(out.ring.cells, blocks_->layout().cells_bytes());
        node_->tables.back(blocks_->claim(destination, me), sizeof(EnvelopeClaim));
        node_->tables.back(credit, sizeof(EnvelopeCredit));
        node_->tables.back(blocks_->pair_cell(me, destination), sizeof(EnvelopeCell));
    });
    if (!backed) return false;
    const Offset door = blocks_->door(destination, me);
    if (blocks_->counts(destination)) {
        out.counted = door;
    } else {
        node_->crossbar.write_flag(destination, door, 1);  // pairs with Doors::has_more()
    }
    out.ring.credit = &reinterpret_cast<EnvelopeCredit*>(node_->crossbar.local(credit))->taken;
    return true;
}

bool EnvelopePeers::back_body(int destination)
{
    // As much as a pair of few messages needs, and all when a first lap comes to its end: new pages take long.
    constexpr std::uint32_t kFirst = kRewrittenBytes / kLine;
    OutgoingRing& ring = outbox(destination).ring;
    const std::uint32_t end = ring.body_at + RingSizes::lines_of(ring.body_bytes);
    const std::uint32_t all = blocks_->layout().sizes().body_lines;
    const std::uint32_t more = end <= kFirst ? std::min(kFirst, all) : all;
    const bool backed = backs(destination, [&] {
        node_->tables.back(
            ring.bodies + std::size_t{ring.backed_lines} * kLine, std::size_t{more - ring.backed_lines} * kLine);
    });
    if (backed) ring.backed_lines = more;
    return backed;
}

// A rank that has no memory to send with ends the job: whoever waits for what it would have sent waits in vain.
template <class Back>
bool EnvelopePeers::backs(int destination, Back&& back)
{
    try {
        back();
        return true;
    } catch (const Error& error) {
        abort_job(node_->crossbar.control(), node_->rank(), FMPL_ERR_MEMORY,
            fmt::format("no memory for messages to rank {}: {}", destination, error.what()));
        return false;
    }
}

}  // namespace fmpl
