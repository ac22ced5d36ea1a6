#include "messenger/persistent_request.hpp"

#include "error.hpp"

#include <utility>

namespace fmpl::mpi {

PersistentRequest::PersistentRequest(const AttachedBuffer& attached, const RequestRef& sent, Kind kind,
    const MessageBuffer& buffer, CommunicatorPtr comm, int peer, int tag)
    : Request(Life::persistent),
      attached_(attached),
      sent_(sent),
      kind_(kind),
      buffer_(buffer),
      comm_(std::move(comm)),
      peer_(peer),
      tag_(tag)
{
    comm_handle = comm_->handle;
}

void PersistentRequest::start(Messenger& messenger)
{
    if (is_active()) fail(ErrorClass::request, "request is active already; wait for it before starting it again");
    constexpr Traffic kTraffic = Traffic::point_to_point;
    switch (kind_) {
        case Kind::receive:
            started_ = messenger.irecv(buffer_, *comm_, kTraffic, peer_, tag_);
            break;
        case Kind::standard_send:
            started_ = messenger.send_eagerly(buffer_, *comm_, kTraffic, peer_, tag_)
                           ? sent_
                           : messenger.isend(buffer_, *comm_, kTraffic, peer_, tag_);
            break;
        case Kind::synchronous_send:
            started_ = messenger.isend(buffer_, *comm_, kTraffic, peer_, tag_, SendMode::synchronous);
            break;
        case Kind::buffered_send:
            send_buffered(attached_, messenger, buffer_, *comm_, peer_, tag_);
            started_ = sent_;
            break;
    }
    if (*observed_ != 0 && kind_ != Kind::receive && peer_ != kProcNull)
        fmpl_layer_call_sent(comm_->peers().world_rank(peer_), buffer_.bytes);
}

int PersistentRequest::finish_own()
{
    const RequestRef done = std::exchange(started_, {});
    const int code = done->finish();
    status = done->status;
    return code;
}

void PersistentRequest::cancel(Messenger& messenger)
{
    if (!is_active()) fail(ErrorClass::request, "request is not active, so there is nothing to cancel");
    started_->cancel(messenger);
}

int PersistentRequest::abandon()
{
    return started_->abandon();
}

}  // namespace fmpl::mpi
