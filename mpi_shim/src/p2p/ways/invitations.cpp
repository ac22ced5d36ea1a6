#include "p2p/ways/invitations.hpp"

#include "error.hpp"
#include "p2p/fmpl_call.hpp"

#include <fmpl/remote.h>
#include <fmpl/requests.h>

#include <atomic>
#include <bit>
#include <cstring>

namespace fmpl::mpi {
namespace {

std::atomic_ref<std::uint64_t> claim_at(std::uint64_t* word)
{
    return std::atomic_ref<std::uint64_t>(*word);
}

}  // namespace

Invitations::Invitations(int ranks, Outbox& outbox, Channels& channels, Matching& matching)
    : outbox_(&outbox),
      channels_(&channels),
      matching_(&matching),
      guests_(ranks),
      hosts_(ranks)
{
}

Invitations::~Invitations()
{
    // The rank may have left the job already, and then its memory is gone.
    int is_up = 0;
    fmpl_initialized(&is_up);
    if (is_up != 0) guests_.for_each([](int, Guest& guest) { fmpl_free(guest.claims); });
}

void Invitations::invite(ReceiveOperation& operation, int source)
{
    Guest& guest = guests_.make(source);
    if (!channels_->any_to_reserve(source) || !guest.inviting.is_worth_it()) return;
    if (guest.claims == nullptr) {
        constexpr std::size_t kBytes = kInvitedChannels * sizeof *guest.claims;
        guest.claims = static_cast<std::uint64_t*>(fmpl_try_malloc(kBytes));
        if (guest.claims == nullptr) return;
        std::memset(guest.claims, 0, kBytes);
    }
    const std::uint16_t channel = channels_->reserve(source);
    const std::size_t at = place_of(channel);
    operation.source = source;
    operation.invitation = channel;
    channels_->post(operation, source, channel);
    guest.receives[at] = &operation;
    Envelope envelope{};
    envelope.kind = EnvelopeKind::invited;
    envelope.channel = channel;
    envelope.context = operation.key.context;
    envelope.source = operation.key.source;
    envelope.tag = operation.key.tag;
    envelope.bytes = operation.buffer.bytes;
    envelope.messages = outbox_->messages_come(source);
    check_fmpl(fmpl_remote_place(guest.claims + at, sizeof *guest.claims, &envelope.place));
    envelope.receive_id = ++last_ticket_;
    claim_at(guest.claims + at).store(last_ticket_, std::memory_order_relaxed);  // published by the envelope
    if (!outbox_->try_quietly(source, envelope)) was_in_vain(operation);
}

bool Invitations::withdraw(ReceiveOperation& operation)
{
    if (operation.invitation < 0) return true;
    const auto channel = static_cast<std::uint16_t>(operation.invitation);
    const std::size_t at = place_of(channel);
    Guest& guest = guests_.make(operation.source);
    if (claim_at(guest.claims + at).exchange(0, std::memory_order_relaxed) == 0) return false;
    check_fmpl(fmpl_irecv_withdraw(operation.source, channel, FMPL_COMM_WORLD));
    channels_->release(operation.source, channel);
    guest.receives[at] = nullptr;
    operation.invitation = -1;
    return true;
}

bool Invitations::was_in_vain(ReceiveOperation& operation)
{
    guests_.make(operation.source).inviting.was_in_vain();
    return withdraw(operation);
}

void Invitations::accepted(int source, const Envelope& envelope)
{
    Guest& guest = guests_.make(source);
    ReceiveOperation*& receive = guest.receives[place_of(envelope.channel)];
    if (receive == nullptr) {
        fail(ErrorClass::intern, "rank {} has sent a message of {} bytes to a receive that was not told to it", source,
            envelope.bytes);
    }
    const Ref<ReceiveOperation> operation = matching_->take_posted(*receive);
    receive = nullptr;
    guest.inviting.has_succeeded();
    operation->invitation = -1;
    operation->envelope = envelope;
    channels_->await(operation);
}

void Invitations::close()
{
    guests_.for_each([this](int, Guest& guest) {
        for (ReceiveOperation* const receive : guest.receives) {
            if (receive != nullptr) withdraw(*receive);
        }
    });
}

void Invitations::invited(int source, const Envelope& envelope)
{
    // A message on its way may be for that receive.
    if (envelope.messages != outbox_->messages_sent(source)) return;
    void* const claim = fmpl_remote_room(source, envelope.place, sizeof(std::uint64_t));
    if (claim == nullptr) return;
    Host& host = hosts_.make(source);
    const int place = envelope.channel - kChannels;
    host.invitations[static_cast<std::size_t>(place)] = {{envelope.context, envelope.source, envelope.tag},
        envelope.bytes, envelope.receive_id, static_cast<std::uint64_t*>(claim)};
    host.open |= std::uint32_t{1} << place;
}

bool Invitations::try_send(const Ref<SendOperation>& operation)
{
    Host* const host = hosts_.find(operation->destination);
    if (host == nullptr) return false;
    Envelope& envelope = operation->envelope;
    const MatchKey key{envelope.context, envelope.source, envelope.tag};
    for (std::uint32_t left = host->open; left != 0; left &= left - 1) {
        const int place = std::countr_zero(left);
        const Invitation& invitation = host->invitations[static_cast<std::size_t>(place)];
        if (!(invitation.key == key)) continue;
        host->open &= ~(std::uint32_t{1} << place);
        if (invitation.bytes != operation->buffer.bytes || !operation->buffer.in_one_piece()) continue;
        if (!outbox_->has_room(operation->destination)) continue;
        std::uint64_t ticket = invitation.ticket;
        if (!claim_at(invitation.claim).compare_exchange_strong(ticket, 0, std::memory_order_relaxed)) continue;
        envelope.kind = EnvelopeKind::accepted;
        envelope.channel = static_cast<std::uint16_t>(kChannels + place);
        channels_->send_invited(operation);
        return true;
    }
    return false;
}

}  // namespace fmpl::mpi
