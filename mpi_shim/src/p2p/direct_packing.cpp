#include "p2p/direct_packing.hpp"

#include "error.hpp"
#include "p2p/fmpl_call.hpp"
#include "p2p/take_body.hpp"

#include <fmpl/envelopes.h>
#include <fmpl/joint_copy.h>
#include <fmpl/remote.h>
#include <fmpl/waiting.h>
#include <mpi.h>

#include <algorithm>
#include <new>

namespace fmpl::mpi {
namespace {

template <class T>
std::uint64_t id_of(const Ref<T>& operation)
{
    return reinterpret_cast<std::uintptr_t>(operation.get());
}

template <class T>
Ref<T> take_out(std::unordered_map<std::uint64_t, Ref<T>>& operations, std::uint64_t id)
{
    auto node = operations.extract(id);
    return node.empty() ? Ref<T>() : std::move(node.mapped());
}

// None where there is no memory: then the message comes in pieces.
Scratch scratch_or_none(std::uint64_t bytes)
{
    try {
        return Scratch(bytes);
    } catch (const std::bad_alloc&) {
        return {};
    }
}

// From this size on both ranks copy a message that its receiver reads at a private address.
constexpr std::size_t kJointBytes = 32 * 1024;
// In a collective call each has parts of its own to copy, and whose the buffer is reads it next. But the source needs
// no call of the kernel to write to remote-DMA memory.
constexpr std::size_t kJointBytesInCollective = 512 * 1024;

// A sender lets its destination copy for so long before it helps: bytes per second, of a slow copy by the kernel; but
// no more than so many seconds, nor longer than it looks before it sleeps.
constexpr double kSlowCopyRate = 2e9;
constexpr double kLongestRest = 0.5e-3;

// Of a message that goes through the ring, the receiver unpacks one piece while the sender packs the next.
constexpr std::uint64_t kPieceBytes = 8 * 1024;
// Of one that lies in one piece at both ends, where each rank has a CPU, so that a piece comes in steps besides.
constexpr std::uint64_t kStraightPieceBytes = 64 * 1024;
// So long a receiver waits for the first of them: a sender that waits answers in two microseconds.
constexpr double kPatience = 10e-6;
// Of one that the kernel copies and the receiver unpacks, so much is in the cache between. A longer one than the other
// goes through the ring, too, where each rank has a CPU for its half of the work.
constexpr std::uint64_t kUnpackedBytes = 128 * 1024;
constexpr std::uint64_t kLongestUnpacked = 512 * 1024;

// What a call of the kernel takes beside the bytes, in nanoseconds.
constexpr double kCallNs = 600;

bool is_better_joint(const ReceiveOperation& operation, std::uint64_t bytes)
{
    return traffic_of(operation.key.context) == Traffic::point_to_point || bytes >= kJointBytesInCollective ||
           fmpl_is_remote_dma(operation.buffer.data, bytes) != 0;
}

}  // namespace

JointRecords::~JointRecords()
{
    for (void* const block : blocks_) fmpl_free(block);
}

void* JointRecords::take()
{
    constexpr std::size_t kRecords = 64;
    if (free_.empty()) {
        void* const block = fmpl_try_malloc((kRecords + 1) * FMPL_JOINT_RECORD);
        if (block == nullptr) return nullptr;
        blocks_.push_back(block);
        auto first = reinterpret_cast<std::uintptr_t>(block) + FMPL_JOINT_RECORD - 1;
        first -= first % FMPL_JOINT_RECORD;
        for (std::size_t i = kRecords; i-- > 0;)
            free_.push_back(reinterpret_cast<void*>(first + i * FMPL_JOINT_RECORD));
    }
    void* const record = free_.back();
    free_.pop_back();
    return record;
}

bool DirectPacking::is_best_for(const MessageBuffer& buffer, int destination) const
{
    return buffer.in_one_piece() && buffer.bytes > 0 && fmpl_is_addressable(destination) != 0 &&
           fmpl_is_remote_dma(buffer.data, buffer.bytes) == 0;
}

void DirectPacking::send(const Ref<SendOperation>& operation, bool expects)
{
    Envelope& envelope = operation->envelope;
    envelope.kind = EnvelopeKind::scattered;
    envelope.send_id = ++sends_;
    Announced announced{operation};
    if (is_best_for(operation->buffer, operation->destination)) {
        envelope.place = reinterpret_cast<std::uintptr_t>(operation->buffer.data);
        const bool is_joint = cpus_suffice_ && operation->buffer.bytes >= kJointBytes;
        if (is_joint && (announced.record = records_.take()) != nullptr) {
            check_fmpl(fmpl_joint_prepare(announced.record));
            check_fmpl(fmpl_remote_place(announced.record, FMPL_JOINT_RECORD, &envelope.receive_id));
            const double slow_copy = static_cast<double>(operation->buffer.bytes) / kSlowCopyRate;
            if (expects) announced.helps_from = fmpl_wtime() + std::min(slow_copy, kLongestRest);
        }
    }
    const auto [at, is_new] = announced_.emplace(envelope.send_id, std::move(announced));
    if (at->second.record != nullptr) joint_sends_.push_back(&at->second);
    ++unfinished_[static_cast<std::size_t>(operation->destination)];
    outbox_->announce(operation->destination, envelope);
}

// The operation of an announced message, which is to be packed; null when the receiver has opened its record meanwhile.
// It counts as unfinished until it has been packed.
Ref<SendOperation> DirectPacking::to_be_packed(Announcements::iterator at)
{
    Announced& announced = at->second;
    if (announced.record == nullptr) {
        const Ref<SendOperation> operation = std::move(announced.operation);
        announced_.erase(at);
        return operation;
    }
    int withdrawn = 0;
    check_fmpl(fmpl_joint_withdraw(announced.record, &withdrawn));
    if (withdrawn == 0) return {};
    std::erase(joint_sends_, &announced);
    return std::exchange(announced.operation, {});
}

Ref<SendOperation> DirectPacking::forget(std::uint64_t send_id)
{
    const auto found = announced_.find(send_id);
    if (found == announced_.end()) return {};
    const Ref<SendOperation> operation = std::move(found->second.operation);
    if (operation) --unfinished_[static_cast<std::size_t>(operation->destination)];
    if (found->second.record != nullptr) {
        if (operation) std::erase(joint_sends_, &found->second);
        records_.give_back(found->second.record);
    }
    announced_.erase(found);
    return operation;
}

// The message, announced with a record, is to be copied by both ranks; false: it cannot be.
bool DirectPacking::claim(const ReceiveOperation& operation)
{
    const Envelope& envelope = operation.envelope;
    const std::uint64_t bytes = std::min(envelope.bytes, operation.buffer.bytes);
    int opened = 0;
    check_fmpl(fmpl_joint_open(operation.source, envelope.receive_id, operation.buffer.data, bytes, &opened));
    return opened != 0;
}

// The same where that is worth it.
bool DirectPacking::open(const ReceiveOperation& operation)
{
    const Envelope& envelope = operation.envelope;
    const std::uint64_t bytes = std::min(envelope.bytes, operation.buffer.bytes);
    return envelope.receive_id != 0 && operation.buffer.in_one_piece() && bytes > 0 &&
           !has_sends_to(operation.source) && is_better_joint(operation, bytes) && claim(operation);
}

// Whether the message is one of private memory at both ends, longer than what goes through the ring without being asked
// for, and the ring has room for four of it; and its source answers.
bool DirectPacking::prefers_pieces(const ReceiveOperation& operation)
{
    const std::uint64_t bytes = operation.envelope.bytes;
    const MessageBuffer& buffer = operation.buffer;
    return operation.envelope.receive_id != 0 && bytes > std::max(CopyRates::longest(), kStraightPieceBytes) &&
           bytes <= fmpl_envelope_body_limit() && bytes <= buffer.bytes && buffer.in_one_piece() &&
           fmpl_is_remote_dma(buffer.data, bytes) == 0 && asking(operation.source).is_worth_it();
}

// Of a message that has been asked for: whether it is still waited for.
bool DirectPacking::is_patient(const Read& read) const
{
    const double since = std::max(read.asked_at, heard_at_[static_cast<std::size_t>(read.operation->source)]);
    return fmpl_wtime() - since < kPatience && fmpl_is_last_look() == 0;
}

// Takes one message, so that what comes meanwhile is seen before the next.
bool DirectPacking::take_read()
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
            read.is_joint = claim(*operation);
            if (!read.is_joint) {  // its pieces come
                reads_.erase(place);
                continue;
            }
            asking(operation->source).was_in_vain();
            take_out(receives_, id_of(operation));
            read.asked_at = 0;
        }
        const bool is_joint = read.is_joint;
        if (is_joint && !take_jointly(read)) {
            ++i;
            continue;
        }
        reads_.erase(place);
        if (!is_joint && !this->read(*operation)) ask_for_room(operation);
        return true;
    }
    return false;
}

bool DirectPacking::take_jointly(Read& read)
{
    ReceiveOperation& operation = *read.operation;
    const Envelope& envelope = operation.envelope;
    const MessageBuffer& buffer = operation.buffer;
    const std::uint64_t bytes = std::min(envelope.bytes, buffer.bytes);
    const double begin = fmpl_wtime();
    std::size_t copied = 0;
    int done = 0;
    const bool alone = has_sends_to(operation.source);
    check_fmpl(fmpl_joint_take(
        operation.source, envelope.receive_id, envelope.place, buffer.data, bytes, alone ? 1 : 0, &copied, &done));
    const bool one_call =
        alone || bytes > CopyRates::kShort || 2 * copied <= bytes + 64;  // of longer ones they do not count
    if (copied > 0) add_copy(read.copy, copied, one_call ? 1 : 2, begin);
    if (done != 0) taken_by(operation, read.copy);
    return done != 0;
}

bool DirectPacking::give_jointly()
{
    const double now = fmpl_wtime();
    const bool is_last_look = fmpl_is_last_look() != 0;
    for (std::size_t i = 0; i < joint_sends_.size(); ++i) {
        Announced& announced = *joint_sends_[i];
        const bool rests =
            now < announced.helps_from || (now < rests_to_ && announced.operation->envelope.send_id <= rests_of_);
        if (rests && !is_last_look) continue;
        const MessageBuffer& buffer = announced.operation->buffer;
        int done = 0;
        check_fmpl(
            fmpl_joint_give(announced.operation->destination, announced.record, buffer.data, buffer.bytes, &done));
        if (done == 0) continue;
        joint_sends_.erase(joint_sends_.begin() + static_cast<std::ptrdiff_t>(i));
        --unfinished_[static_cast<std::size_t>(announced.operation->destination)];
        std::exchange(announced.operation, {})->complete_with(Status::empty());
        return true;
    }
    return false;
}

// This rank has copied some of a message that it receives: what it has announced it leaves to its destinations for as
// long again.
void DirectPacking::add_copy(OwnCopy& copy, std::uint64_t bytes, int calls, double begin)
{
    const double end = fmpl_wtime();
    copy.bytes += bytes;
    copy.calls += calls;
    copy.seconds += end - begin;
    rests_to_ = end + std::min(end - begin, kLongestRest);
    rests_of_ = sends_;
}

// The message is there.
void DirectPacking::taken_by(ReceiveOperation& operation, const OwnCopy& copy)
{
    Envelope taken{};
    taken.kind = EnvelopeKind::taken;
    taken.send_id = operation.envelope.send_id;
    const bool is_whole = operation.envelope.bytes <= operation.buffer.bytes;
    if (is_whole && operation.envelope.bytes <= CopyRates::longest() && copy.bytes >= kTimedFrom) {
        const double calls_ns = operation.envelope.bytes > CopyRates::kShort ? 0 : copy.calls * kCallNs;
        taken.bytes = copy.bytes;
        taken.place = static_cast<std::uint64_t>(std::max(copy.seconds * 1e9 - calls_ns, 0.0));
    }
    operation.finish_with(operation.envelope);
    outbox_->post(operation.source, taken);
}

// Whether the message could be read at its private address; then the receive is complete.
bool DirectPacking::read(ReceiveOperation& operation)
{
    const Envelope& envelope = operation.envelope;
    const MessageBuffer& buffer = operation.buffer;
    const std::uint64_t bytes = std::min(envelope.bytes, buffer.bytes);
    const bool straight = buffer.in_one_piece();
    const std::uint64_t most = straight ? bytes : std::min(bytes, kUnpackedBytes);
    const Scratch scratch = straight ? Scratch() : scratch_or_none(most);
    if (!straight && !scratch) return false;
    const double begin = fmpl_wtime();
    std::uint64_t at = 0;
    do {
        const std::uint64_t end = std::min(at + most, bytes);
        std::byte* const to = straight ? buffer.data : scratch.data();
        int copied = 0;
        check_fmpl(fmpl_private_read(operation.source, envelope.place + at, to, end - at, &copied));
        if (copied == 0) return false;
        if (!straight) buffer.unpack(at, end, scratch.data());
        at = end;
    } while (at < bytes);
    OwnCopy copy;
    if (straight) add_copy(copy, bytes, 1, begin);
    taken_by(operation, copy);
    return true;
}

void DirectPacking::taken(int source, const Envelope& envelope)
{
    if (envelope.bytes > 0) copy_rates_.was_read(source, envelope.bytes, envelope.place);
    const auto found = announced_.find(envelope.send_id);
    if (found != announced_.end() && found->second.operation && found->second.operation->destination != source) return;
    if (const Ref<SendOperation> operation = forget(envelope.send_id)) {
        operation->complete_with(Status::empty());
    }
}

void DirectPacking::receive(const Ref<ReceiveOperation>& operation)
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
        read.is_joint = open(*operation);
    }
    reads_.push_back(std::move(read));
}

void DirectPacking::ask_for_room(const Ref<ReceiveOperation>& operation)
{
    const std::uint64_t bytes = operation->envelope.bytes;
    const MessageBuffer& buffer = operation->buffer;
    Envelope room{};
    room.kind = EnvelopeKind::room;
    room.send_id = operation->envelope.send_id;
    room.receive_id = id_of(operation);
    if (bytes > 0 && buffer.in_one_piece() && buffer.bytes >= bytes && fmpl_is_remote_dma(buffer.data, bytes) != 0 &&
        fmpl_is_addressable(operation->source) != 0) {
        check_fmpl(fmpl_remote_place(buffer.data, bytes, &room.place));
    }
    receives_.emplace(room.receive_id, operation);
    outbox_->post(operation->source, room);
}

void DirectPacking::room(int source, const Envelope& envelope)
{
    const auto found = announced_.find(envelope.send_id);
    if (found == announced_.end()) return;
    const Announced& announced = found->second;
    if (!announced.operation || announced.operation->destination != source) return;
    if (announced.record != nullptr && envelope.place == 0 &&
        announced.operation->envelope.bytes <= fmpl_envelope_body_limit()) {
        asked_.push_back({envelope.send_id, envelope.receive_id, source});  // until this rank comes to copy
        return;
    }
    const Ref<SendOperation> operation = to_be_packed(found);
    if (!operation) return;
    const std::uint64_t bytes = operation->envelope.bytes;
    void* const to = envelope.place != 0 ? fmpl_remote_room(source, envelope.place, bytes) : nullptr;
    if (to == nullptr) {
        streams_.push_back({operation, envelope.receive_id});
        return;
    }
    operation->buffer.pack(0, bytes, to);
    --unfinished_[static_cast<std::size_t>(source)];
    Envelope packed{};
    packed.kind = EnvelopeKind::packed;
    packed.receive_id = envelope.receive_id;
    untold_.push_back({operation, packed});
    tell();
}

bool DirectPacking::tell()
{
    const std::size_t over = std::erase_if(untold_, [&](const Untold& untold) {
        if (!outbox_->try_post(untold.operation->destination, untold.packed)) return false;
        untold.operation->complete_with(Status::empty());
        return true;
    });
    return over > 0;
}

void DirectPacking::packed(const Envelope& envelope)
{
    if (const Ref<ReceiveOperation> operation = take_out(receives_, envelope.receive_id)) has_come(operation);
}

// All of the message has; its source keeps a record of it until it knows.
void DirectPacking::has_come(const Ref<ReceiveOperation>& operation)
{
    const Envelope announced = operation->envelope;
    operation->finish_with(announced);
    if (announced.place == 0 || announced.receive_id == 0) return;
    Envelope taken{};
    taken.kind = EnvelopeKind::taken;
    taken.send_id = announced.send_id;
    outbox_->post(operation->source, taken);
}

// It will not be read.
void DirectPacking::first_piece(const Ref<ReceiveOperation>& operation)
{
    const std::size_t asked =
        std::erase_if(reads_, [&](const Read& read) { return read.operation.get() == operation.get(); });
    if (asked > 0) asking(operation->source).has_succeeded();
}

void DirectPacking::piece(const Envelope& envelope, const void* body)
{
    const auto found = receives_.find(envelope.receive_id);
    if (found == receives_.end()) return;
    const Ref<ReceiveOperation> operation = found->second;
    const std::uint64_t begin = envelope.place;
    if (begin == 0) first_piece(operation);
    if (!reads_.empty()) heard_at_[static_cast<std::size_t>(operation->source)] = fmpl_wtime();
    take_body(envelope.bytes, [&](std::uint64_t from, std::uint64_t to) {
        const std::uint64_t end = std::min(begin + to, operation->buffer.bytes);
        if (begin + from < end) operation->buffer.unpack(begin + from, end, static_cast<const std::byte*>(body) + from);
    });
    if (begin + envelope.bytes < operation->envelope.bytes) return;
    receives_.erase(envelope.receive_id);
    has_come(operation);
}

// Whether the ring has had room for all that was left of it; then the send is complete.
bool DirectPacking::send_pieces(Stream& stream, std::uint64_t longest)
{
    const std::uint64_t most = std::min<std::uint64_t>(longest, fmpl_envelope_body_limit());
    const std::uint64_t bytes = stream.operation->envelope.bytes;
    const int destination = stream.operation->destination;
    do {  // one piece at least: of no bytes for a message without any
        Envelope piece{};
        piece.kind = EnvelopeKind::piece;
        piece.receive_id = stream.receive_id;
        piece.place = stream.begin;
        piece.bytes = std::min(most, bytes - stream.begin);
        if (!Outbox::send_with_body(destination, piece, stream.operation->buffer, stream.begin)) return false;
        stream.begin += piece.bytes;
    } while (stream.begin < bytes);
    --unfinished_[static_cast<std::size_t>(destination)];
    stream.operation->complete_with(Status::empty());
    return true;
}

bool DirectPacking::stream()
{
    int full = -1;  // the last destination whose ring was
    const std::size_t over = std::erase_if(streams_, [&](Stream& stream) {
        const int destination = stream.operation->destination;
        if (destination == full) return false;
        if (send_pieces(stream, kPieceBytes)) return true;
        full = destination;
        return false;
    });
    return over > 0;
}

// Only those that the ring has room for, so that none is begun whose end its receiver would have to wait for.
bool DirectPacking::send_asked()
{
    int full = -1;
    const std::size_t over = std::erase_if(asked_, [&](const Asked& asked) {
        if (asked.destination == full) return false;
        const auto found = announced_.find(asked.send_id);
        if (found == announced_.end() || !found->second.operation) return true;
        void* room = nullptr;
        if (fmpl_envelope_reserve(asked.destination, found->second.operation->envelope.bytes, &room) == 0) {
            full = asked.destination;
            return false;
        }
        Stream pieces{to_be_packed(found), asked.receive_id};
        if (pieces.operation && !send_pieces(pieces, kStraightPieceBytes)) streams_.push_back(std::move(pieces));
        return true;
    });
    return over > 0;
}

}  // namespace fmpl::mpi
