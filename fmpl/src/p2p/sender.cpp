#include "p2p/sender.hpp"

#include "crossbar/scoped_flag.hpp"
#include "error.hpp"

#include <algorithm>

namespace fmpl {
void SendRequest::progress()
{
    sender->step(*this);
}

void Sender::prepare(SendRequest& op, Communicator& comm, SendChannel& channel, int destination, int index,
    const Message& message, bool is_offered)
{
    op.sender = this;
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

// Tells in the lane where the message lies, if that is possible and promises something.
lane_offer::Outcome Sender::offer_in_lane(
    Communicator& comm, SendChannel& channel, int destination, int index, const Message& message)
{
    using enum lane_offer::Outcome;
    // A short message, which no receive needs to be ready for, was only not first just now.
    if (message.bytes() <= kInlineBytes || message.bytes() >= kSharedBytes) return none;
    if (comm.peer(destination).lane_to == nullptr || !node_->helps() || node_->has_busy()) return none;
    if (channel.request != nullptr || !end_.idle(comm, destination, index, channel)) return none;
    if (!end_.lane_is_free(comm, destination) || !channel.offers.is_worth_it()) return none;
    return lane_offer::send(end_, comm, channel, destination, index, message, copied_);
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
    SendChannel& channel = comm.send_channel(destination, index);
    const lane_offer::Outcome offer = offer_in_lane(comm, channel, destination, index, message);
    if (offer == lane_offer::Outcome::taken) [[likely]]
        return;
    send_slowly(comm, channel, destination, index, message, may_spool, offer == lane_offer::Outcome::left);
}

void Sender::send_slowly(Communicator& comm, SendChannel& channel, int destination, int index, const Message& message,
    bool may_spool, bool is_offered)
{
    if (channel.request != nullptr) {
        fail(FMPL_ERR_BUSY, "an fmpl_isend to rank {} over index {} is outstanding; call fmpl_isend_wait first",
            destination, index);
    }
    const ScopedFlag sending(&channel.sending);
    SendRequest op;
    prepare(op, comm, channel, destination, index, message, is_offered);
    const bool may_copy = !op.addressable && message.bytes() <= kCopiedBytes && !copied_.is_in_use;
    op.prefers_copy = may_copy && (message.in_one_piece() || is_offered);
    const ScopedFlag copying(op.prefers_copy ? &copied_.is_in_use : nullptr);
    if (may_spool && buffer_->enabled()) {
        op.may_pipe = false;
        const auto timeout_ms = static_cast<std::uint64_t>(buffer_->timeout_ms());
        if (timeout_ms == 0) {
            // At once, or from the send buffer.
            const bool first = end_.consumed(op) + 1 == op.number;
            if (first && message.bytes() <= kInlineBytes) {
                begin(op);
                return;
            }
            if (is_offered ? step(op) : first && push_soon(op)) return;
            if (spooled::spool(end_, op)) return;
        } else {
            if (step(op)) return;
            const std::uint64_t deadline_ns = monotonic_ns() + timeout_ms * 1'000'000;
            // A posted receive whose buffer cannot be addressed ends the wait for one as well.
            const auto served = [&] {
                if (step(op)) return true;
                const bool is_copied =
                    op.state == SendOperation::State::offered && (op.prefers_copy || !message.in_one_piece());
                return (op.state == SendOperation::State::held || is_copied) && op.is_posted() &&
                       !(is_copied && is_patient(op));
            };
            node_->wait(served, waiting_for(op, deadline_ns));
            if (op.state == SendOperation::State::done || spooled::spool(end_, op)) return;
        }
        // The send buffer is full, or the destination is taking the message this very moment.
        op.may_pipe = true;
    }
    node_->wait([&] { return step(op); }, waiting_for(op));
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
    SendRequest& op = *requests_.take();
    prepare(op, comm, channel, destination, index, {data, bytes});
    channel.request = &op;
    op.may_pipe = bytes > kStageBytes;
    if (step(op)) return;
    // What follows serves one end: that the transfer, where possible, needs no further call by this rank.
    const bool is_queued = op.state == SendOperation::State::queued;
    if (is_queued && op.addressable) {
        if (spooled::chain(end_, op)) return;
    } else if ((is_queued || op.state == SendOperation::State::held) && spooled::stage(end_, op)) {
        return;
    }
    op.may_pipe = true;
    op.under_way = true;
    node_->add_busy(op);
}

void Sender::isend_wait(Communicator& comm, int destination, int index)
{
    SendChannel& channel = comm.send_channel(destination, index);
    SendRequest& op = outstanding(channel, destination, index);
    node_->wait([&] { return step(op); }, waiting_for(op));
    end_request(comm, channel, destination, index);
}

bool Sender::isend_test(Communicator& comm, int destination, int index)
{
    SendChannel& channel = comm.send_channel(destination, index);
    SendRequest& op = outstanding(channel, destination, index);
    if (!step(op)) {
        node_->progress_in_passing();
        return false;
    }
    end_request(comm, channel, destination, index);
    return true;
}

SendRequest& Sender::outstanding(const SendChannel& channel, int destination, int index)
{
    if (channel.request == nullptr) {
        fail(FMPL_ERR_NO_REQUEST, "no fmpl_isend to rank {} over index {} is outstanding", destination, index);
    }
    return static_cast<SendRequest&>(*channel.request);
}

void Sender::end_request(Communicator& comm, SendChannel& channel, int destination, int index)
{
    auto* const op = static_cast<SendRequest*>(std::exchange(channel.request, nullptr));
    end_.reclaim(channel, end_.known_consumed(comm, destination, index, channel));
    requests_.give_back(op);
}

bool Sender::step(SendOperation& op)
{
    switch (op.state) {
        case SendOperation::State::queued:
            if (end_.consumed(op) + 1 < op.number) return false;
            return begin(op);
        case SendOperation::State::held:
            return serve_posted(op);
        case SendOperation::State::offered:
            if (end_.consumed(op) >= op.number || push_if_posted(op)) end_.finish(op);
            break;
        case SendOperation::State::sharing:
            if (shared::go_on(end_, op)) end_.finish(op);
            break;
        case SendOperation::State::piping:
            piped::fill(end_, op);
            if (end_.consumed(op) >= op.number) end_.finish(op);
            break;
        case SendOperation::State::chained:
            if (end_.consumed(op) >= op.number) end_.finish(op);
            break;
        case SendOperation::State::done:
            break;
    }
    return op.state == SendOperation::State::done;
}

// The message's turn has come: all before it are consumed.
bool Sender::begin(SendOperation& op)
{
    if (op.message.bytes() <= kInlineBytes) {
        write_short(*op.comm, op.destination, op.index, op.message.data(), op.message.bytes(), op.number, op.order);
        end_.finish(op);
        return true;
    }
    if (push_if_posted(op)) {
        end_.finish(op);
        return true;
    }
    if (op.state == SendOperation::State::sharing) return false;
    const Offset at = op.addressable    ? node_->crossbar.offset_of(op.message.data())
                      : op.prefers_copy ? copied_.copy(*node_, op.message)
                                        : kNoOffset;
    if (at != kNoOffset) {
        offered::publish(end_, op, at);
        return false;
    }
    op.prefers_copy = false;
    // Announce the message; the receive, once posted, says how it goes on.
    end_.publish_head(op, MessageKind::held, kNoOffset);
    op.state = SendOperation::State::held;
    return serve_posted(op);
}

// A held message: straight into the posted buffer, or by pieces when that cannot be addressed.
bool Sender::serve_posted(SendOperation& op)
{
    // Looked at once: a receive that is posted stays until it is served.
    if (!op.is_posted()) return false;
    if (push_if_posted(op)) {
        end_.finish(op);
        return true;
    }
    if (op.state == SendOperation::State::held && op.may_pipe && piped::start(end_, op)) piped::fill(end_, op);
    return false;
}

// Moves the message to the posted buffer, if there is one that can be addressed; a message that is on offer must be
// claimed first.
bool Sender::push_if_posted(SendOperation& op)
{
    if (!op.is_posted()) return false;
    posted::Receive receive = posted::look(op);
    const bool is_private = PrivateMemory::is_private(receive.at);
    if (op.prefers_copy && is_private && is_patient(op)) return false;
    // A rank that the end of the job has made leave its call may have given its buffer up.
    if (is_private) node_->waiter.check_abort();
    // Only an offer of this rank's can be claimed, so an invitation read after `posted` is for this message.
    if (receive.columns == kInvitation) op.claim_lost = true;
    // One that it has claimed in the lane it copies alone.
    if (op.claim_lost) return !op.in_lane && shared::help(end_, op, receive.at);
    if (op.message.bytes() <= receive.capacity && !reaches(op, receive.at)) return false;
    if (op.state == SendOperation::State::offered) {
        if (!end_.claim(op)) {
            op.claim_lost = true;  // the destination is taking it, and may have posted its next receive meanwhile
            return false;
        }
        receive =
            posted::look(op);  // the message is this rank's to move: the posted receive is the one for it and stays
    }
    if (op.message.bytes() <= receive.capacity && receive.columns == kNoOffset && shares(op, receive.at)) {
        return shared::begin(end_, op, receive.at);
    }
    posted::move(end_, op, receive);
    return true;
}

// Writes the message into the posted buffer if that is or comes soon: copying it to the send buffer takes the time as
// well, and a second copy then. So what is waited at most is what the copy would take. Whether the message is on its
// way.
bool Sender::push_soon(SendOperation& op)
{
    if (push_if_posted(op)) return true;
    const bool worth_it = op.message.bytes() >= kPushSoonBytes && node_->helps() && op.node() != node_->rank();
    if (op.state != SendOperation::State::queued || !worth_it) return false;
    const std::uint64_t deadline_ns = monotonic_ns() + op.message.bytes() / kSpoolBytesPerNs;
    bool done = false;
    node_->waiter.spin([&] {
        if (op.is_posted()) {
            done = push_if_posted(op);
            return true;
        }
        return monotonic_ns() >= deadline_ns;
    });
    return done;
}

// Whether the destination may copy a part of the message, straight to the posted buffer; else this rank moves it alone.
bool Sender::shares(const SendOperation& op, Offset to) const
{
    if (!op.message.in_one_piece() || !node_->crossbar.maps(op.node())) return false;
    const bool to_private = PrivateMemory::is_private(to);
    const std::size_t bytes = op.message.bytes();
    if (op.addressable && !to_private) return node_->helps() && bytes >= kSharedBytes;
    if (bytes < kSharedPrivateBytes || !node_->private_memory.reaches(op.node())) return false;
    return node_->helps() || (!op.addressable && to_private);
}

// Whether this rank can write to the posted buffer.
bool Sender::reaches(const SendOperation& op, Offset to) const
{
    return to != kNoOffset && (!PrivateMemory::is_private(to) || shares(op, to));
}

// Whether the destination's private buffer is left to it for a while, since it may take the copy, or a spooled one, sooner.
bool Sender::is_patient(SendOperation& op) const
{
    if (op.state == SendOperation::State::queued) return true;
    if (op.patient_until_ns == 0) op.patient_until_ns = monotonic_ns() + kPatienceNs;
    return monotonic_ns() < op.patient_until_ns && !node_->waiter.is_last_look();
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
