// FMPL's own collective calls under blocking MPI calls. Each function returns false where the call is to be made as a
// schedule; all members of the communicator then get false. They block as their MPI calls do, while the messenger's
// transfers go on. Throw Error.
#pragma once

#include "coll/operation.hpp"
#include "group/communicator.hpp"
#include "datatype/type_object.hpp"
#include "p2p/message_buffer.hpp"

#include <cstdint>

namespace fmpl::mpi {

struct CollectiveState;

// Of the communicator's blocking calls, of its nonblocking ones; nullptr: there are none, on no member. The latter does
// not block, so that there are none before a blocking call has founded FMPL's communicator, but for MPI_COMM_WORLD.
void find_exchanges(CollectiveState& state, Communicator& comm);
inline fmpl_exchanges* exchanges_of_blocking(CollectiveState& state, Communicator& comm)
{
    if (!comm.fmpl_comm_tried) [[unlikely]]
        find_exchanges(state, comm);
    return comm.exchanges;
}
inline fmpl_exchanges* exchanges_of_nonblocking(CollectiveState& state, Communicator& comm)
{
    if (!comm.fmpl_comm_tried && comm.handle == kCommWorld) [[unlikely]]
        find_exchanges(state, comm);
    return comm.nonblocking_exchanges;
}

bool fast_barrier(CollectiveState& state, Communicator& comm);
bool fast_bcast(CollectiveState& state, Communicator& comm, const MessageBuffer& message, int root);
// contribution: may be `result`. form: Operation::fmpl_form.
bool fast_allreduce(CollectiveState& state, Communicator& comm, const void* contribution, void* result,
    std::int64_t count, const fmpl_op& form);
// result: on root.
bool fast_reduce(CollectiveState& state, Communicator& comm, const void* contribution, void* result, std::int64_t count,
    const fmpl_op& form, int root);

}  // namespace fmpl::mpi
