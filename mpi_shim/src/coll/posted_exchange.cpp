// Exchange of every rank with every peer: all receives are posted, then all messages are sent, each rank beginning
// behind itself so that they do not all go to the same one. One round: n L + B.
#include "coll/algorithms.hpp"

#include <cstdint>

namespace fmpl::mpi {
namespace {

// What a rank may have under way at a time if it is to stay in caches (docs/decisions/0065-long-eager-messages.md).
constexpr std::uint64_t kMostUnderWay = 768 * 1024;

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
    std::uint64_t under_way = 0;
    for (int i = 1; i < last; ++i) under_way += outgoing((rank + i) % peers).bytes;
    const SendMode mode = under_way > kMostUnderWay ? SendMode::one_of_many : SendMode::standard;
    for (int i = 1; i < last; ++i) {
        const int destination = (rank + i) % peers;
        if (const MessageBuffer block = outgoing(destination); has_message(block))
            schedule.send(members, block, destination, mode);
    }
}

void posted_exchange(Schedule& schedule, const Members& members, const Blocks& outgoing, const Blocks& incoming,
    Lengths lengths, bool is_exact)
{
    begin_posted_exchange(schedule, members, outgoing, incoming, lengths, is_exact);
    schedule.end_round();
}

}  // namespace fmpl::mpi
