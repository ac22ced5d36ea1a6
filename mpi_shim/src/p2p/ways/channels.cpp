#include "p2p/ways/channels.hpp"

#include "p2p/fmpl_call.hpp"

#include <fmpl/remote.h>
#include <fmpl/requests.h>

#include <algorithm>
#include <bit>

namespace fmpl::mpi {
namespace {

// The receiver gives the sender's operation back by this number.
std::uint64_t id_of(const SendOperation& operation)
{
    return reinterpret_cast<std::uintptr_t>(&operation);
}

}  // namespace

Channels::Channels(int ranks, Outbox& outbox) : outbox_(&outbox), pairs_(ranks) {}

bool Channels::try_send(const Ref<SendOperation>& operation)
{
    std::uint32_t& free = pairs_.make(operation->destination).free;
    const MessageBuffer& buffer = operation->buffer;
    if (free == 0 || !buffer.in_one_piece() || buffer.bytes < kLeastBytes) return false;
    operation->envelope.kind = EnvelopeKind::rendezvous;
    operation->envelope.waits = fmpl_is_remote_dma(buffer.data, buffer.bytes) == 0;
    if (operation->envelope.waits == 0)
        check_fmpl(fmpl_remote_place(buffer.data, buffer.bytes, &operation->envelope.place));
    operation->envelope.channel = static_cast<std::uint16_t>(std::countr_zero(free));
    operation->envelope.send_id = id_of(*operation);
    free &= free - 1;
    // First the envelope, so that the destination matches while the message is being put into the channel; and since
    // what FMPL has just written for another core would hold up what is copied from there to the envelope.
    outbox_->announce(operation->destination, operation->envelope);
    if (operation->envelope.waits != 0) {
        waiting_.push_back(operation);
    } else {
        put(operation);
    }
    return true;
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
    operation.complete_with(Status::empty());
    if (channel < kChannels) pairs_.make(operation.destination).free |= std::uint32_t{1} << channel;
    return true;
}

void Channels::receive(const Ref<ReceiveOperation>& operation)
{
    const Envelope& envelope = operation->envelope;
    ReceiveOperation*& last = arriving(*operation);
    // The sender uses a channel again when its message has been taken: the last receive is over, but for its own look.
    if (ReceiveOperation* const before = last; before != nullptr) {
        while (!test(*before)) {
        }
        std::erase_if(receives_, [&](const auto& r) { return r.get() == before; });
    }
    if (take_where_it_lies(*operation)) {
        last = operation.get();
        receives_.push_back(operation);
        return;
    }
    // What is longer than the buffer goes elsewhere first, since FMPL would take nothing of it.
    const std::size_t bytes = envelope.bytes;
    std::byte* to = operation->buffer.data;
    if (!operation->buffer.in_one_piece() || operation->buffer.bytes < bytes) {
        operation->arriving = Scratch(bytes);
        to = operation->arriving.data();
    }
    check_fmpl(fmpl_irecv(to, bytes, operation->source, envelope.channel, FMPL_COMM_WORLD));
    last = operation.get();
    receives_.push_back(operation);
    if (envelope.waits != 0) {
        Envelope ready{};
        ready.kind = EnvelopeKind::ready;
        ready.send_id = envelope.send_id;
        outbox_->post(operation->source, ready);
    }
}

// A message in memory that this rank addresses, for a buffer that FMPL cannot fill: copied from there, after which
// the channel is rid of it.
bool Channels::take_where_it_lies(ReceiveOperation& operation)
{
    const Envelope& envelope = operation.envelope;
    const MessageBuffer& buffer = operation.buffer;
    if (envelope.place == 0 || (buffer.in_one_piece() && buffer.bytes >= envelope.bytes)) return false;
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
    arriving(operation) = nullptr;
    if (envelope.channel >= kChannels) release(operation.source, envelope.channel);
    operation.finish_with(envelope);
    return true;
}

std::uint16_t Channels::reserve(int source)
{
    std::uint32_t& free = pairs_.make(source).free_to_invite;
    const int place = std::countr_zero(free);
    free &= free - 1;
    return static_cast<std::uint16_t>(kChannels + place);
}

void Channels::release(int source, std::uint16_t channel)
{
    pairs_.make(source).free_to_invite |= std::uint32_t{1} << (channel - kChannels);
}

void Channels::post(const ReceiveOperation& operation, int source, std::uint16_t channel)
{
    check_fmpl(fmpl_irecv_ahead(operation.buffer.data, operation.buffer.bytes, source, channel, FMPL_COMM_WORLD));
}

void Channels::await(const Ref<ReceiveOperation>& operation)
{
    arriving(*operation) = operation.get();
    receives_.push_back(operation);
}

void Channels::send_invited(const Ref<SendOperation>& operation)
{
    // The channel's last message has been received, but for this rank's own look.
    const auto before = std::find_if(sends_.begin(), sends_.end(), [&](const auto& send) {
        return send->destination == operation->destination && send->envelope.channel == operation->envelope.channel;
    });
    if (before != sends_.end()) {
        while (!test(**before)) {
        }
        sends_.erase(before);
    }
    outbox_->announce(operation->destination, operation->envelope);  // first, as in try_send()
    put(operation);
}

template <class T>
bool Channels::progress_all(std::vector<Ref<T>>& operations)
{
    bool any = false;
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

bool Channels::progress()
{
    return progress_all(receives_) | progress_all(sends_);
}

}  // namespace fmpl::mpi
