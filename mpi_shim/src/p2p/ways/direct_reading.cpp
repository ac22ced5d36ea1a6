#include "p2p/ways/direct_reading.hpp"

#include "error.hpp"
#include "p2p/fmpl_call.hpp"

#include <fmpl.h>
#include <fmpl/remote.h>

#include <algorithm>
#include <utility>

namespace fmpl::mpi {

bool DirectReading::is_for(const SendOperation& operation)
{
    const MessageBuffer& buffer = operation.buffer;
    const bool in_collective = traffic_of(operation.envelope.context) == Traffic::collective;
    return buffer.in_one_piece() && buffer.bytes > 0 &&
           (buffer.bytes < kSharedFrom || (in_collective && buffer.bytes <= kLongestInCollective)) &&
           fmpl_is_remote_dma(buffer.data, buffer.bytes) != 0 && fmpl_is_addressable(operation.destination) != 0;
}

bool DirectReading::try_send(const Ref<SendOperation>& operation)
{
    if (!is_for(*operation)) return false;
    if (free_.empty()) {
        announced_.emplace_back();
        free_.reserve(announced_.capacity());
        free_.push_back(announced_.size() - 1);
    }
    Envelope& envelope = operation->envelope;
    envelope.kind = EnvelopeKind::readable;
    envelope.send_id = free_.back();
    check_fmpl(fmpl_remote_place(operation->buffer.data, operation->buffer.bytes, &envelope.place));
    outbox_->announce(operation->destination, envelope);  // the answer comes in a later call
    free_.pop_back();
    announced_[envelope.send_id] = operation;
    return true;
}

void DirectReading::receive(ReceiveOperation& operation, int source, const Envelope& envelope)
{
    const void* const from = fmpl_remote_view(source, envelope.place, envelope.bytes);
    if (from == nullptr) {
        fail(ErrorClass::intern,
            "{} bytes of rank {} cannot be read where they lie, although that rank addresses this one's memory",
            envelope.bytes, source);
    }
    const MessageBuffer& buffer = operation.buffer;
    Envelope read{};
    read.kind = EnvelopeKind::read;
    read.send_id = envelope.send_id;
    const bool is_timed = envelope.receive_id != 0 && buffer.in_one_piece() && envelope.bytes <= buffer.bytes;
    const double begin = is_timed ? fmpl_wtime() : 0;
    buffer.unpack(0, std::min(envelope.bytes, buffer.bytes), from);
    if (is_timed) {
        read.bytes = envelope.bytes;
        read.place = static_cast<std::uint64_t>(std::max(fmpl_wtime() - begin, 0.0) * 1e9);
        copy_rates_.was_read(source, read.bytes, read.place);
    }
    operation.finish_with(envelope);
    outbox_->post(source, read);
}

void DirectReading::read(int source, const Envelope& envelope)
{
    if (envelope.send_id >= announced_.size()) return;
    const Ref<SendOperation>& announced = announced_[envelope.send_id];
    if (!announced || announced->destination != source) return;
    const Ref<SendOperation> operation = std::exchange(announced_[envelope.send_id], {});
    free_.push_back(envelope.send_id);
    if (envelope.bytes > 0) {
        copy_rates_.was_read(source, envelope.bytes, envelope.place);
    } else if (operation->envelope.receive_id != 0) {
        copy_rates_.was_read_untimed(source);
    }
    operation->complete_with(Status::empty());
}

}  // namespace fmpl::mpi
