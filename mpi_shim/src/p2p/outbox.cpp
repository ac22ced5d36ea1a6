#include "p2p/outbox.hpp"

#include "p2p/fmpl_call.hpp"

#include <fmpl/envelope_lending.h>
#include <fmpl/envelope_steps.h>

#include <cstring>
#include <utility>

namespace fmpl::mpi {

bool Outbox::send_with_body(int destination, const Envelope& envelope, const MessageBuffer& buffer, std::uint64_t from)
{
    if (buffer.in_one_piece()) {
        int sent = 0;
        check_fmpl(fmpl_envelope_send_body(destination, &envelope, buffer.data + from, envelope.bytes, &sent));
        return sent != 0;
    }
    void* body = nullptr;
    if (fmpl_envelope_reserve(destination, envelope.bytes, &body) == 0) return false;
    buffer.pack(from, from + envelope.bytes, body);
    check_fmpl(fmpl_envelope_commit(destination, &envelope));
    return true;
}

bool Outbox::try_lend(int destination, const Envelope& envelope, const MessageBuffer& buffer, bool waits_anyway)
{
    Peer& peer = peers_[static_cast<std::size_t>(destination)];
    if (!buffer.in_one_piece() || !peer.entries.empty()) return false;
    int sent = 0;
    check_fmpl(fmpl_envelope_lend(destination, &envelope, buffer.data, envelope.bytes, waits_anyway ? 1 : 0, &sent));
    if (sent == 0) return false;
    count_eager(peer, envelope.bytes);
    return true;
}

void Outbox::add(int destination, Entry entry)
{
    std::list<Entry>& entries = peers_[static_cast<std::size_t>(destination)].entries;
    if (entries.empty()) waiting_.push_back(destination);
    entries.push_back(std::move(entry));
}

void Outbox::post(int destination, const Envelope& envelope)
{
    flush();
    const Peer& peer = peers_[static_cast<std::size_t>(destination)];
    if (!peer.entries.empty() || !send_head(destination, envelope)) add(destination, {envelope, {}});
}

void Outbox::message(const Ref<SendOperation>& operation)
{
    const int destination = operation->destination;
    if (try_message(destination, operation->envelope, operation->buffer)) {
        if (operation->envelope.kind == EnvelopeKind::eager) operation->complete_with(Status::empty());
        return;
    }
    // Counted now, so that the messages behind it see the window as it will be.
    count_eager(peers_[static_cast<std::size_t>(destination)], operation->envelope.bytes);
    add(destination, {operation->envelope, operation});
}

void Outbox::flush_waiting()
{
    std::erase_if(waiting_, [this](int destination) {
        std::list<Entry>& entries = peers_[static_cast<std::size_t>(destination)].entries;
        while (!entries.empty()) {
            Entry& entry = entries.front();
            const bool sent = entry.operation ? send(destination, entry.envelope, entry.operation->buffer)
                                              : send_head(destination, entry.envelope);
            if (!sent) return false;
            if (entry.envelope.kind == EnvelopeKind::eager) entry.operation->complete_with(Status::empty());
            entries.pop_front();
        }
        return true;
    });
}

void Outbox::tell_of_matched(int source)
{
    Peer& peer = peers_[static_cast<std::size_t>(source)];
    peer.told = peer.matched_of_its;
    Envelope credit{};
    credit.kind = EnvelopeKind::credit;
    credit.bytes = peer.told;
    post(source, credit);
}

}  // namespace fmpl::mpi
