// The collective operations that are one of FMPL's exchanges (fmpl/exchange.h) where their data is short: each member
// lays down what it gives, 8 KiB at most, and takes what it wants. What is done with that is a function of its own,
// since a nonblocking call does it later: it refers to nothing of the caller's but the schedule and the user's memory.
//
// Intracommunicators whose call has an exchange (Schedule::has_exchange). Data that is longer than its room is the
// schedule's error, shorter data is not, as with messages. Errors: as the schedule's.
//
// All members call the same algorithm, by the exchange or by messages, as long as the lengths of their calls agree.
// Where they do not, those who send messages have declined, and so the others hear of it and trade messages with them:
// nobody is left waiting. (But in the vector forms, where a block of no bytes is no message, and its owner alone knows;
// in scans over more than kLinearScanRanks, whose messages are others by their length; and in reductions to a root,
// where of two members that would exchange a message, and of which none is root, one has given.)
#pragma once

#include "coll/algorithms.hpp"
#include "coll/blocks.hpp"
#include "coll/schedule.hpp"
#include "group/topology.hpp"

#include <fmpl/exchange.h>

#include <cstdint>
#include <span>

namespace fmpl::mpi {

// Each tells all the others that it has come. Of so many members at most; more meet in fewer steps by messages.
inline constexpr int kMostOfBarrier = 64;
void exchanged_barrier(Schedule& schedule);
// The most that a member gives to all of so many; two members have a shorter way for more, as messages.
constexpr std::uint64_t most_given(int members)
{
    return members == 2 ? FMPL_EXCHANGE_BYTES / 2 : FMPL_EXCHANGE_BYTES;
}
// From root to all.
void exchanged_bcast(Schedule& schedule, const MessageBuffer& buffer, int root);
// mine: not used at root. blocks: at root, for each other member. Of equal lengths or of lengths of their own; a member
// knows no other than those of its own call. Who gives tells what does not fit, which goes as a message.
void exchanged_gather(Schedule& schedule, const MessageBuffer& mine, const Blocks& blocks, int root);
// Likewise, of equal lengths. block_bytes: of each block, at root.
void exchanged_scatter(
    Schedule& schedule, const Blocks& blocks, std::uint64_t block_bytes, const MessageBuffer& mine, int root);
// All others' blocks, which fit.
void exchanged_allgather(Schedule& schedule, const MessageBuffer& mine, const Blocks& incoming, Lengths lengths);
// Blocks of the same length. The outgoing ones may lie where the incoming ones do.
void exchanged_alltoall(Schedule& schedule, const Blocks& outgoing, std::uint64_t block_bytes, const Blocks& incoming);

// Of lengths of their own: who gives says which blocks go as messages, those longer than most_of_varying(). Of so many
// members at most. Of two members, the other's block is all that one gives.
inline constexpr int kMostOfVarying = 128;
constexpr std::uint64_t most_of_varying(int members)
{
    if (members == 2) return most_given(members);
    const auto n = static_cast<std::uint64_t>(members);
    return (FMPL_EXCHANGE_BYTES - 2 * n) / n / 8 * 8;
}
void exchanged_scatterv(Schedule& schedule, const Blocks& blocks, const MessageBuffer& mine, int root);
void exchanged_alltoallv(Schedule& schedule, const Blocks& outgoing, const Blocks& incoming);

// With the neighbours of a topology: blocks up to kMostOfNeighbour as far as they fit, the others as messages, and so
// what a rank sends itself.
inline constexpr std::uint64_t kMostOfNeighbour = 1024;
void exchanged_with_neighbours(
    Schedule& schedule, const Neighbours& neighbours, const Blocks& outgoing, const Blocks& incoming);
// As linear_scan, which it is where its data do not fit.
void exchanged_scan(Schedule& schedule, const void* contribution, void* result, std::int64_t count, bool inclusive);
// Of an operation that commutes; as direct_reduce_scatter.
void exchanged_reduce_scatter(
    Schedule& schedule, const void* contribution, void* result, std::span<const std::int64_t> counts, Lengths lengths);
// Of what fits, over so many members at most: more meet in fewer steps by messages. contribution: the rank's own
// operand, which may be `result`. Of an operation that commutes: to root, or with the same result on all, bit for bit.
inline constexpr int kMostOfReduction = 64;
void exchanged_reduce(Schedule& schedule, const void* contribution, void* result, std::int64_t count, int root);
void exchanged_allreduce(Schedule& schedule, const void* contribution, void* result, std::int64_t count);

}  // namespace fmpl::mpi
