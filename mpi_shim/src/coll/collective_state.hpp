// What a rank keeps for its collective operations from one to the next.
#pragma once

#include "coll/scratch_pool.hpp"
#include "group/group.hpp"
#include "handles/type_table.hpp"
#include "p2p/request_pool.hpp"

#include <fmpl.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace fmpl::mpi {

class ListedSchedule;
class ImmediateSchedule;

// How blocking barriers, broadcasts and reductions are done (FMPL_MPI_COLLECTIVES). automatic: by FMPL's own calls
// where they can.
enum class CollectiveForm { automatic, schedule };

struct CollectiveState {
    // types: the rank's, which live longer.
    explicit CollectiveState(TypeTable& types);
    ~CollectiveState();
    CollectiveState(const CollectiveState&) = delete;
    CollectiveState& operator=(const CollectiveState&) = delete;

    // Frees temporary memory. To be called before the job is left.
    void leave();

    bool has_left = false;
    CollectiveForm form;
    GroupPtr job;      // all ranks; null until the rank has joined
    TypeTable& types;  // for users' functions, which get a handle of the type
    ScratchPool scratch;
    RequestPool<ListedSchedule> schedules;
    std::unique_ptr<ImmediateSchedule> immediate;  // while no call has it
    // FMPL's communicators by their members' world ranks; FMPL_COMM_NULL where there is none. Communicators with the
    // same members share one: blocking collective calls on them come in the same order on all members.
    std::map<std::vector<int>, fmpl_comm_t> fmpl_comms;
};

}  // namespace fmpl::mpi
