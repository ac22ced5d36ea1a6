// A request with the arguments of a communication, to be started again and again (MPI-3.1, section 3.9).
#pragma once

#include "group/communicator.hpp"
#include "messenger/buffered_sends.hpp"
#include "p2p/message_buffer.hpp"
#include "p2p/request.hpp"

#include <fmpl/layers.h>

namespace fmpl::mpi {

class PersistentRequest final : public Request {
public:
    enum class Kind { receive, standard_send, synchronous_send, buffered_send };

    // The arguments were checked. Inactive. `attached` outlives it, and holds a buffer when a
    // buffered send is started. sent: the request of all sends that are over at once.
    PersistentRequest(const AttachedBuffer& attached, const RequestRef& sent, Kind kind, const MessageBuffer& buffer,
        CommunicatorPtr comm, int peer, int tag);

    // Throws Error (MPI_ERR_REQUEST) when it is active, and what starting the communication throws.
    void start(Messenger& messenger) override;
    void cancel(Messenger& messenger) override;
    int abandon() override;

private:
    Request* started() const override { return started_.get(); }
    int finish_own() override;

    const AttachedBuffer& attached_;
    const RequestRef sent_;
    const int* observed_ = fmpl_layer_observed();  // what is not 0 while the rank is observed
    Kind kind_;
    KeptBuffer buffer_;
    CommunicatorPtr comm_;
    int peer_;
    int tag_;
    RequestRef started_;  // null: inactive
};

}  // namespace fmpl::mpi
