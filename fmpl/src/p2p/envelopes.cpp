#include "p2p/envelopes.hpp"

#include "error.hpp"

#include <cassert>

namespace fmpl {

Offset Envelopes::make(std::size_t body_bytes)
{
    const Crossbar& crossbar = node_->crossbar;
    cells_ = envelope_cells(crossbar.nodes());
    body_lines_ = static_cast<std::uint32_t>(body_bytes / kLine);
    const std::size_t bytes = envelope_block_bytes(crossbar.nodes(), body_bytes);
    assert(bytes == bodies_in(0, others()));
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
            out.claim = reinterpret_cast<EnvelopeClaim*>(out.mapped + claim_in(theirs, there));
            if (me > peer) out.pair_cell = std::exchange(pair_cell, nullptr);
        }
        auto* const cells = reinterpret_cast<EnvelopeCell*>(crossbar.local(cells_in(block_, here)));
        inboxes_.push_back({1, cells + 1, pair_cell, peer});
        sources_.push_back({cells, reinterpret_cast<const BodyLine*>(crossbar.local(bodies_in(block_, here))),
            credit_in(theirs, there), reinterpret_cast<EnvelopeClaim*>(crossbar.local(claim_in(block_, here)))});
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

bool Envelopes::lend_at(Outbox& out, int destination, const void* head, Offset at, std::size_t bytes)
{
    const std::uint64_t number = ++out.sent;
    const std::uint64_t stamp = EnvelopeStamp::make(number, node_->rank(), destination) | EnvelopeStamp::kLent;
    const std::uint64_t lent = LentBody::make(at, bytes);
    EnvelopeCell& cell = out.pair_cell != nullptr ? *out.pair_cell : mapped_cell(out, cell_at(out, number));
    if (&cell == out.pair_cell) end_turn(out).asked_at = 0;  // what the answer waits for is the destination's copy
    out.last_lines = 0;
    write_cell(cell, static_cast<std::uint32_t>(lent), static_cast<std::uint32_t>(lent >> 32), head, stamp);
    node_->crossbar.wake(destination);
    // Returned, or answered. acquire: pairs with ~ReturnOfLoan and write_cell(), since when the body may be overwritten
    const auto is_returned = [&] { return cell.stamp.load(std::memory_order_acquire) != stamp; };
    constexpr std::uint32_t kLooksBetweenClocks = 8;
    std::uint64_t deadline_ns = 0;
    for (std::uint32_t looks = 1; !is_returned(); ++looks) {
        cpu_relax();
        if (looks % kLooksBetweenClocks != 0) continue;
        const std::uint64_t ns = monotonic_ns();
        if (deadline_ns == 0) {
            deadline_ns = ns + OfferChance::kClaimedSoonNs;
        } else if (ns >= deadline_ns) {
            if (claim(*out.claim, number)) {
                out.lending.was_left();
                return false;
            }
            // It is being copied.
            node_->waiter.wait(is_returned, {.call = Call::envelope_lend, .peer = destination, .bytes = bytes});
            break;
        }
    }
    out.lending.was_taken();
    return true;
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
