// Making communicators from communicators (MPI-3.1, sections 6.4.2 and 6.6.2). The new one has no handle yet; it
// takes over the error handler of the one that it is made from. Contexts come from one member, its leader, after all
// have told it that they have a handle to spare for the new communicator: where all members know the leader
// beforehand, that and a broadcast of the context are all that is sent. Where a member has none, the error is
// MPI_ERR_COMM on all of them, and nothing is made.
//
// Everything here is collective, over what the description says. Arguments were checked but for what is said. Errors:
// Error.
#pragma once

#include "group/communicator.hpp"
#include "messenger/messenger.hpp"

#include <functional>

namespace fmpl::mpi {

class Process;

// What comes of MPI_Comm_idup: the communicator may be used when the request is complete. Attributes and name are the
// caller's business. The caller adds `made` to the process's handles next, if there is room: the others have been
// told of that. Without room, too, the request goes on, for the others' sake.
struct Duplicate {
    CommunicatorPtr made;
    Ref<ActiveRequest> request;
};
Duplicate start_duplicate(Process& process, const CommunicatorPtr& comm);
// The same, complete.
CommunicatorPtr duplicate(Process& process, const CommunicatorPtr& comm);

// One of the members of `group` for each group that ranks of comm give, which are disjoint. Null where the caller is
// in none. Of an intercommunicator an intercommunicator, between the groups of both sides; null when one of them is
// empty. MPI_ERR_GROUP when `group` has others than comm's.
CommunicatorPtr create_from_group(Process& process, Communicator& comm, const GroupPtr& group);
// Called by the members of `group` alone. comm: an intracommunicator. tag: the user's.
CommunicatorPtr create_from_group_alone(Process& process, Communicator& comm, const GroupPtr& group, int tag);

// One for each color, its ranks ordered by key, then by rank in comm. color: 0 or more, or MPI_UNDEFINED, which gets
// null. Of an intercommunicator the colors of both sides meet; null when the other side has none of this color.
CommunicatorPtr split(Process& process, Communicator& comm, int color, int key);

// leader: the leader's rank in `local`. find_peer: called by the leader alone; checks its arguments and returns the
// communicator and the rank there of the other leader. MPI_ERR_COMM, on all, when the groups overlap.
struct RemoteLeader {
    CommunicatorPtr peer_comm;
    int rank;
};
CommunicatorPtr create_intercommunicator(
    Process& process, Communicator& local, int leader, const std::function<RemoteLeader()>& find_peer, int tag);

// One of both groups; that side is first whose members give high = false, or, when both give the same, the one with
// the lower first rank in MPI_COMM_WORLD.
CommunicatorPtr merge(Process& process, Communicator& inter, bool high);

}  // namespace fmpl::mpi
