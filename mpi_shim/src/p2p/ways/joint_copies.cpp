#include "p2p/ways/joint_copies.hpp"

#include "p2p/copy_rates.hpp"
#include "p2p/fmpl_call.hpp"
#include "p2p/outbox.hpp"
#include "p2p/take_body.hpp"

#include <fmpl.h>
#include <fmpl/envelopes.h>
#include <fmpl/joint_copy.h>
#include <fmpl/remote.h>
#include <fmpl/waiting.h>

#include <algorithm>
#include <stdexcept>

namespace fmpl::mpi {
namespace {

// From this size on a message has a record.
constexpr std::size_t kJointBytes = 32 * 1024;
constexpr std::size_t kJointBytesPassedOn = 16 * 1024;
// In a collective call each has parts of its own to copy, and whose the buffer is reads it next. But the source needs
// no call of the kernel to write to remote-DMA memory.
constexpr std::size_t kJointBytesInCollective = 512 * 1024;

// Shorter pieces are slower than the kernel.
constexpr std::size_t kLeastPassed = 16 * 1024;

// A sender lets its destination copy for so long before it helps: bytes per second, of a slow copy by the kernel; but
// no more than so many seconds, nor longer than it looks before it sleeps.
constexpr double kSlowCopyRate = 2e9;
constexpr double kLongestRest = 0.5e-3;

std::uint64_t bytes_of(const ReceiveOperation& operation)
{
    return std::min(operation.envelope.bytes, operation.buffer.bytes);
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

void JointCopies::prepare(Announced& announced, bool expects)
{
    SendOperation& operation = *announced.operation;
    if (operation.buffer.bytes < (passes_on_ ? kJointBytesPassedOn : kJointBytes)) return;
    if ((announced.record = records_.take()) == nullptr) return;
    check_fmpl(fmpl_joint_prepare(announced.record));
    check_fmpl(fmpl_remote_place(announced.record, FMPL_JOINT_RECORD, &operation.envelope.receive_id));
    if (passes_on_) passed_at(announced.destination) = fmpl_wtime();
    const double slow_copy = static_cast<double>(operation.buffer.bytes) / kSlowCopyRate;
    if (expects) announced.helps_from = fmpl_wtime() + std::min(slow_copy, kLongestRest);
}

bool JointCopies::withdraw(Announced& announced)
{
    int withdrawn = 0;
    check_fmpl(fmpl_joint_withdraw(announced.record, &withdrawn));
    if (withdrawn != 0) std::erase(sends_, &announced);
    return withdrawn != 0;
}

void JointCopies::end(Announced& announced)
{
    if (announced.record == nullptr) return;
    if (announced.operation) std::erase(sends_, &announced);
    records_.give_back(announced.record);
}

bool JointCopies::give()
{
    const bool is_last_look = fmpl_is_last_look() != 0;
    int full = -1;  // the last destination whose ring was
    for (std::size_t i = 0; i < sends_.size(); ++i) {
        Announced& announced = *sends_[i];
        bool is_there = false;
        if (passes_on_ && announced.destination != full && !pass_on(announced, is_there)) full = announced.destination;
        const double now = fmpl_wtime();
        const bool rests = now < announced.helps_from || now < passed_at(announced.destination) + patience_ ||
                           (now < rests_to_ && announced.operation->envelope.send_id <= rests_of_);
        if (!is_there && (!rests || is_last_look)) {
            const MessageBuffer& buffer = announced.operation->buffer;
            int done = 0;
            check_fmpl(fmpl_joint_give(announced.destination, announced.record, buffer.data, buffer.bytes, &done));
            is_there = done != 0;
        }
        if (!is_there) continue;
        sends_.erase(sends_.begin() + static_cast<std::ptrdiff_t>(i));
        announcements_->is_there(announced.destination);
        std::exchange(announced.operation, {})->complete_with(Status::empty());
        return true;
    }
    return false;
}

// Chunks of a message, as bodies of envelopes, while the ring has room for one, which is returned. is_there: all of
// the message has gone.
bool JointCopies::pass_on(const Announced& announced, bool& is_there)
{
    const SendOperation& operation = *announced.operation;
    Envelope piece{};
    piece.kind = EnvelopeKind::piece;
    piece.send_id = operation.envelope.send_id;
    std::size_t begin = 0;
    std::size_t bytes = 0;
    const auto claim = [&](std::size_t longest) {
        int done = 0;
        check_fmpl(fmpl_joint_claim(
            announced.destination, announced.record, operation.buffer.bytes, longest, &begin, &bytes, &done));
        is_there = done != 0;
        return bytes > 0;
    };
    const std::size_t most = passed_bytes();
    while (!is_there && claim(0)) {
        void* room = nullptr;
        if (fmpl_envelope_reserve(announced.destination, most, &room) == 0) return false;
        if (!claim(most)) break;
        piece.place = begin;
        piece.bytes = bytes;
        if (!Outbox::send_with_body(announced.destination, piece, operation.buffer, begin))
            throw std::logic_error("a ring has lost its room");
        passed_at(announced.destination) = fmpl_wtime();
    }
    return true;
}

bool JointCopies::is_for(const ReceiveOperation& operation) const
{
    const std::uint64_t bytes = bytes_of(operation);
    if (operation.envelope.receive_id == 0 || !operation.buffer.in_one_piece() || bytes == 0) return false;
    if (is_passed_on(operation)) return true;
    return !announcements_->any_under_way(operation.source) &&
           (traffic_of(operation.key.context) == Traffic::point_to_point || bytes >= kJointBytesInCollective ||
               fmpl_is_remote_dma(operation.buffer.data, bytes) != 0);
}

bool JointCopies::is_passed_on(const ReceiveOperation& operation) const
{
    return passes_on_ && passed_bytes() >= kLeastPassed &&
           fmpl_is_remote_dma(operation.buffer.data, bytes_of(operation)) == 0;
}

bool JointCopies::open(const ReceiveOperation& operation) const
{
    int opened = 0;
    check_fmpl(fmpl_joint_open(operation.source, operation.envelope.receive_id, operation.buffer.data,
        bytes_of(operation), is_passed_on(operation) ? passed_bytes() : 0, &opened));
    return opened != 0;
}

void JointCopies::piece(const ReceiveOperation& operation, const Envelope& envelope, const void* body)
{
    const std::uint64_t bytes = bytes_of(operation);
    take_body(envelope.bytes, [&](std::uint64_t from, std::uint64_t to) {
        if (envelope.place > bytes || to > bytes - envelope.place) return;  // none of this message
        operation.buffer.unpack(envelope.place + from, envelope.place + to, static_cast<const std::byte*>(body) + from);
    });
}

bool JointCopies::is_there(const ReceiveOperation& operation, std::size_t pieces)
{
    int done = 0;
    check_fmpl(fmpl_joint_arrived(operation.source, operation.envelope.receive_id, bytes_of(operation), pieces, &done));
    return done != 0;
}

bool JointCopies::take(const ReceiveOperation& operation, OwnCopy& copy)
{
    const Envelope& envelope = operation.envelope;
    const std::uint64_t bytes = bytes_of(operation);
    const bool alone = is_passed_on(operation) || announcements_->any_under_way(operation.source);
    const double begin = fmpl_wtime();
    std::size_t copied = 0;
    int done = 0;
    check_fmpl(fmpl_joint_take(operation.source, envelope.receive_id, envelope.place, operation.buffer.data, bytes,
        alone ? 1 : 0, &copied, &done));
    // Of longer ones the calls do not count.
    const bool one_call = alone || bytes > CopyRates::kShort || 2 * copied <= bytes + 64;
    if (copied > 0) {
        copy.add(copied, one_call ? 1 : 2, begin);
        rest_after(copy);
    }
    return done != 0;
}

void JointCopies::rest_after(const OwnCopy& copy)
{
    rests_to_ = copy.end + std::min(copy.last, kLongestRest);
    rests_of_ = announcements_->last_id();
}

}  // namespace fmpl::mpi
