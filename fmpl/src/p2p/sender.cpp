#include "p2p/sender.hpp"

#include "crossbar/scoped_flag.hpp"
#include "error.hpp"

namespace fmpl {

void Sender::prepare(
    Request& op, Communicator& comm, int destination, int index, const Message& message, bool is_offered)
{
    SendChannel& channel = comm.send_channel(destination, index);
    op.owner = this;
    op.comm = &comm;
    op.channel = &channel;
    op.message = message;
    op.destination = destination;
    op.index = index;
    op.addressable = message.in_one_piece() && message.in_arena(node_->crossbar);
    if (is_offered) {
        op.in_lane = true;
        op.state = SendOperation::State::offered;
    } else {
        ++channel.sent;
        ++comm.pair(destination).order;
    }
    op.number = channel.sent;
    op.order = comm.pair(destination).order;
}

WaitFor Sender::waiting_for(const SendOperation& op, std::uint64_t deadline_ns) const
{
    return {node_->call, op.node(), op.index, op.comm->size(), op.message.bytes(), deadline_ns};
}

void Sender::send_longer(
    Communicator& comm, int destination, int index, const void* data, std::size_t bytes, bool may_spool)
{
    send_longer(comm, destination, index, Message(data, bytes), may_spool);
}

void Sender::send_longer(Communicator& comm, int destination, int index, const Message& message, bool may_spool)
{
    bool is_offered = false;
    if (may_offer_in_lane(end_, comm, destination, index, message.bytes())) [[likely]] {
        const lane_offer::Outcome offer = lane_offer::send(end_, comm, destination, index, message, copied_);
        if (offer == lane_offer::Outcome::taken) return;
        is_offered = offer == lane_offer::Outcome::left;
    }
    send_slowly(comm, destination, index, message, may_spool, is_offered);
}

void Sender::send_slowly(
    Communicator& comm, int destination, int index, const Message& message, bool may_spool, bool is_offered)
{
    SendChannel& channel = comm.send_channel(destination, index);
    if (channel.request != nullptr) {
        fail(FMPL_ERR_BUSY, "an fmpl_isend to rank {} over index {} is outstanding; call fmpl_isend_wait first",
            destination, index);
    }
    const ScopedFlag sending(&channel.sending);
    Request op;
    prepare(op, comm, destination, index, message, is_offered);
    op.prefers_copy = prefers_copy(op, copied_.is_in_use);
    const ScopedFlag copying(op.prefers_copy ? &copied_.is_in_use : nullptr);
    if (may_spool && buffer_->enabled() && send_or_spool(op)) return;
    node_->wait([&] { return progress(op); }, waiting_for(op));
}

// Within the time-out, or from the send buffer. false: that is full, or the destination is taking the message this very
// moment.
bool Sender::send_or_spool(SendOperation& op)
{
    op.may_pipe = false;
    const auto timeout_ms = static_cast<std::uint64_t>(buffer_->timeout_ms());
    if (timeout_ms == 0 ? send_at_once(op) : progress(op)) return true;
    if (timeout_ms > 0) {
        const std::uint64_t deadline_ns = monotonic_ns() + timeout_ms * 1'000'000;
        node_->wait([&] { return progress(op) || waits_in_vain(end_, op); }, waiting_for(op, deadline_ns));
        if (op.state == SendOperation::State::done) return true;
    }
    if (spooled::spool(end_, op)) return true;
    op.may_pipe = true;
    return false;
}

// Without a wait for its turn or its receive, unless that is worth it; whether the message is on its way.
bool Sender::send_at_once(SendOperation& op)
{
    if (op.in_lane) return progress(op);
    if (end_.consumed(op) + 1 < op.number) return false;
    if (op.message.bytes() <= kInlineBytes) return progress(op);
    if (op.is_posted() && move_to_posted(op)) return true;
    const std::uint64_t wait_ns = worth_waiting_ns(end_, op);
    if (wait_ns == 0) return false;
    const std::uint64_t deadline_ns = monotonic_ns() + wait_ns;
    bool done = false;
    node_->waiter.spin([&] {
        const bool is_posted = op.is_posted();
        done = is_posted && move_to_posted(op);
        return is_posted || monotonic_ns() >= deadline_ns;
    });
    return done;
}

void Sender::isend(Communicator& comm, int destination, int index, const void* data, std::size_t bytes)
{
    SendChannel& channel = comm.send_channel(destination, index);
    if (channel.request != nullptr) {
        fail(FMPL_ERR_BUSY, "an fmpl_isend to rank {} over index {} is outstanding already; call fmpl_isend_wait first",
            destination, index);
    }
    if (channel.sending) {
        fail(FMPL_ERR_BUSY, "an fmpl_send to rank {} over index {}, which this function was called from, goes first",
            destination, index);
    }
    Request& op = *requests_.take();
    prepare(op, comm, destination, index, {data, bytes});
    channel.request = &op;
    op.may_pipe = !may_stage(op.message);
    if (progress(op)) return;
    // What follows serves one end: that the transfer, where possible, needs no further call by this rank.
    const Way way = choose_unattended_way(op);
    if (way == Way::chained && spooled::chain(end_, op)) return;
    if (way == Way::staged && spooled::stage(end_, op)) return;
    op.may_pipe = true;
    op.under_way = true;
    node_->add_busy(op);
}

void Sender::isend_wait(Communicator& comm, int destination, int index)
{
    SendChannel& channel = comm.send_channel(destination, index);
    Request& op = outstanding(channel, destination, index);
    node_->wait([&] { return progress(op); }, waiting_for(op));
    end_request(comm, channel, destination, index);
}

bool Sender::isend_test(Communicator& comm, int destination, int index)
{
    SendChannel& channel = comm.send_channel(destination, index);
    Request& op = outstanding(channel, destination, index);
    if (!progress(op)) {
        node_->progress_in_passing();
        return false;
    }
    end_request(comm, channel, destination, index);
    return true;
}

Sender::Request& Sender::outstanding(const SendChannel& channel, int destination, int index)
{
    if (channel.request == nullptr) {
        fail(FMPL_ERR_NO_REQUEST, "no fmpl_isend to rank {} over index {} is outstanding", destination, index);
    }
    return static_cast<Request&>(*channel.request);
}

void Sender::end_request(Communicator& comm, SendChannel& channel, int destination, int index)
{
    auto* const op = static_cast<Request*>(std::exchange(channel.request, nullptr));
    end_.reclaim(channel, end_.known_consumed(comm, destination, index, channel));
    requests_.give_back(op);
}

bool Sender::progress(SendOperation& op)
{
    using enum SendOperation::State;
    switch (op.state) {
        case queued:
            if (end_.consumed(op) + 1 < op.number) return false;
            if (op.message.bytes() > kInlineBytes) return go_on(op);
            write_short(*op.comm, op.destination, op.index, op.message.data(), op.message.bytes(), op.number, op.order);
            break;
        case held:
            return go_on(op);
        case offered:
            if (end_.consumed(op) < op.number) return go_on(op);
            break;
        case sharing:
            if (!shared::go_on(end_, op)) return false;
            break;
        case piping:
            piped::fill(end_, op);
            [[fallthrough]];
        case chained:
            if (end_.consumed(op) < op.number) return false;
            break;
        case done:
            return true;
    }
    end_.finish(op);
    return true;
}

// The next move with a message whose turn has come: all before it are consumed.
bool Sender::go_on(SendOperation& op)
{
    // Looked at once: a receive that is posted stays until it is served.
    const bool is_posted = op.is_posted();
    if (is_posted && move_to_posted(op)) {
        end_.finish(op);
        return true;
    }
    switch (choose_way(op, is_posted)) {
        case Way::offered:
            offered::publish(end_, op, node_->crossbar.offset_of(op.message.data()));
            return false;
        case Way::copied:
            if (const Offset at = copied_.copy(*node_, op.message); at != kNoOffset) {
                offered::publish(end_, op, at);
                return false;
            }
            op.prefers_copy = false;
            [[fallthrough]];
        case Way::held:
            // Announce the message; the receive, once posted, says how it goes on.
            end_.publish_head(op, MessageKind::held, kNoOffset);
            op.state = SendOperation::State::held;
            return go_on(op);
        case Way::piped:
            if (piped::start(end_, op)) piped::fill(end_, op);
            return false;
        default:
            return false;
    }
}

// To the buffer of a receive that is posted, if it can be addressed; a message that is on offer must be claimed first.
bool Sender::move_to_posted(SendOperation& op)
{
    posted::Receive receive = posted::look(op);
    // Only an offer of this rank's can be claimed, so a wish for help read after `posted` is for this message.
    if (receive.columns == kHelpWanted) op.claim_lost = true;
    const Way way = choose_way_to(end_, op, receive);
    if (way == Way::none) return false;
    // A rank that the end of the job has made leave its call may have given its buffer up.
    if (PrivateMemory::is_private(receive.at)) node_->waiter.check_abort();
    if (way == Way::helped) return shared::help(end_, op, receive.at);
    if (op.state == SendOperation::State::offered) {
        if (!end_.claim(op)) {
            op.claim_lost = true;  // the destination is taking it, and may have posted its next receive meanwhile
            return false;
        }
        receive = posted::look(op);  // the message is this rank's to move: the receive is the one for it, and stays
    }
    if (way == Way::shared) return shared::begin(end_, op, receive.at);
    posted::move(end_, op, receive);
    return true;
}

void Sender::set_buffer(void* buffer, std::size_t bytes, int timeout_ms)
{
    end_.reclaim();
    if (buffer_->messages() != 0) {
        fail(FMPL_ERR_BUSY, "{} messages lie in the present send buffer; wait until their receivers have taken them",
            buffer_->messages());
    }
    buffer_->set(buffer, bytes, timeout_ms);
}

void Sender::check_buffer(int* left, int* waiting)
{
    node_->progress();
    end_.reclaim();
    const int departed = buffer_->take_departed();
    if (left != nullptr) *left = departed;
    if (waiting != nullptr) *waiting = static_cast<int>(buffer_->messages());
}

}  // namespace fmpl
