#include "p2p/envelopes.hpp"

#include "crossbar/abort.hpp"
#include "error.hpp"

#include <cassert>

namespace fmpl {

Envelopes::Block Envelopes::make(std::size_t body_bytes)
{
    const int ranks = node_->crossbar.nodes();
    cells_ = envelope_cells(ranks);
    body_lines_ = static_cast<std::uint32_t>(body_bytes / kLine);
    counts_ = !node_->helps();
    const std::size_t bytes = envelope_block_bytes(ranks, body_bytes);
    assert(bytes == bodies_in(0, others()));
    // A lone rank has no rings.
    blocks_ = {{node_->tables.take(bytes), counts_ ? 1u : 0u}};
    return blocks_.front();
}

void Envelopes::unmake()
{
    if (!blocks_.empty()) node_->tables.give_back(blocks_.front().at);
    blocks_.clear();
}

void Envelopes::connect(std::vector<Block> blocks)
{
    blocks_ = std::move(blocks);
    const std::size_t ranks = blocks_.size();
    doors_ =
        reinterpret_cast<EnvelopeDoor*>(node_->crossbar.local(blocks_[static_cast<std::size_t>(node_->rank())].at));
    inboxes_ = ZeroedTable<Inbox>(ranks);
    sources_ = ZeroedTable<Source>(ranks);
    taken_ = ZeroedTable<std::uint64_t>(ranks);
    outboxes_ = ZeroedTable<Outbox>(ranks);
}

void Envelopes::close()
{
    outboxes_ = {};
    inboxes_ = {};
    sources_ = {};
    taken_ = {};
    asked_ = nullptr;
    known_.clear();
    counts_ = false;
    next_ = 0;
}

// What the rank keeps of another one, from the first envelope in either direction on.
void Envelopes::introduce(int peer)
{
    const Crossbar& crossbar = node_->crossbar;
    const int me = crossbar.node();
    const Offset ours = blocks_[static_cast<std::size_t>(me)].at;
    const Offset theirs = blocks_[static_cast<std::size_t>(peer)].at;
    // Mine among theirs, theirs among mine.
    const std::size_t there = place(me, peer);
    const std::size_t here = place(peer, me);
    Outbox& out = outboxes_[static_cast<std::size_t>(peer)];
    out.mapped = crossbar.mapped(peer, 0);
    out.cells = cells_in(theirs, there);
    out.bodies = bodies_in(theirs, there);
    EnvelopeCell* pair_cell = nullptr;
    if (out.mapped == nullptr) {
        out.staging = stagings_.emplace_back(body_lines_ / 4).data();
    } else {
        const Offset at = me < peer ? pair_cell_in(ours, me, peer) : pair_cell_in(theirs, peer, me);
        pair_cell = reinterpret_cast<EnvelopeCell*>(out.mapped + at);
        out.claim = reinterpret_cast<EnvelopeClaim*>(out.mapped + claim_in(theirs, there));
        if (me > peer) out.pair_cell = std::exchange(pair_cell, nullptr);
    }
    auto* const cells = reinterpret_cast<EnvelopeCell*>(crossbar.local(cells_in(ours, here)));
    inboxes_[static_cast<std::size_t>(peer)] = {1, cells + 1, pair_cell, peer, 0, 0};
    Source& source = sources_[static_cast<std::size_t>(peer)];
    source.cells = cells;
    source.bodies = reinterpret_cast<const BodyLine*>(crossbar.local(bodies_in(ours, here)));
    source.credit = credit_in(theirs, there);
    source.claim = reinterpret_cast<EnvelopeClaim*>(crossbar.local(claim_in(ours, here)));
}

// Before the first envelope to the destination: backs what this rank writes there, and opens its door. false: there
// is no such way, or no memory for it, and then the job is ending.
bool Envelopes::open(int destination)
{
    if (destination == node_->rank()) return false;
    introduced(destination);
    Outbox& out = outboxes_[static_cast<std::size_t>(destination)];
    const Block& theirs = blocks_[static_cast<std::size_t>(destination)];
    const std::size_t there = place(node_->rank(), destination);
    const std::size_t here = place(destination, node_->rank());
    const Offset ours = blocks_[static_cast<std::size_t>(node_->rank())].at;
    const bool backed = backs(destination, [&] {
        node_->tables.back(out.cells, (cells_ + 1) * sizeof(EnvelopeCell));
        node_->tables.back(claim_in(theirs.at, there), sizeof(EnvelopeClaim));
        node_->tables.back(credit_in(ours, here), sizeof(EnvelopeCredit));
        const bool is_ours = node_->rank() < destination;
        const int owner = is_ours ? node_->rank() : destination;
        const int other = is_ours ? destination : node_->rank();
        node_->tables.back(pair_cell_in(is_ours ? ours : theirs.at, owner, other), sizeof(EnvelopeCell));
    });
    if (!backed) return false;
    const Offset door = theirs.at + static_cast<Offset>(node_->rank()) * sizeof(EnvelopeDoor);
    if (theirs.counts != 0) {
        out.counted = door;
    } else {
        node_->crossbar.write_flag(destination, door, 1);  // pairs with look_at_doors()
    }
    out.credit = &reinterpret_cast<EnvelopeCredit*>(node_->crossbar.local(credit_in(ours, here)))->taken;
    return true;
}

// Before the first body to the destination.
bool Envelopes::back_bodies(Outbox& out, int destination)
{
    if (out.credit == nullptr && !open(destination)) return false;
    out.has_bodies =
        backs(destination, [&] { node_->tables.back(out.bodies, std::size_t{body_lines_} * sizeof(BodyLine)); });
    return out.has_bodies;
}

// A rank that has no memory to send with ends the job: whoever waits for what it would have sent waits in vain.
template <class Back>
bool Envelopes::backs(int destination, Back&& back)
{
    try {
        back();
        return true;
    } catch (const Error& error) {
        abort_job(node_->crossbar.control(), node_->rank(), FMPL_ERR_MEMORY,
            fmt::format("no memory for the first message to rank {}: {}", destination, error.what()));
        return false;
    }
}

void Envelopes::look_at_doors()
{
    for (std::size_t source = 0; source < taken_.size(); ++source) {
        // acquire: pairs with open()
        if (doors_[source].word.load(std::memory_order_acquire) == taken_[source]) continue;
        known_.push_back(&introduced(static_cast<int>(source)));
        taken_[source] = 1;
    }
}

void Envelopes::write_remotely(
    const Outbox& out, int destination, Offset at, const void* head, std::uint64_t stamp) const
{
    const Crossbar& crossbar = node_->crossbar;
    if (out.body_bytes != 0) crossbar.write(destination, body_offset(out), out.staging, out.body_bytes);
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
    if (&cell == out.pair_cell)
        end_turn(out, destination).asked_at = 0;  // what the answer waits for is the destination's copy
    out.last_lines = 0;
    write_cell(cell, static_cast<std::uint32_t>(lent), static_cast<std::uint32_t>(lent >> 32), head, stamp);
    count_at_door(out, destination, number);
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
