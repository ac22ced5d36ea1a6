// Exchange of every rank with every peer: all receives are posted, then all messages are sent, each rank beginning
// behind itself so that they do not all go to the same one. One round: n L + B.
#include "coll/algorithms.hpp"
#include "p2p/crowded.hpp"

#include <cstdint>

namespace fmpl::mpi {
namespace {

// Where ranks wait for CPUs, messages go with their envelopes as in other calls, if what a rank has under way at a time
// stays in the caches; shorter ones in any case, since turns then take more than copies.
constexpr std::uint64_t kShort = 64 * 1024;
constexpr std::uint64_t kMostUnderWay = 768 * 1024;

SendMode mode_of(const MessageBuffer& block, int peers)
{
    const bool stays_in_caches = block.bytes * static_cast<std::uint64_t>(peers - 1) <= kMostUnderWay;
    return block.bytes <= kShort || stays_in_caches || !is_crowded() ? SendMode::standard : SendMode::announced;
}

}  // namespace

void begin_posted_exchange(Schedule& schedule, const Members& members, const Blocks& outgoing, const Blocks& incoming,
    Lengths lengths, bool is_exact)
{
    const auto has_message = [&](const MessageBuffer& block) { return block.bytes > 0 || lengths == Lengths::equal; };
    const int peers = members.comm->peers().size();
    const bool intra = !members.comm->is_inter();
    const int rank = members.rank();
    const int last =
        intra ? peers : peers + 1;  // in an intracommunicator, the peer after the last would be the rank itself
    for (int i = 1; i < last; ++i) {
        const int source = (rank % peers + peers - i % peers) % peers;
        const MessageBuffer block = incoming(source);
        if (!has_message(block)) continue;
        is_exact ? schedule.receive(members, block, source) : schedule.receive_up_to(members, block, source);
    }
    for (int i = 1; i < last; ++i) {
        const int destination = (rank + i) % peers;
        if (const MessageBuffer block = outgoing(destination); has_message(block))
            schedule.send(members, block, destination, mode_of(block, peers));
    }
}

void posted_exchange(Schedule& schedule, const Members& members, const Blocks& outgoing, const Blocks& incoming,
    Lengths lengths, bool is_exact)
{
    begin_posted_exchange(schedule, members, outgoing, incoming, lengths, is_exact);
    schedule.end_round();
}

}  // namespace fmpl::mpi
