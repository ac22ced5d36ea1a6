#include "p2p/envelopes.hpp"

#include "error.hpp"

namespace fmpl {

Offset Envelopes::make(std::size_t body_bytes)
{
    const Crossbar& crossbar = node_->crossbar;
    cells_ = envelope_cells(crossbar.nodes());
    body_lines_ = static_cast<std::uint32_t>(body_bytes / kLine);
    const std::size_t bytes = bodies_in(0, others());
    // A lone rank has no rings, and its block is a line so that there is one.
    block_ = node_->arena.allocate(std::max(bytes, kLine));
    std::memset(crossbar.local(block_), 0, bodies_in(0, 0));
    return block_;
}

void Envelopes::unmake()
{
    if (block_ != kNoOffset) node_->arena.free(block_);
    block_ = kNoOffset;
}

void Envelopes::connect(std::span<const Offset> blocks)
{
    const Crossbar& crossbar = node_->crossbar;
    const int me = crossbar.node();
    std::vector<Outbox> outboxes(blocks.size());
    for (int peer = 0; peer < crossbar.nodes(); ++peer) {
        if (peer == me) continue;
        const Offset theirs = blocks[static_cast<std::size_t>(peer)];
        // Mine among theirs, theirs among mine.
        const std::size_t there = place(me, peer);
        const std::size_t here = place(peer, me);
        Outbox& out = outboxes[static_cast<std::size_t>(peer)];
        out.mapped = crossbar.mapped(peer, 0);
        out.cells = cells_in(theirs, there);
        out.bodies = bodies_in(theirs, there);
        out.credit = &reinterpret_cast<EnvelopeCredit*>(crossbar.local(credit_in(block_, here)))->taken;
        out.inbox = inboxes_.size();
        EnvelopeCell* pair_cell = nullptr;
        if (out.mapped == nullptr) {
            out.staging.resize(body_lines_ / 4);
        } else {
            const Offset at = me < peer ? pair_cell_in(block_, me, peer) : pair_cell_in(theirs, peer, me);
            pair_cell = reinterpret_cast<EnvelopeCell*>(out.mapped + at);
            if (me > peer) out.pair_cell = std::exchange(pair_cell, nullptr);
        }
        const auto* const cells = reinterpret_cast<const EnvelopeCell*>(crossbar.local(cells_in(block_, here)));
        inboxes_.push_back({1, cells + 1, pair_cell, peer});
        sources_.push_back({cells, reinterpret_cast<const BodyLine*>(crossbar.local(bodies_in(block_, here))),
            credit_in(theirs, there)});
    }
    outboxes_ = std::move(outboxes);
}

void Envelopes::close()
{
    outboxes_.clear();
    asked_ = nullptr;
    inboxes_.clear();
    sources_.clear();
}

void Envelopes::write_remotely(
    const Outbox& out, int destination, Offset at, const void* head, std::uint64_t stamp) const
{
    const Crossbar& crossbar = node_->crossbar;
    if (out.body_bytes != 0) crossbar.write(destination, body_offset(out), out.staging.data(), out.body_bytes);
    const std::uint32_t body[2] = {out.body_at, out.body_bytes};
    crossbar.write(destination, at + offsetof(EnvelopeCell, body_at), body, sizeof body);
    crossbar.write(destination, at + offsetof(EnvelopeCell, head), head, FMPL_ENVELOPE_HEAD);
    crossbar.write_flag(destination, at + offsetof(EnvelopeCell, stamp), stamp);  // pairs with arrived()
}

// All up to `number` has been taken: the source may use the room again.
void Envelopes::return_credits(const Inbox& inbox, Source& source, std::uint32_t number) const
{
    source.returned = number;
    source.lines_returned = source.lines_taken;
    const int node = inbox.source;
    // Pairs with has_room().
    node_->crossbar.write_flag(
        node, source.credit + offsetof(EnvelopeCredit, taken), EnvelopeCount::make(number, source.lines_taken));
    node_->crossbar.wake(node);
}

void Envelopes::nothing_reserved(int destination) const
{
    fail(FMPL_ERR_ARGUMENT,
        "no envelope to rank {} is reserved; call fmpl_envelope_reserve first, and commit when it returns 1",
        destination);
}

}  // namespace fmpl
