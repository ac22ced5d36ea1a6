#include "p2p/direct_reading.hpp"

#include "error.hpp"
#include "p2p/fmpl_call.hpp"

#include <fmpl/remote.h>
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
        free_.reserve(announced_.capacity());
        free_.push_back(announced_.size() - 1);
    }
    Envelope& envelope = operation->envelope;
    envelope.kind = EnvelopeKind::readable;
    envelope.send_id = free_.back();
    check_fmpl(fmpl_remote_place(buffer.data, buffer.bytes, &envelope.place));
    outbox_->announce(operation->destination, envelope);  // the answer comes in a later call
    free_.pop_back();
    announced_[envelope.send_id] = operation;
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
    operation->complete_with(Status::empty());
}

}  // namespace fmpl::mpi
