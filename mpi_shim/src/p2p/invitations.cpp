#include "p2p/invitations.hpp"

#include "error.hpp"
#include "p2p/fmpl_call.hpp"

#include <mpi.h>

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
      guests_(static_cast<std::size_t>(ranks) * kInvitedChannels),
      chances_(static_cast<std::size_t>(ranks)),
      hosts_(static_cast<std::size_t>(ranks))
{
    const std::size_t bytes = guests_.size() * sizeof(std::uint64_t);
    claims_ = static_cast<std::uint64_t*>(fmpl_try_malloc(bytes));
    if (claims_ != nullptr) std::memset(claims_, 0, bytes);
}

Invitations::~Invitations()
{
    // The rank may have left the job already, and then its memory is gone.
    int is_up = 0;
    fmpl_initialized(&is_up);
    if (is_up != 0) fmpl_free(claims_);
}

void Invitations::invite(ReceiveOperation& operation, int source)
{
    if (!channels_->any_to_reserve(source) || !chances_[static_cast<std::size_t>(source)].is_worth_it()) return;
    const std::uint16_t channel = channels_->reserve(source);
    const std::size_t at = slot(source, channel);
    operation.source = source;
    operation.invitation = channel;
    channels_->post(operation, source, channel);
    guests_[at] = &operation;
    Envelope envelope{};
    envelope.kind = EnvelopeKind::invited;
    envelope.channel = channel;
    envelope.context = operation.key.context;
    envelope.source = operation.key.source;
    envelope.tag = operation.key.tag;
    envelope.bytes = operation.buffer.bytes;
    envelope.messages = outbox_->messages_come(source);
    check_fmpl(fmpl_remote_place(claims_ + at, sizeof *claims_, &envelope.place));
    envelope.receive_id = ++last_ticket_;
    claim_at(claims_ + at).store(last_ticket_, std::memory_order_relaxed);  // published by the envelope
    if (!outbox_->try_quietly(source, envelope)) was_in_vain(operation);
}

bool Invitations::withdraw(ReceiveOperation& operation)
{
    if (operation.invitation < 0) return true;
    const auto channel = static_cast<std::uint16_t>(operation.invitation);
    const std::size_t at = slot(operation.source, channel);
    if (claim_at(claims_ + at).exchange(0, std::memory_order_relaxed) == 0) return false;
    check_fmpl(fmpl_irecv_withdraw(operation.source, channel, FMPL_COMM_WORLD));
    channels_->release(operation.source, channel);
    guests_[at] = nullptr;
    operation.invitation = -1;
    return true;
}

bool Invitations::was_in_vain(ReceiveOperation& operation)
{
    ++chances_[static_cast<std::size_t>(operation.source)].in_vain;
    return withdraw(operation);
}

void Invitations::accepted(int source, const Envelope& envelope)
{
    ReceiveOperation*& guest = guests_[slot(source, envelope.channel)];
    if (guest == nullptr) {
        fail(MPI_ERR_INTERN, "rank {} has sent a message of {} bytes to a receive that was not told to it", source,
            envelope.bytes);
    }
    const Ref<ReceiveOperation> operation = matching_->take_posted(*guest);
    guest = nullptr;
    chances_[static_cast<std::size_t>(source)].in_vain = 0;
    operation->invitation = -1;
    operation->envelope = envelope;
    channels_->await(operation);
}

void Invitations::close()
{
    for (ReceiveOperation* const guest : guests_) {
        if (guest != nullptr) withdraw(*guest);
    }
}

void Invitations::invited(int source, const Envelope& envelope)
{
    // A message on its way may be for that receive.
    if (envelope.messages != outbox_->messages_sent(source)) return;
    void* const claim = fmpl_remote_room(source, envelope.place, sizeof(std::uint64_t));
    if (claim == nullptr) return;
    Host& host = hosts_[static_cast<std::size_t>(source)];
    const int place = envelope.channel - kChannels;
    host.invitations[static_cast<std::size_t>(place)] = {{envelope.context, envelope.source, envelope.tag},
        envelope.bytes, envelope.receive_id, static_cast<std::uint64_t*>(claim)};
    host.open |= std::uint32_t{1} << place;
}

bool Invitations::try_send(const Ref<SendOperation>& operation)
{
    Host& host = hosts_[static_cast<std::size_t>(operation->destination)];
    Envelope& envelope = operation->envelope;
    const MatchKey key{envelope.context, envelope.source, envelope.tag};
    for (std::uint32_t left = host.open; left != 0; left &= left - 1) {
        const int place = std::countr_zero(left);
        const Invitation& invitation = host.invitations[static_cast<std::size_t>(place)];
        if (!(invitation.key == key)) continue;
        host.open &= ~(std::uint32_t{1} << place);
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
