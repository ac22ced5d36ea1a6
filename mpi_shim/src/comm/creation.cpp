#include "comm/creation.hpp"

#include "comm/exchange.hpp"
#include "error.hpp"
#include "process/process.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace fmpl::mpi {
namespace {

// Collective operations' tags are below. Those of calls that not all members of a communicator make follow the user's
// tag.
constexpr int kUserTagBit = 0x40000000;

int tag_of_user(int tag)
{
    return kUserTagBit | tag;
}

// A new communicator's contexts; an intercommunicator has a second one, for the local communicators of both sides,
// whose members are different ones.
struct Contexts {
    Context main = ContextNumbers::kNone;
    Context local = ContextNumbers::kNone;
};

// Where a member has no handle to spare for the new communicator its leader proposes no contexts, and all members
// fail by that: none waits for another.
bool are_proposed(const Contexts& contexts)
{
    return contexts.main != ContextNumbers::kNone;
}

constexpr const char* kNotProposed =
    "there are too many communicators at a time on a rank of the new one; free some that are not needed "
    "(MPI_Comm_free)";

void check_proposed(const Contexts& contexts)
{
    if (!are_proposed(contexts)) fail(ErrorClass::comm, "{}", kNotProposed);
}

// have_room: whether all members that the caller answers for can have the new communicator; without room none are
// taken.
Contexts take_contexts(Process& process, bool have_room, bool for_inter)
{
    Contexts contexts;
    if (!have_room) return contexts;
    contexts.main = process.contexts.take();
    if (for_inter) contexts.local = process.contexts.take();
    return contexts;
}

void take_back(Process& process, const Contexts& contexts, bool for_inter)
{
    if (!are_proposed(contexts)) return;
    if (for_inter) process.contexts.take_back(contexts.local);
    process.contexts.take_back(contexts.main);
}

// The calling rank is a member of `group`. remote: null for an intracommunicator.
CommunicatorPtr make(
    Process& process, const Contexts& contexts, GroupPtr group, GroupPtr remote, const Communicator& parent)
{
    const int rank = group->rank_of(process.messenger.world_rank()).value();
    const auto made = std::make_shared<Communicator>(contexts.main, rank, group, std::move(remote));
    made->return_context_to(process.contexts);
    made->errhandler = parent.errhandler;
    if (made->is_inter()) made->local = make(process, {contexts.local}, std::move(group), nullptr, parent);
    return made;
}

// Of two disjoint groups of an intercommunicator the first one leads: the one whose first member comes first in the
// world.
bool leads(const Group& a, const Group& b)
{
    return a.world_rank(0) < b.world_rank(0);
}

// The contexts of a duplicate. Up a tree goes whether all members have a handle to spare, down it from its root, the
// leader, what contexts there are.
class ContextAgreement final : public ActiveRequest {
public:
    // The handle is counted on from now on.
    ContextAgreement(Process& process, CommunicatorPtr comm, CommunicatorPtr made)
        : process_(process),
          comm_(std::move(comm)),
          made_(std::move(made)),
          have_room_(process.communicators.has_room())
    {
        status.error = 0;
        const bool is_inter = comm_->is_inter();
        const Hop to_other_side{comm_.get(), 0, comm_->next_collective_tag()};
        Communicator& members = is_inter ? *comm_->local : *comm_;
        const int tag = is_inter ? members.next_collective_tag() : to_other_side.tag;
        const BinomialPlace place = BinomialPlace::of(members.rank(), members.size());
        const bool is_leading_side = !is_inter || leads(*comm_->group(), *comm_->remote_group());

        if (is_inter && is_leading_side && place.parent < 0) children_.push_back(to_other_side);
        for (const int child : place.children) children_.push_back({&members, child, tag});
        if (place.parent >= 0) {
            parent_ = Hop{&members, place.parent, tag};
        } else if (!is_leading_side) {
            parent_ = to_other_side;
        }
        children_have_room_ = std::make_unique<bool[]>(children_.size());
        for (std::size_t i = 0; i < children_.size(); ++i) receive(children_have_room_[i], children_[i]);
    }

    void advance() override
    {
        if (stage_ == Stage::asking && are_complete()) {
            answer();
            stage_ = Stage::answered;
        }
        if (stage_ == Stage::answered && are_complete()) {
            pass_on();
            stage_ = Stage::passed_on;
        }
        if (stage_ == Stage::passed_on && are_complete()) {
            Status done = Status::empty();
            done.error = status.error;
            if (done.error == 0 && !are_proposed(contexts_)) done.error = code_of(ErrorClass::comm);
            complete_with(done);
        }
    }
    const char* error_words() const override { return are_proposed(contexts_) ? "" : kNotProposed; }

private:
    struct Hop {
        Communicator* comm;
        int rank;
        int tag;
    };

    template <class T>
    void receive(T& value, const Hop& from)
    {
        under_way_.push_back(process_.messenger.irecv(
            MessageBuffer::piece(&value, sizeof value), *from.comm, Traffic::collective, from.rank, from.tag));
    }

    template <class T>
    void send(const T& value, const Hop& to)
    {
        under_way_.push_back(process_.messenger.isend(
            MessageBuffer::piece(&value, sizeof value), *to.comm, Traffic::collective, to.rank, to.tag));
    }

    // Whether all messages of the stage are complete; the first error of one stays in `status`.
    bool are_complete()
    {
        for (const RequestRef& message : under_way_) {
            if (!message->complete) return false;
        }
        for (const RequestRef& message : under_way_) {
            if (status.error == 0) status.error = message->status.error;
        }
        under_way_.clear();
        return true;
    }

    void answer()
    {
        for (std::size_t i = 0; i < children_.size(); ++i) have_room_ = have_room_ && children_have_room_[i];
        if (parent_) {
            receive(contexts_, *parent_);
            send(have_room_, *parent_);
        } else {
            contexts_ = take_contexts(process_, have_room_, comm_->is_inter());
        }
    }

    void pass_on()
    {
        made_->set_context(contexts_.main);
        if (made_->local != nullptr) made_->local->set_context(contexts_.local);
        for (const Hop& child : children_) send(contexts_, child);
    }

    enum class Stage { asking, answered, passed_on };

    Process& process_;
    CommunicatorPtr comm_;
    CommunicatorPtr made_;
    bool have_room_;  // all below this rank, and itself
    std::unique_ptr<bool[]> children_have_room_;
    Contexts contexts_;
    std::optional<Hop> parent_;
    std::vector<Hop> children_;
    std::vector<RequestRef> under_way_;
    Stage stage_ = Stage::asking;
};

// Ranks in comm's local group.
std::vector<int> ranks_in(const Communicator& comm, const Group& group)
{
    std::vector<int> ranks;
    for (int i = 0; i < group.size(); ++i) {
        const auto rank = comm.group()->rank_of(group.world_rank(i));
        if (!rank) {
            fail(ErrorClass::group,
                "group has rank {} of MPI_COMM_WORLD, which is not in the group of comm; give a subset of that",
                group.world_rank(i));
        }
        ranks.push_back(*rank);
    }
    return ranks;
}

CommunicatorPtr create_among(
    Process& process, Communicator& comm, const GroupPtr& group, std::vector<int> ranks, int tag)
{
    Exchange exchange(process.messenger, comm, std::move(ranks), tag);
    const bool have_room = exchange.all_give(process.communicators.has_room());
    Contexts contexts;
    if (exchange.position() == 0) contexts = take_contexts(process, have_room, false);
    exchange.broadcast(contexts);
    check_proposed(contexts);
    return make(process, contexts, group, nullptr, comm);
}

// What each rank brings to a split.
struct Wish {
    int color;
    int key;
    int world_rank;
    Contexts contexts;
};

// Those of one color, ordered.
std::vector<Wish> with_color(std::vector<Wish> wishes, int color)
{
    std::erase_if(wishes, [color](const Wish& wish) { return wish.color != color; });
    std::stable_sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) { return a.key < b.key; });
    return wishes;
}

GroupPtr group_of(const std::vector<Wish>& wishes)
{
    std::vector<int> members;
    for (const Wish& wish : wishes) members.push_back(wish.world_rank);
    return std::make_shared<Group>(std::move(members));
}

}  // namespace

Duplicate start_duplicate(Process& process, const CommunicatorPtr& comm)
{
    Duplicate duplicate;
    duplicate.made = make(process, {}, comm->group(), comm->remote_group(), *comm);
    duplicate.made->topology = comm->topology;
    duplicate.request = Ref<ActiveRequest>(new ContextAgreement(process, comm, duplicate.made));
    process.messenger.activate(duplicate.request);
    return duplicate;
}

CommunicatorPtr duplicate(Process& process, const CommunicatorPtr& comm)
{
    const Duplicate started = start_duplicate(process, comm);
    process.messenger.wait(*started.request);
    if (started.request->status.error == code_of(ErrorClass::comm)) check_proposed({});
    check_transfer(started.request->status);
    return started.made;
}

CommunicatorPtr create_from_group(Process& process, Communicator& comm, const GroupPtr& group)
{
    std::vector<int> ranks = ranks_in(comm, *group);
    const auto position = group->rank_of(process.messenger.world_rank());
    if (comm.is_inter()) return split(process, comm, position ? 0 : kUndefined, position.value_or(0));
    const int tag = comm.next_collective_tag();
    return position ? create_among(process, comm, group, std::move(ranks), tag) : nullptr;
}

CommunicatorPtr create_from_group_alone(Process& process, Communicator& comm, const GroupPtr& group, int tag)
{
    std::vector<int> ranks = ranks_in(comm, *group);
    if (!group->has(process.messenger.world_rank())) return nullptr;
    return create_among(process, comm, group, std::move(ranks), tag_of_user(tag));
}

CommunicatorPtr split(Process& process, Communicator& comm, int color, int key)
{
    const bool is_inter = comm.is_inter();
    const int tag_between = is_inter ? comm.next_collective_tag() : 0;
    Exchange exchange(process.messenger, is_inter ? *comm.local : comm);
    Wish mine{color, key, process.messenger.world_rank(), {}};
    if (color != kUndefined) mine.contexts = take_contexts(process, process.communicators.has_room(), is_inter);

    std::vector<Wish> wishes = exchange.all_gather(mine);
    std::vector<Wish> others;
    if (is_inter) {
        if (exchange.position() == 0) others = PairExchange(process.messenger, comm, 0, tag_between).swap(wishes);
        exchange.broadcast(others);
    }
    if (color == kUndefined) return nullptr;

    wishes = with_color(std::move(wishes), color);
    others = with_color(std::move(others), color);
    if (is_inter && others.empty()) {
        take_back(process, mine.contexts, is_inter);
        return nullptr;
    }
    const auto cannot = [](const Wish& wish) { return !are_proposed(wish.contexts); };
    if (std::any_of(wishes.begin(), wishes.end(), cannot) || std::any_of(others.begin(), others.end(), cannot)) {
        take_back(process, mine.contexts, is_inter);
        check_proposed({});
    }
    const GroupPtr group = group_of(wishes);
    const GroupPtr remote = is_inter ? group_of(others) : nullptr;
    const Wish& leader = is_inter && leads(*remote, *group) ? others.front() : wishes.front();
    if (leader.world_rank != mine.world_rank) take_back(process, mine.contexts, is_inter);
    return make(process, leader.contexts, group, remote, comm);
}

CommunicatorPtr create_intercommunicator(
    Process& process, Communicator& local, int leader, const std::function<RemoteLeader()>& find_peer, int tag)
{
    Exchange exchange(process.messenger, local);
    // What the leader tells its side: the other side and both sides' contexts, or that it has failed.
    struct Proposal {
        Contexts ours;
        Contexts theirs;
        int code = 0;
    } proposal;
    std::vector<int> others;
    const bool is_leader = exchange.position() == leader;
    const bool have_room = exchange.all_give(process.communicators.has_room(), leader);
    if (is_leader) {
        try {
            const RemoteLeader remote = find_peer();
            proposal.ours = take_contexts(process, have_room, true);
            PairExchange pair(process.messenger, *remote.peer_comm, remote.rank, tag_of_user(tag));
            proposal.theirs = pair.swap(proposal.ours);
            others = pair.swap(local.group()->world_ranks());
        } catch (const Error& error) {
            proposal.code = error.code();
            exchange.broadcast(proposal, leader);
            throw;
        }
    }
    exchange.broadcast(proposal, leader);
    if (proposal.code != 0) {
        fail_with_code(proposal.code, "the call failed on local_leader = {}, whose message has the reason", leader);
    }
    exchange.broadcast(others, leader);

    const auto remote = std::make_shared<Group>(std::move(others));
    if (!are_proposed(proposal.ours) || !are_proposed(proposal.theirs)) {
        if (is_leader) take_back(process, proposal.ours, true);
        check_proposed({});
    }
    const bool overlap = intersection_of(*local.group(), *remote)->size() > 0;
    const bool we_lead = !overlap && leads(*local.group(), *remote);
    if (is_leader && !we_lead) take_back(process, proposal.ours, true);
    if (overlap) {
        fail(ErrorClass::comm,
            "the groups of both sides have members in common; give communicators local_comm that have none");
    }
    return make(process, we_lead ? proposal.ours : proposal.theirs, local.group(), remote, local);
}

CommunicatorPtr merge(Process& process, Communicator& inter, bool high)
{
    const int tag_between = inter.next_collective_tag();
    Exchange exchange(process.messenger, *inter.local);
    struct Side {
        int high;
        Contexts contexts;
    };
    struct Decision {
        int we_are_first = 0;
        Contexts contexts;
    } decision;
    const bool have_room = exchange.all_give(process.communicators.has_room());
    if (exchange.position() == 0) {
        const Side ours{high ? 1 : 0, take_contexts(process, have_room, false)};
        const Side theirs = PairExchange(process.messenger, inter, 0, tag_between).swap(ours);
        const bool first =
            ours.high != theirs.high ? ours.high < theirs.high : leads(*inter.group(), *inter.remote_group());
        const bool both_can = are_proposed(ours.contexts) && are_proposed(theirs.contexts);
        if (!first || !both_can) take_back(process, ours.contexts, false);
        decision = {first ? 1 : 0, !both_can ? Contexts() : first ? ours.contexts : theirs.contexts};
    }
    exchange.broadcast(decision);
    check_proposed(decision.contexts);
    const Group& first = decision.we_are_first != 0 ? *inter.group() : *inter.remote_group();
    const Group& second = decision.we_are_first != 0 ? *inter.remote_group() : *inter.group();
    return make(process, decision.contexts, union_of(first, second), nullptr, inter);
}

}  // namespace fmpl::mpi
