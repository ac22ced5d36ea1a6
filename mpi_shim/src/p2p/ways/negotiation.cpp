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

// So long a receiver waits for the first of the pieces that it has asked for: a sender that waits answers in two
// microseconds.
constexpr double kPatience = 10e-6;
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
        if (cpus_suffice_) joint_.prepare(announced, expects);
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
    if (announced->record != nullptr && envelope.place == 0 && bytes <= fmpl_envelope_body_limit()) {
        asked_.push_back({envelope.send_id, envelope.receive_id, source});  // until this rank comes to copy
        return;
    }
    const Ref<SendOperation> operation = take_back(*announced);
    if (!operation) return;
    void* const to = envelope.place != 0 ? fmpl_remote_room(source, envelope.place, bytes) : nullptr;
    if (to != nullptr) {
        packing_.send(operation, to, envelope.receive_id);
    } else {
        pieces_.add(operation, envelope.receive_id);
    }
}

// Only those that the ring has room for, so that none is begun whose end its receiver would have to wait for.
bool Negotiation::send_asked()
{
    int full = -1;
    const std::size_t over = std::erase_if(asked_, [&](const Asked& asked) {
        if (asked.destination == full) return false;
        Announced* const announced = announcements_.find(asked.destination, asked.send_id);
        if (announced == nullptr || !announced->operation) return true;
        void* room = nullptr;
        if (fmpl_envelope_reserve(asked.destination, announced->operation->envelope.bytes, &room) == 0) {
            full = asked.destination;
            return false;
        }
        if (const Ref<SendOperation> operation = take_back(*announced)) pieces_.send(operation, asked.receive_id);
        return true;
    });
    return over > 0;
}

void Negotiation::receive(const Ref<ReceiveOperation>& operation)
{
    const Envelope& envelope = operation->envelope;
    const bool goes_in_pieces = cpus_suffice_ && envelope.bytes > kLongestUnpacked && !operation->buffer.in_one_piece();
    if (envelope.place == 0 || goes_in_pieces) return ask_for_room(operation);
    if (!cpus_suffice_) {
        if (!read(*operation)) ask_for_room(operation);
        return;
    }
    Read read{operation};
    if (prefers_pieces(*operation)) {
        ask_for_room(operation);
        read.asked_at = fmpl_wtime();
    } else {
        read.is_joint = joint_.is_for(*operation) && JointCopies::open(*operation);
    }
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

// Whether the message is one of private memory at both ends, longer than what goes through the ring without being asked
// for, and the ring has room for four of it; and its source answers.
bool Negotiation::prefers_pieces(const ReceiveOperation& operation)
{
    const std::uint64_t bytes = operation.envelope.bytes;
    const MessageBuffer& buffer = operation.buffer;
    return operation.envelope.receive_id != 0 && bytes > std::max(CopyRates::longest(), Pieces::kStraightBytes) &&
           bytes <= fmpl_envelope_body_limit() && bytes <= buffer.bytes && buffer.in_one_piece() &&
           fmpl_is_remote_dma(buffer.data, bytes) == 0 && asking(operation.source).is_worth_it();
}

// Of a message that has been asked for: whether it is still waited for.
bool Negotiation::is_patient(const Read& read) const
{
    const double since = std::max(read.asked_at, heard_at_[static_cast<std::size_t>(read.operation->source)]);
    return fmpl_wtime() - since < kPatience && fmpl_is_last_look() == 0;
}

// Takes one message, so that what comes meanwhile is seen before the next.
bool Negotiation::take_read()
{
    for (std::size_t i = 0; i < reads_.size();) {
        Read& read = reads_[i];
        const Ref<ReceiveOperation> operation = read.operation;
        const auto place = reads_.begin() + static_cast<std::ptrdiff_t>(i);
        if (read.asked_at != 0) {
            if (is_patient(read)) {
                ++i;
                continue;
            }
            read.is_joint = JointCopies::open(*operation);
            if (!read.is_joint) {  // its pieces come
                reads_.erase(place);
                continue;
            }
            asking(operation->source).was_in_vain();
            receives_.erase(receive_id_of(operation));
            read.asked_at = 0;
        }
        if (read.is_joint) {
            if (!joint_.take(*operation, read.copy)) {
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

void Negotiation::piece(const Envelope& envelope, const void* body)
{
    const auto found = receives_.find(envelope.receive_id);
    if (found == receives_.end()) return;
    const Ref<ReceiveOperation> operation = found->second;
    if (envelope.place == 0) first_piece(operation);
    if (!reads_.empty()) heard_at_[static_cast<std::size_t>(operation->source)] = fmpl_wtime();
    if (!Pieces::take(*operation, envelope, body)) return;
    receives_.erase(envelope.receive_id);
    has_come(operation);
}

// It will not be read.
void Negotiation::first_piece(const Ref<ReceiveOperation>& operation)
{
    const std::size_t asked =
        std::erase_if(reads_, [&](const Read& read) { return read.operation.get() == operation.get(); });
    if (asked > 0) asking(operation->source).has_succeeded();
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
