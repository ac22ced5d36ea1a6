#include "p2p/direct_reading.hpp"

#include "error.hpp"
#include "p2p/fmpl_call.hpp"

#include <mpi.h>

#include <algorithm>
#include <utility>

namespace fmpl::mpi {

bool DirectReading::try_send(const Ref<SendOperation>& operation)
{
    const MessageBuffer& buffer = operation->buffer;
    if (!buffer.in_one_piece() || buffer.bytes == 0 || buffer.bytes >= kSharedFrom) return false;
    if (fmpl_is_remote_dma(buffer.data, buffer.bytes) == 0 || fmpl_is_addressable(operation->destination) == 0) {
        return false;
    }
    if (free_.empty()) {
        announced_.emplace_back();
        free_.reserve(announced_.size());
        free_.push_back(announced_.size() - 1);
    }
    Envelope& envelope = operation->envelope;
    envelope.kind = EnvelopeKind::readable;
    envelope.send_id = free_.back();
    check_fmpl(fmpl_remote_place(buffer.data, buffer.bytes, &envelope.place));
    free_.pop_back();
    announced_[envelope.send_id] = operation;
    outbox_->post(operation->destination, envelope);
    return true;
}

void DirectReading::receive(ReceiveOperation& operation, int source, const Envelope& envelope)
{
    const void* const from = fmpl_remote_view(source, envelope.place, envelope.bytes);
    if (from == nullptr) {
        fail(MPI_ERR_INTERN,
            "{} bytes of rank {} cannot be read where they lie, although that rank addresses this one's memory",
            envelope.bytes, source);
    }
    const MessageBuffer& buffer = operation.buffer;
    buffer.unpack(0, std::min(envelope.bytes, buffer.bytes), from);
    Envelope read{};
    read.kind = EnvelopeKind::read;
    read.send_id = envelope.send_id;
    outbox_->post(source, read);
    operation.finish_with(envelope);
}

void DirectReading::read(const Envelope& envelope)
{
    if (envelope.send_id >= announced_.size() || !announced_[envelope.send_id]) return;
    const Ref<SendOperation> operation = std::exchange(announced_[envelope.send_id], {});
    free_.push_back(envelope.send_id);
    operation->complete_with(Status::empty());
}

}  // namespace fmpl::mpi
