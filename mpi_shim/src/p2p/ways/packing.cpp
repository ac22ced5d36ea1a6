#include "p2p/ways/packing.hpp"

namespace fmpl::mpi {

void Packing::send(const Ref<SendOperation>& operation, void* to, std::uint64_t receive_id)
{
    operation->buffer.pack(0, operation->envelope.bytes, to);
    announcements_->is_there(operation->destination);
    Envelope packed{};
    packed.kind = EnvelopeKind::packed;
    packed.receive_id = receive_id;
    untold_.push_back({operation, packed});
    progress();
}

bool Packing::progress()
{
    const std::size_t over = std::erase_if(untold_, [&](const Untold& untold) {
        if (!outbox_->try_post(untold.operation->destination, untold.packed)) return false;
        untold.operation->complete_with(Status::empty());
        return true;
    });
    return over > 0;
}

}  // namespace fmpl::mpi
