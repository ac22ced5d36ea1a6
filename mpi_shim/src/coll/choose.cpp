#include "coll/choose.hpp"

#include "coll/exchange.hpp"

#include <numeric>
#include <vector>

namespace fmpl::mpi::coll {
namespace {

bool is_inter(const Schedule& schedule)
{
    return schedule.members().comm->is_inter();
}

// Of blocks whose lengths only their own members know, up to so many go by the table of an exchange.
bool may_be_exchanged(const Schedule& schedule, Lengths lengths)
{
    return lengths == Lengths::equal || schedule.members().size() <= kMostOfVarying;
}

// Whether a reduction can be an exchange in which whoever combines operands takes them in an order of its own.
bool may_be_exchanged(const Schedule& schedule)
{
    return schedule.has_exchange() && schedule.reduction().commutes();
}

// Two members' blocking calls whose root is another from call to call have a shorter way.
bool has_exchange_with_root(const Schedule& schedule, bool root_stays)
{
    return root_stays ? schedule.has_exchange() : schedule.has_exchange_of_more();
}

// Whether a member gives by the exchange, if there is one, in a call in which none need give more than `most` bytes,
// the same number on all. If not, the others hear that its messages have `bytes` together.
bool is_given(Schedule& schedule, bool has_exchange, std::uint64_t most, std::uint64_t bytes)
{
    if (!has_exchange) return false;
    if (most <= most_given(schedule.members().size())) return true;
    schedule.decline(bytes, Schedule::kToAll);
    return false;
}

}  // namespace

void barrier(Schedule& schedule)
{
    if (is_inter(schedule)) return inter_barrier(schedule);
    schedule.has_exchange() && schedule.members().size() <= kMostOfBarrier
        ? exchanged_barrier(schedule)
        : dissemination_barrier(schedule, schedule.members());
}

void bcast(Schedule& schedule, const MessageBuffer& buffer, int root)
{
    if (buffer.bytes == 0) return;
    if (is_inter(schedule)) return inter_bcast(schedule, buffer, root);
    schedule.has_exchange() ? exchanged_bcast(schedule, buffer, root)
                            : binomial_bcast(schedule, schedule.members(), buffer, root);
}

void gather(Schedule& schedule, const MessageBuffer& mine, const Blocks& blocks, int root, bool root_stays)
{
    if (!has_exchange_with_root(schedule, root_stays))
        return linear_gather(schedule, schedule.members(), mine, blocks, root);
    if (!root_stays) schedule.has_root(root);
    exchanged_gather(schedule, mine, blocks, root);
}

void scatter(Schedule& schedule, const Blocks& blocks, std::uint64_t block_bytes, const MessageBuffer& mine, int root,
    Lengths lengths, bool root_stays)
{
    if (!has_exchange_with_root(schedule, root_stays) || !may_be_exchanged(schedule, lengths))
        return linear_scatter(schedule, schedule.members(), blocks, mine, root);
    if (!root_stays) schedule.has_root(root);
    if (lengths == Lengths::equal) {
        exchanged_scatter(schedule, blocks, block_bytes, mine, root);
    } else {
        exchanged_scatterv(schedule, blocks, mine, root);
    }
}

void allgather(
    Schedule& schedule, const MessageBuffer& mine, const Blocks& incoming, std::uint64_t longest, Lengths lengths)
{
    if (is_given(schedule, schedule.has_exchange(), longest, mine.bytes))
        return exchanged_allgather(schedule, mine, incoming, lengths);
    posted_exchange(
        schedule, schedule.members(), [&](int) { return mine; }, incoming, lengths);
}

void alltoall(Schedule& schedule, const Blocks& outgoing, const Blocks& incoming, Lengths lengths, bool is_apart)
{
    const Members& members = schedule.members();
    const int peers = members.comm->peers().size();
    const bool inter = is_inter(schedule);
    const bool has_exchange = schedule.has_exchange() && may_be_exchanged(schedule, lengths);
    const std::uint64_t block_bytes = lengths == Lengths::equal ? incoming(0).bytes : 0;
    if (lengths == Lengths::equal) {
        const std::uint64_t all_bytes = block_bytes * static_cast<std::uint64_t>(peers - 1);
        // Which lays down all that is sent before anything comes.
        if (is_given(schedule, has_exchange, all_bytes, all_bytes))
            return exchanged_alltoall(schedule, outgoing, block_bytes, incoming);
    }
    const auto go = [&](const Blocks& sent) {
        if (has_exchange && lengths == Lengths::varying) return exchanged_alltoallv(schedule, sent, incoming);
        posted_exchange(schedule, members, sent, incoming, lengths);
    };
    if (is_apart) return go(outgoing);
    std::vector<MessageBuffer> aside(static_cast<std::size_t>(peers));
    for (int i = 0; i < peers; ++i) {
        if (i == members.rank() && !inter) continue;
        const MessageBuffer block = outgoing(i);
        MessageBuffer& kept = aside[static_cast<std::size_t>(i)];
        kept = MessageBuffer::piece(block.bytes > 0 ? schedule.memory(block.bytes) : nullptr, block.bytes);
        schedule.copy(block, kept);
    }
    schedule.end_round();
    go([&](int i) { return aside[static_cast<std::size_t>(i)]; });
}

void neighbours(Schedule& schedule, const Neighbours& of, const Blocks& outgoing, const Blocks& incoming)
{
    schedule.has_exchange_of_more() ? exchanged_with_neighbours(schedule, of, outgoing, incoming)
                                    : neighbour_exchange(schedule, schedule.members(), of, outgoing, incoming);
}

void reduce(Schedule& schedule, const void* contribution, void* result, std::int64_t count, int root)
{
    const Members& members = schedule.members();
    if (is_inter(schedule)) {
        if (count > 0) inter_reduce(schedule, contribution, result, count, root);
        return;
    }
    const bool has_exchange = may_be_exchanged(schedule) && members.size() <= kMostOfReduction;
    const std::uint64_t bytes = has_exchange ? schedule.elements(contribution, count).bytes : 0;
    if (has_exchange && bytes <= FMPL_EXCHANGE_BYTES)
        return exchanged_reduce(schedule, contribution, result, count, root);
    if (has_exchange && members.rank() != root) schedule.decline(bytes, root);
    if (count > 0) binomial_reduce(schedule, members, contribution, result, count, root, has_exchange);
}

void allreduce(Schedule& schedule, const void* contribution, void* result, std::int64_t count)
{
    if (is_inter(schedule)) {
        if (count > 0) inter_allreduce(schedule, contribution, result, count);
        return;
    }
    const MessageBuffer values = schedule.elements(result, count);
    const bool has_exchange = may_be_exchanged(schedule) && schedule.members().size() <= kMostOfReduction;
    if (is_given(schedule, has_exchange, values.bytes, values.bytes))
        return exchanged_allreduce(schedule, contribution, result, count);
    if (count == 0) return;
    if (contribution != result) {
        schedule.copy(schedule.elements(contribution, count), values);
        schedule.end_round();
    }
    if (schedule.reduction().is_predefined() && is_partitioned(schedule.members(), values.bytes)) {
        partitioned_allreduce(schedule, schedule.members(), result, count);
    } else {
        recursive_doubling_allreduce(schedule, schedule.members(), result, count);
    }
}

void reduce_scatter(
    Schedule& schedule, const void* contribution, void* result, std::span<const std::int64_t> counts, Lengths lengths)
{
    const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    if (is_inter(schedule)) {
        if (total > 0) inter_reduce_scatter(schedule, contribution, result, counts);
        return;
    }
    const std::uint64_t bytes = schedule.elements(contribution, total).bytes;
    if (is_given(schedule, may_be_exchanged(schedule), bytes, bytes)) {
        exchanged_reduce_scatter(schedule, contribution, result, counts, lengths);
    } else if (total > 0 || lengths == Lengths::equal) {
        direct_reduce_scatter(schedule, schedule.members(), contribution, result, counts, lengths);
    }
}

void scan(Schedule& schedule, const void* contribution, void* result, std::int64_t count, bool inclusive)
{
    const Members& members = schedule.members();
    const std::uint64_t bytes = schedule.elements(contribution, count).bytes;
    const std::uint64_t pieces = bytes / static_cast<std::uint64_t>(kScanPieceBytes);
    const bool is_linear =
        members.size() <= kLinearScanRanks || pieces >= static_cast<std::uint64_t>(members.size()) / 4;
    if (is_linear && schedule.has_exchange()) return exchanged_scan(schedule, contribution, result, count, inclusive);
    if (count == 0) return;
    (is_linear ? linear_scan : recursive_doubling_scan)(schedule, members, contribution, result, count, inclusive);
}

}  // namespace fmpl::mpi::coll
