#include "p2p/envelopes/envelopes.hpp"

#include "error.hpp"

namespace fmpl {

EnvelopeBlock Envelopes::make(std::size_t body_bytes)
{
    return blocks_.make(node_->tables, node_->crossbar.nodes(), body_bytes, !node_->each_has_a_cpu());
}

void Envelopes::connect(std::vector<EnvelopeBlock> blocks)
{
    blocks_.connect(std::move(blocks));
    auto* const doors = reinterpret_cast<EnvelopeDoor*>(node_->crossbar.local(blocks_.doors(node_->rank())));
    doors_.open(doors, static_cast<std::size_t>(node_->crossbar.nodes()), blocks_.counts(node_->rank()));
    peers_.open();
}

void Envelopes::close()
{
    peers_.close();
    doors_.close();
    pair_cells_.forget();
    known_.clear();
    order_.restart();
}

void Envelopes::look_at_doors()
{
    doors_.for_each_new([&](int source) { known_.push_back(&peers_.introduced(source)); });
}

bool Envelopes::lend_at(Outbox& out, int destination, const void* head, Offset at, std::size_t bytes)
{
    const std::uint64_t number = ++out.ring.sent;
    const std::uint64_t stamp = EnvelopeStamp::make(number, node_->rank(), destination) | EnvelopeStamp::kLent;
    const std::uint64_t lent = LentBody::make(at, bytes);
    EnvelopeCell& cell = out.pair_cell != nullptr ? *out.pair_cell : out.ring.cell(sizes(), number);
    if (&cell == out.pair_cell) {
        AwaitedAnswer& answer = peers_.inbox(destination).answer;
        pair_cells_.end_turn(out.pair_cell, answer);
        answer.asked_at = 0;  // what the answer waits for is the destination's copy
        out.ring.without_body();
        out.ring.ask();
    }
    out.ring.last_lines = 0;
    cell.write(static_cast<std::uint32_t>(lent), static_cast<std::uint32_t>(lent >> 32), head, stamp);
    count_at_door(node_->crossbar, destination, out.counted, number);
    node_->crossbar.wake(destination);
    const bool is_returned = Loan(cell, stamp).await_return(*node_, *out.claim, number, destination, bytes);
    if (is_returned) {
        out.lending.has_succeeded();
    } else {
        out.lending.was_in_vain();
    }
    return is_returned;
}

// Not into the pair cell, which the destination may answer in while it is written here.
void Envelopes::send_in_steps(int destination, const void* head, const std::byte* from)
{
    Outbox& out = peers_.outbox(destination);
    OutgoingRing& ring = out.ring;
    ring.reserved = false;
    const std::uint64_t number = ++ring.sent;
    const std::uint64_t stamp = EnvelopeStamp::make(number, node_->rank(), destination);
    EnvelopeCell& cell = ring.cell(sizes(), number);
    auto* const body = static_cast<std::byte*>(ring.body());
    const BodySteps steps(ring.body_bytes);
    const auto copy_step = [&](std::size_t step) {
        ring.copies.copy(
            body + steps.begin_of(step), from + steps.begin_of(step), steps.begin_of(step + 1) - steps.begin_of(step));
    };
    copy_step(0);
    cell.write(ring.body_at, ring.body_bytes, head, EnvelopeStamp::with_steps(stamp, 1));
    count_at_door(node_->crossbar, destination, out.counted, number);
    node_->crossbar.wake(destination);
    for (std::size_t step = 1; step < steps.count(); ++step) {
        copy_step(step);
        const bool is_last = step + 1 == steps.count();
        // release: pairs with ComingBody::bytes_there, and with holds() of a destination that comes later
        cell.stamp.store(is_last ? stamp : EnvelopeStamp::with_steps(stamp, step + 1), std::memory_order_release);
    }
    ring.use_lines(sizes());
}

void Envelopes::nothing_reserved(int destination) const
{
    fail(FMPL_ERR_ARGUMENT,
        "no envelope to rank {} is reserved; call fmpl_envelope_reserve first, and commit when it returns 1",
        destination);
}

}  // namespace fmpl
