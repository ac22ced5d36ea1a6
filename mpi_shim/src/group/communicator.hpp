// What a communicator handle stands for (MPI-3.1, chapter 6).
//
// Held by shared_ptr: it lives as long as a handle, a pending request or a message of it needs it. Used by its rank
// alone.
#pragma once

#include "group/group.hpp"

#include <fmpl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

struct fmpl_exchanges;

namespace fmpl::mpi {

class Attributes;
class CartesianTopology;
class ContextNumbers;
class GraphTopology;
class DistributedGraphTopology;
class Errhandler;
struct Neighbours;

// Messages of different contexts never match. Of each communicator, the even number is of point-to-point messages and
// the odd one of collective calls.
using Context = std::uint32_t;
enum class Traffic : Context { point_to_point = 0, collective = 1 };
constexpr Traffic traffic_of(Context context)
{
    return static_cast<Traffic>(context & 1);
}

using Topology = std::variant<std::monostate, std::shared_ptr<const CartesianTopology>,
    std::shared_ptr<const GraphTopology>, std::shared_ptr<const DistributedGraphTopology>>;

class Communicator : public std::enable_shared_from_this<Communicator> {
public:
    // context: even, agreed on by all members (ContextNumbers). remote: null for an intracommunicator.
    Communicator(Context context, int rank, GroupPtr group, GroupPtr remote = nullptr)
        : context_(context),
          rank_(rank),
          group_(std::move(group)),
          remote_(std::move(remote))
    {
    }
    ~Communicator();
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    Context context(Traffic traffic) const { return context_ + static_cast<Context>(traffic); }
    // For one whose context becomes known later: nothing may be sent or received on it before.
    void set_context(Context context) { context_ = context; }
    // Destroyed, it gives its context back to `numbers`, which must live longer.
    void return_context_to(ContextNumbers& numbers) { numbers_ = &numbers; }
    int rank() const { return rank_; }
    int size() const { return group_->size(); }
    bool is_inter() const { return remote_ != nullptr; }
    const GroupPtr& group() const { return group_; }
    const GroupPtr& remote_group() const { return remote_; }  // null for an intracommunicator
    // The group that ranks in calls of point-to-point communication count in: the remote one of an intercommunicator.
    const Group& peers() const { return is_inter() ? *remote_ : *group_; }

    // The tag of the next collective operation: all members call in the same order, so they agree.
    int next_collective_tag()
    {
        collective_tag_ = (collective_tag_ + 1) & 0x3fffffff;
        return collective_tag_;
    }

    // FMPL's communicator of the same members, for its collective calls; FMPL_COMM_NULL while, or if, there is none.
    // Made by the first collective call that wants it (coll/fast_path).
    fmpl_comm_t fmpl_comm = FMPL_COMM_NULL;
    bool fmpl_comm_tried = false;
    // Of that, nullptr: it has none. Blocking calls of communicators with the same members come in one order, and go
    // through one series together; nonblocking ones do not, and only the first of these communicators has theirs.
    fmpl_exchanges* exchanges = nullptr;
    fmpl_exchanges* nonblocking_exchanges = nullptr;

    // By every gather and scatter: whether its root is that of the last one.
    bool keeps_root(int root)
    {
        if (root < 0 || root >= size()) return false;  // the others' may be right, and is not this rank's
        return std::exchange(last_root_, root) == root;
    }

    int handle = 0;  // that the user has; for callbacks
    std::string name;
    std::shared_ptr<Errhandler> errhandler;
    std::shared_ptr<Attributes> attributes;                // null: none
    Topology topology;                                     // does not change
    mutable std::shared_ptr<const Neighbours> neighbours;  // of it, from when they are first asked for
    // Of an intercommunicator: its local group, for collective operations within it. Null for an intracommunicator.
    std::shared_ptr<Communicator> local;

private:
    Context context_;
    int rank_;
    GroupPtr group_;
    GroupPtr remote_;
    ContextNumbers* numbers_ = nullptr;
    int collective_tag_ = 0;
    int last_root_ = -1;
};
using CommunicatorPtr = std::shared_ptr<Communicator>;

}  // namespace fmpl::mpi
