#include "p2p/channels.hpp"

#include "p2p/fmpl_call.hpp"

#include <algorithm>
#include <bit>

namespace fmpl::mpi {
namespace {

// FMPL's send of a short message (72 bytes, see fmpl.h) is complete before it is received, and then its channel would be
// used again by a message that a receive may match first. So short ones are made longer.
constexpr std::size_t kLeastBytes = 128;
constexpr std::size_t bytes_in_channel(std::size_t bytes)
{
    return std::max(bytes, kLeastBytes);
}

// The receiver gives the sender's operation back by this number.
std::uint64_t id_of(const SendOperation& operation)
{
    return reinterpret_cast<std::uintptr_t>(&operation);
}

}  // namespace

Channels::Channels(int ranks, Outbox& outbox)
    : outbox_(&outbox),
      destinations_(static_cast<std::size_t>(ranks)),
      arriving_(static_cast<std::size_t>(ranks) * kChannels)
{
}

void Channels::send(const Ref<SendOperation>& operation)
{
    MessageBuffer& buffer = operation->buffer;
    const std::size_t bytes = bytes_in_channel(buffer.bytes);
    if (buffer.bytes < bytes) {
        operation->lengthened = Scratch(bytes);
        std::byte* const data = operation->lengthened.data();
        std::fill(std::copy_n(buffer.data, buffer.bytes, data), data + bytes, std::byte{});
        buffer = MessageBuffer::piece(data, bytes);
    }
    operation->envelope.kind = EnvelopeKind::rendezvous;
    operation->envelope.waits = fmpl_is_remote_dma(buffer.data, bytes) == 0;
    if (operation->envelope.waits == 0) check_fmpl(fmpl_remote_place(buffer.data, bytes, &operation->envelope.place));
    operation->envelope.channel = kNoChannel;
    operation->envelope.send_id = id_of(*operation);
    Destination& destination = destinations_[static_cast<std::size_t>(operation->destination)];
    if (destination.free == 0 || !destination.waiting.empty()) {
        destination.waiting.push_back(operation);
    } else {
        take(operation, static_cast<std::uint16_t>(std::countr_zero(destination.free)));
    }
    outbox_->post(operation->destination, operation->envelope);
}

// The channel is the operation's from now on.
void Channels::take(const Ref<SendOperation>& operation, std::uint16_t channel)
{
    operation->envelope.channel = channel;
    destinations_[static_cast<std::size_t>(operation->destination)].free &= ~(std::uint32_t{1} << channel);
    if (operation->envelope.waits != 0) {
        waiting_.push_back(operation);
    } else {
        put(operation);
    }
}

void Channels::put(const Ref<SendOperation>& operation)
{
    const std::uint16_t channel = operation->envelope.channel;
    check_fmpl(
        fmpl_isend(operation->buffer.data, operation->buffer.bytes, operation->destination, channel, FMPL_COMM_WORLD));
    sends_.push_back(operation);
}

void Channels::ready(const Envelope& envelope)
{
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
        [&](const auto& operation) { return operation->envelope.send_id == envelope.send_id; });
    if (found == waiting_.end()) return;
    const Ref<SendOperation> operation = std::move(*found);
    waiting_.erase(found);
    put(operation);
}

bool Channels::test(SendOperation& operation)
{
    const std::uint16_t channel = operation.envelope.channel;
    int done = 0;
    check_fmpl(fmpl_isend_test(operation.destination, channel, FMPL_COMM_WORLD, &done));
    if (done == 0) return false;
    operation.lengthened = Scratch();
    operation.complete_with(Status::empty());
    Destination& destination = destinations_[static_cast<std::size_t>(operation.destination)];
    destination.free |= std::uint32_t{1} << channel;
    if (!destination.waiting.empty()) {
        const Ref<SendOperation> next = std::move(destination.waiting.front());
        destination.waiting.pop_front();
        take(next, channel);
        Envelope assigned = next->envelope;
        assigned.kind = EnvelopeKind::assigned;
        outbox_->post(next->destination, assigned);
    }
    return true;
}

void Channels::receive(const Ref<ReceiveOperation>& operation)
{
    if (operation->envelope.channel != kNoChannel) return begin(operation);
    awaited_[{operation->source, operation->envelope.send_id}] = {operation, nullptr};
}

void Channels::watch(UnexpectedMessage& message)
{
    if (message.envelope.channel == kNoChannel) awaited_[{message.source, message.envelope.send_id}] = {{}, &message};
}

void Channels::forget(const UnexpectedMessage& message)
{
    if (message.envelope.channel == kNoChannel) awaited_.erase({message.source, message.envelope.send_id});
}

void Channels::assigned(int source, const Envelope& envelope)
{
    const auto found = awaited_.find({source, envelope.send_id});
    if (found == awaited_.end()) return;
    const Awaited awaited = std::move(found->second);
    awaited_.erase(found);
    if (awaited.message != nullptr) {
        awaited.message->envelope.channel = envelope.channel;
    } else {
        awaited.operation->envelope.channel = envelope.channel;
        begin(awaited.operation);
    }
}

void Channels::begin(const Ref<ReceiveOperation>& operation)
{
    const Envelope& envelope = operation->envelope;
    ReceiveOperation*& last = arriving_[slot(operation->source, envelope.channel)];
    // The sender uses a channel again when its message has been taken: the last receive is over, but for its own look.
    if (ReceiveOperation* const before = last; before != nullptr) {
        while (!test(*before)) {
        }
        std::erase_if(receives_, [&](const auto& r) { return r.get() == before; });
    }
    last = operation.get();
    receives_.push_back(operation);
    if (take_where_it_lies(*operation)) return;
    // What is longer than the buffer goes elsewhere first, since FMPL would take nothing of it.
    const std::size_t bytes = bytes_in_channel(envelope.bytes);
    std::byte* to = operation->buffer.data;
    if (!operation->buffer.in_one_piece() || operation->buffer.bytes < bytes) {
        operation->arriving = Scratch(bytes);
        to = operation->arriving.data();
    }
    check_fmpl(fmpl_irecv(to, bytes, operation->source, envelope.channel, FMPL_COMM_WORLD));
    if (envelope.waits != 0) {
        Envelope ready{};
        ready.kind = EnvelopeKind::ready;
        ready.send_id = envelope.send_id;
        outbox_->post(operation->source, ready);
    }
}

// A message in memory that this rank addresses, for a buffer that FMPL cannot fill: copied from there, after which the channel is
// rid of it.
bool Channels::take_where_it_lies(ReceiveOperation& operation)
{
    const Envelope& envelope = operation.envelope;
    const MessageBuffer& buffer = operation.buffer;
    if (envelope.place == 0 || (buffer.in_one_piece() && buffer.bytes >= bytes_in_channel(envelope.bytes)))
        return false;
    const void* const from = fmpl_remote_view(operation.source, envelope.place, envelope.bytes);
    if (from == nullptr) return false;
    buffer.unpack(0, std::min(envelope.bytes, buffer.bytes), from);
    check_fmpl(fmpl_irecv_discard(operation.source, envelope.channel, FMPL_COMM_WORLD));
    return true;
}

bool Channels::test(ReceiveOperation& operation)
{
    const Envelope& envelope = operation.envelope;
    int done = 0;
    check_fmpl(fmpl_irecv_test(operation.source, envelope.channel, FMPL_COMM_WORLD, &done));
    if (done == 0) return false;
    if (operation.arriving) {
        operation.buffer.unpack(0, std::min(envelope.bytes, operation.buffer.bytes), operation.arriving.data());
        operation.arriving = Scratch();
    }
    arriving_[slot(operation.source, envelope.channel)] = nullptr;
    operation.finish_with(envelope);
    return true;
}

template <class T>
bool Channels::progress_all(std::vector<Ref<T>>& operations)
{
    bool any = false;
    // By index: a send that is done may begin another one.
    for (std::size_t i = 0; i < operations.size();) {
        if (!test(*operations[i])) {
            ++i;
            continue;
        }
        std::swap(operations[i], operations.back());
        operations.pop_back();
        any = true;
    }
    return any;
}

bool Channels::has_detached() const
{
    const auto detached = [](const Ref<SendOperation>& operation) { return operation->detached; };
    return std::any_of(sends_.begin(), sends_.end(), detached) ||
           std::any_of(waiting_.begin(), waiting_.end(), detached) ||
           std::any_of(destinations_.begin(), destinations_.end(), [&](const Destination& destination) {
               return std::any_of(destination.waiting.begin(), destination.waiting.end(), detached);
           });
}

bool Channels::progress()
{
    return progress_all(sends_) | progress_all(receives_);
}

}  // namespace fmpl::mpi
