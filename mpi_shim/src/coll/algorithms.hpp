// The algorithms of collective operations: each adds its rounds to a schedule, and ends its last round. One file each.
//
// n: ranks; L: what one message costs beside its bytes; B: bytes of the whole operation at one rank. Ranks share a host
// and often outnumber its CPUs, where every round that waits for another rank costs a time slice: rounds come first.
//
// Intracommunicators, where nothing else is said. All members call the same algorithm with fitting arguments. Errors:
// as the schedule's.
#pragma once

#include "coll/blocks.hpp"
#include "coll/schedule.hpp"
#include "group/topology.hpp"

#include <cstdint>
#include <span>

namespace fmpl::mpi {

void dissemination_barrier(Schedule& schedule, const Members& members);

void binomial_bcast(Schedule& schedule, const Members& members, const MessageBuffer& buffer, int root);

// To and from one rank. blocks: on root, the memory of each peer but root itself. `mine` is not used on root of an
// intracommunicator, which copies its own block itself. On an intercommunicator root is a rank of the remote group, or
// MPI_ROOT on the root.
void linear_gather(
    Schedule& schedule, const Members& members, const MessageBuffer& mine, const Blocks& blocks, int root);
void linear_scatter(
    Schedule& schedule, const Members& members, const Blocks& blocks, const MessageBuffer& mine, int root);

// How long the blocks of a call are: as long as each other, or each member knows its own alone.
enum class Lengths { equal, varying };

// A message from every rank to every peer, but for the rank itself in an intracommunicator. Of varying lengths,
// messages without bytes are not sent: both sides know. is_exact: shorter ones are an error, too.
void posted_exchange(Schedule& schedule, const Members& members, const Blocks& outgoing, const Blocks& incoming,
    Lengths lengths = Lengths::varying, bool is_exact = false);
// The same without ending the round.
void begin_posted_exchange(Schedule& schedule, const Members& members, const Blocks& outgoing, const Blocks& incoming,
    Lengths lengths = Lengths::varying, bool is_exact = false);

// Reductions of `count` elements with the schedule's operation and type, in the order of the ranks unless it commutes.
// contribution: the rank's own operand, which may be `result`.

// result: on root; may be null elsewhere.
// has_declined: root hears of the lengths by the call's exchange; who gives there sends it no message.
void binomial_reduce(Schedule& schedule, const Members& members, const void* contribution, void* result,
    std::int64_t count, int root, bool has_declined = false);
// Whether the rank's message goes to root, if the operation commutes.
bool sends_to_root(const Members& members, int rank, int root);
// The result is in `values` on all ranks, the same bit for bit.
void recursive_doubling_allreduce(Schedule& schedule, const Members& members, void* values, std::int64_t count);
// Whether the rank exchanges a message with this one in that.
bool meets_in_recursive_doubling(const Members& members, int rank);
// The same for many elements of a predefined operation: of so many bytes.
bool is_partitioned(const Members& members, std::uint64_t bytes);
void partitioned_allreduce(Schedule& schedule, const Members& members, void* values, std::int64_t count);
// How many messages this rank exchanges with that one in the allreduction of so many bytes that it is, each way.
// is_predefined: the operation.
int messages_of_allreduce(const Members& members, int rank, std::uint64_t bytes, bool is_predefined);
// counts: of each rank's part, which are adjacent in `contribution`. result: the rank's own part.
void direct_reduce_scatter(Schedule& schedule, const Members& members, const void* contribution, void* result,
    std::span<const std::int64_t> counts, Lengths lengths);
// inclusive: over the ranks up to this one; else over those before it, and rank 0's result is left alone. Linear up
// to so many ranks, and where a scan has a quarter as many pieces as ranks (docs/performance.md).
inline constexpr int kLinearScanRanks = 16;
inline constexpr std::int64_t kScanPieceBytes = 32 * 1024;
// Of at least one element.
void linear_scan(Schedule& schedule, const Members& members, const void* contribution, void* result, std::int64_t count,
    bool inclusive);
// How many messages the next rank gets in a linear one of so many bytes.
std::uint64_t messages_of_scan(const Schedule& schedule, std::uint64_t bytes, bool inclusive);
void recursive_doubling_scan(Schedule& schedule, const Members& members, const void* contribution, void* result,
    std::int64_t count, bool inclusive);

// Of intercommunicators: each group gets what comes from the other one.
void inter_barrier(Schedule& schedule);
// root: a rank of the remote group, MPI_ROOT or MPI_PROC_NULL, here and below.
void inter_bcast(Schedule& schedule, const MessageBuffer& buffer, int root);
void inter_reduce(Schedule& schedule, const void* contribution, void* result, std::int64_t count, int root);
void inter_allreduce(Schedule& schedule, const void* contribution, void* result, std::int64_t count);
// counts: of this group's parts; the sum is the same in both groups.
void inter_reduce_scatter(
    Schedule& schedule, const void* contribution, void* result, std::span<const std::int64_t> counts);

// Messages to destinations and from sources, ranks or MPI_PROC_NULL, in this order. Block i belongs to the i-th of
// them.
void neighbour_exchange(Schedule& schedule, const Members& members, const Neighbours& neighbours,
    const Blocks& outgoing, const Blocks& incoming);
// The same without ending the round.
void begin_neighbour_exchange(Schedule& schedule, const Members& members, const Neighbours& neighbours,
    const Blocks& outgoing, const Blocks& incoming);

}  // namespace fmpl::mpi
