#include "p2p/ways/negotiation.hpp"

#include "p2p/fmpl_call.hpp"

#include <fmpl.h>
#include <fmpl/envelopes.h>
#include <fmpl/remote.h>
#include <fmpl/waiting.h>

#include <algorithm>
#include <utility>

namespace fmpl::mpi {
namespace {

// A message that is not in one piece at its receiver is read by parts up to this size.
constexpr std::uint64_t kLongestUnpacked = 512 * 1024;

std::uint64_t receive_id_of(const Ref<ReceiveOperation>& operation)
{
    return reinterpret_cast<std::uintptr_t>(operation.get());
}

}  // namespace

void Negotiation::send(const Ref<SendOperation>& operation, bool expects)
{
    Envelope& envelope = operation->envelope;
    envelope.kind = EnvelopeKind::negotiated;
    Announced announced{operation, operation->destination};
    if (PrivateReading::is_for(operation->buffer, operation->destination)) {
        envelope.place = reinterpret_cast<std::uintptr_t>(operation->buffer.data);
        if (cpus_suffice_ || passes_on_) joint_.prepare(announced, expects);
    }
    Announced& kept = announcements_.add(std::move(announced));
    if (kept.record != nullptr) joint_.begin(kept);
    outbox_->announce(operation->destination, envelope);
}

// The operation of an announced message, which goes in another way than by reading; null when the receiver has opened
// its record meanwhile. It is under way until all of it has gone.
Ref<SendOperation> Negotiation::take_back(Announced& announced)
{
    if (announced.record == nullptr) return announcements_.take(announced.operation->envelope.send_id);
    return joint_.withdraw(announced) ? std::exchange(announced.operation, {}) : Ref<SendOperation>();
}

void Negotiation::taken(int source, const Envelope& envelope)
{
    reading_.was_taken(source, envelope);
    Announced* const announced = announcements_.find(source, envelope.send_id);
    if (announced == nullptr) return;
    joint_.end(*announced);
    if (const Ref<SendOperation> operation = announcements_.take(envelope.send_id)) {
        announcements_.is_there(source);
        operation->complete_with(Status::empty());
    }
}

void Negotiation::room(int source, const Envelope& envelope)
{
    Announced* const announced = announcements_.find(source, envelope.send_id);
    if (announced == nullptr || !announced->operation) return;
    const std::uint64_t bytes = announced->operation->envelope.bytes;
    const Ref<SendOperation> operation = take_back(*announced);
    if (!operation) return;
    void* const to = envelope.place != 0 ? fmpl_remote_room(source, envelope.place, bytes) : nullptr;
    if (to != nullptr) {
        packing_.send(operation, to, envelope.receive_id);
    } else {
        pieces_.add(operation, envelope.receive_id);
    }
}

void Negotiation::receive(const Ref<ReceiveOperation>& operation)
{
    const Envelope& envelope = operation->envelope;
    const bool goes_in_pieces = cpus_suffice_ && envelope.bytes > kLongestUnpacked && !operation->buffer.in_one_piece();
    if (envelope.place == 0 || goes_in_pieces) return ask_for_room(operation);
    Read read{operation};
    const bool is_passed_on = joint_.is_passed_on(*operation);
    read.is_joint = (cpus_suffice_ || is_passed_on) && joint_.is_for(*operation) && joint_.open(*operation);
    if (!cpus_suffice_ && !read.is_joint) {
        if (!this->read(*operation)) ask_for_room(operation);
        return;
    }
    if (read.is_joint && is_passed_on && waiting(operation->source).is_worth_it()) read.waits_from = fmpl_wtime();
    reads_.push_back(std::move(read));
}

// Whether the message could be read; then the receive is complete.
bool Negotiation::read(ReceiveOperation& operation)
{
    OwnCopy copy;
    if (!PrivateReading::read(operation, copy)) return false;
    if (copy.bytes > 0) joint_.rest_after(copy);
    reading_.finish(operation, copy);
    return true;
}

// Whether pieces of a message are still waited for.
bool Negotiation::is_patient(const Read& read) const
{
    const double since = std::max(read.waits_from, heard_at_[static_cast<std::size_t>(read.operation->source)]);
    return fmpl_wtime() - since < patience_ && fmpl_is_last_look() == 0;
}

// Takes one message, so that what comes meanwhile is seen before the next.
bool Negotiation::take_read(bool may_rest)
{
    for (std::size_t i = 0; i < reads_.size();) {
        Read& read = reads_[i];
        const Ref<ReceiveOperation> operation = read.operation;
        const auto place = reads_.begin() + static_cast<std::ptrdiff_t>(i);
        if (read.waits_from != 0 && !JointCopies::is_there(*operation, read.pieces)) {
            const bool is_over = !is_patient(read);
            if (may_rest && !is_over) {
                ++i;
                continue;
            }
            if (is_over && heard_at_[static_cast<std::size_t>(operation->source)] < read.waits_from)
                waiting(operation->source).was_in_vain();
            read.waits_from = 0;
        }
        if (read.is_joint) {
            if (!joint_.take(*operation, read.copy) || !JointCopies::is_there(*operation, read.pieces)) {
                ++i;
                continue;
            }
            reading_.finish(*operation, read.copy);
            reads_.erase(place);
        } else {
            reads_.erase(place);
            if (!this->read(*operation)) ask_for_room(operation);
        }
        return true;
    }
    return false;
}

void Negotiation::ask_for_room(const Ref<ReceiveOperation>& operation)
{
    const std::uint64_t bytes = operation->envelope.bytes;
    const MessageBuffer& buffer = operation->buffer;
    Envelope room{};
    room.kind = EnvelopeKind::room;
    room.send_id = operation->envelope.send_id;
    room.receive_id = receive_id_of(operation);
    if (bytes > 0 && buffer.in_one_piece() && buffer.bytes >= bytes && fmpl_is_remote_dma(buffer.data, bytes) != 0 &&
        fmpl_is_addressable(operation->source) != 0) {
        check_fmpl(fmpl_remote_place(buffer.data, bytes, &room.place));
    }
    receives_.emplace(room.receive_id, operation);
    outbox_->post(operation->source, room);
}

void Negotiation::packed(const Envelope& envelope)
{
    const auto node = receives_.extract(envelope.receive_id);
    if (!node.empty()) has_come(node.mapped());
}

void Negotiation::piece(int source, const Envelope& envelope, const void* body)
{
    if (envelope.receive_id == 0) return piece_of_read(source, envelope, body);
    const auto found = receives_.find(envelope.receive_id);
    if (found == receives_.end()) return;
    const Ref<ReceiveOperation> operation = found->second;
    if (!Pieces::take(*operation, envelope, body)) return;
    receives_.erase(envelope.receive_id);
    has_come(operation);
}

// Of a message whose record is open.
void Negotiation::piece_of_read(int source, const Envelope& envelope, const void* body)
{
    const auto is_of = [&](const Read& read) {
        return read.is_joint && read.operation->source == source &&
               read.operation->envelope.send_id == envelope.send_id;
    };
    const auto read = std::find_if(reads_.begin(), reads_.end(), is_of);
    if (read == reads_.end()) return;
    const Ref<ReceiveOperation> operation = read->operation;
    double& heard_at = heard_at_[static_cast<std::size_t>(source)];
    if (read->waits_from > heard_at) waiting(source).has_succeeded();
    JointCopies::piece(*operation, envelope, body);
    heard_at = fmpl_wtime();
    if (!JointCopies::is_there(*operation, ++read->pieces)) return;
    const OwnCopy copy = read->copy;
    reads_.erase(read);
    reading_.finish(*operation, copy);
}

// All of the message has; its source keeps a record of it until it knows.
void Negotiation::has_come(const Ref<ReceiveOperation>& operation)
{
    const Envelope announced = operation->envelope;
    operation->finish_with(announced);
    if (announced.place == 0 || announced.receive_id == 0) return;
    Envelope taken{};
    taken.kind = EnvelopeKind::taken;
    taken.send_id = announced.send_id;
    outbox_->post(operation->source, taken);
}

}  // namespace fmpl::mpi
