// Gather and scatter: a message between root and every other rank. One round: n L + B at root, L + B/n elsewhere. No
// rank waits for another's time slice but root, which a tree of ranks without CPUs of their own would do at every
// level.
#include "coll/algorithms.hpp"

namespace fmpl::mpi {
namespace {

bool is_root(const Members& members, int root)
{
    return members.comm->is_inter() ? root == kRoot : root == members.rank();
}

// Calls step(peer) for the peers but for the rank itself, beginning behind it.
template <class Step>
void for_each_peer(const Members& members, Step&& step)
{
    const int peers = members.comm->peers().size();
    const int own = members.comm->is_inter() ? -1 : members.rank();
    for (int peer = own + 1; peer < peers; ++peer) step(peer);
    for (int peer = 0; peer < own; ++peer) step(peer);
}

}  // namespace

void linear_gather(
    Schedule& schedule, const Members& members, const MessageBuffer& mine, const Blocks& blocks, int root)
{
    if (is_root(members, root)) {
        for_each_peer(members, [&](int peer) {
            if (const MessageBuffer block = blocks(peer); block.bytes > 0) schedule.receive_up_to(members, block, peer);
        });
    } else if (mine.bytes > 0) {
        schedule.send(members, mine, root);
    }
    schedule.end_round();
}

void linear_scatter(
    Schedule& schedule, const Members& members, const Blocks& blocks, const MessageBuffer& mine, int root)
{
    if (is_root(members, root)) {
        for_each_peer(members, [&](int peer) {
            if (const MessageBuffer block = blocks(peer); block.bytes > 0) schedule.send(members, block, peer);
        });
    } else if (mine.bytes > 0) {
        schedule.receive_up_to(members, mine, root);
    }
    schedule.end_round();
}

}  // namespace fmpl::mpi
