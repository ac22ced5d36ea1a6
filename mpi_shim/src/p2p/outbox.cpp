#include "p2p/outbox.hpp"

#include "p2p/fmpl_call.hpp"

#include <cstring>
#include <utility>

namespace fmpl::mpi {

// False when there is no room.
bool Outbox::send(int destination, const Envelope& envelope, const MessageBuffer* buffer)
{
    const bool inlined = envelope.kind == EnvelopeKind::eager && envelope.bytes <= kInlineBytes;
    const std::size_t body_bytes = buffer == nullptr || inlined ? 0 : envelope.bytes;
    void* body = nullptr;
    if (fmpl_envelope_reserve(destination, body_bytes, &body) == 0) return false;
    if (buffer == nullptr) {
        check_fmpl(fmpl_envelope_commit(destination, &envelope));
    } else if (inlined) {
        Envelope with_payload = envelope;
        buffer->pack(0, envelope.bytes, with_payload.payload);
        check_fmpl(fmpl_envelope_commit(destination, &with_payload));
    } else {
        buffer->pack(0, envelope.bytes, body);
        check_fmpl(fmpl_envelope_commit(destination, &envelope));
    }
    return true;
}

void Outbox::add(int destination, Entry entry)
{
    std::deque<Entry>& entries = peers_[static_cast<std::size_t>(destination)].entries;
    if (entries.empty()) waiting_.push_back(destination);
    entries.push_back(std::move(entry));
}

void Outbox::post(int destination, const Envelope& envelope)
{
    const Peer& peer = peers_[static_cast<std::size_t>(destination)];
    if (!peer.entries.empty() || !send(destination, envelope, nullptr)) add(destination, {envelope, {}});
}

bool Outbox::try_message(int destination, const Envelope& envelope, const MessageBuffer& buffer)
{
    Peer& peer = peers_[static_cast<std::size_t>(destination)];
    if (!peer.entries.empty() || !send(destination, envelope, &buffer)) return false;
    peer.eager_sent += kCostOfMessage + envelope.bytes;
    return true;
}

void Outbox::message(const Ref<SendOperation>& operation)
{
    const int destination = operation->destination;
    if (try_message(destination, operation->envelope, operation->buffer)) {
        if (operation->envelope.kind == EnvelopeKind::eager) operation->complete_with(Status::empty());
        return;
    }
    // Counted now, so that the messages behind it see the window as it will be.
    peers_[static_cast<std::size_t>(destination)].eager_sent += kCostOfMessage + operation->envelope.bytes;
    add(destination, {operation->envelope, operation});
}

void Outbox::flush_waiting()
{
    std::erase_if(waiting_, [this](int destination) {
        std::deque<Entry>& entries = peers_[static_cast<std::size_t>(destination)].entries;
        while (!entries.empty()) {
            const Entry& entry = entries.front();
            if (!send(destination, entry.envelope, entry.operation ? &entry.operation->buffer : nullptr)) return false;
            if (entry.envelope.kind == EnvelopeKind::eager) entry.operation->complete_with(Status::empty());
            entries.pop_front();
        }
        return true;
    });
}

void Outbox::matched_eager(int source, std::uint64_t bytes)
{
    Peer& peer = peers_[static_cast<std::size_t>(source)];
    peer.matched_of_its += kCostOfMessage + bytes;
    // A quarter of the window at a time: the sender never runs dry of what has not been told yet, since it then has three
    // quarters free.
    if (peer.matched_of_its - peer.told < kWindow / 4) return;
    peer.told = peer.matched_of_its;
    Envelope credit{};
    credit.kind = EnvelopeKind::credit;
    credit.bytes = peer.told;
    post(source, credit);
}

}  // namespace fmpl::mpi
