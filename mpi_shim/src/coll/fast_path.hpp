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

// Of an intracommunicator; nullptr: it has none.
fmpl_exchange* fast_exchange(CollectiveState& state, Communicator& comm);

bool fast_barrier(CollectiveState& state, Communicator& comm);
bool fast_bcast(CollectiveState& state, Communicator& comm, const MessageBuffer& message, int root);
// contribution: may be `result`. Requires operation.check(type).
bool fast_allreduce(CollectiveState& state, Communicator& comm, const void* contribution, void* result,
    std::int64_t count, const TypeObject& type, const Operation& operation);
// result: on root.
bool fast_reduce(CollectiveState& state, Communicator& comm, const void* contribution, void* result, std::int64_t count,
    const TypeObject& type, const Operation& operation, int root);

}  // namespace fmpl::mpi
