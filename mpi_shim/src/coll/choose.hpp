// How a collective call goes on: by an exchange where its data are short and the call may be one (coll/exchange.hpp),
// else by messages, with the algorithm for its length; on an intercommunicator, with that for those. The one place that
// chooses, but for what FMPL's own calls do (coll/fast_path.hpp). All members come to the same choice where their
// arguments agree.
//
// Arguments as those of the algorithms (coll/algorithms.hpp); a rank whose root is MPI_PROC_NULL calls none of them.
// Errors: as the schedule's.
#pragma once

#include "coll/algorithms.hpp"
#include "coll/blocks.hpp"
#include "coll/schedule.hpp"
#include "group/topology.hpp"

#include <cstdint>
#include <span>

namespace fmpl::mpi::coll {

void barrier(Schedule& schedule);
void bcast(Schedule& schedule, const MessageBuffer& buffer, int root);

// root_stays: see Communicator::keeps_root. The root's own block has been copied.
void gather(Schedule& schedule, const MessageBuffer& mine, const Blocks& blocks, int root, bool root_stays);
// block_bytes: of each block at root, of its own one at the others.
void scatter(Schedule& schedule, const Blocks& blocks, std::uint64_t block_bytes, const MessageBuffer& mine, int root,
    Lengths lengths, bool root_stays);
// longest: of the incoming blocks. The own block has been copied, here and below.
void allgather(
    Schedule& schedule, const MessageBuffer& mine, const Blocks& incoming, std::uint64_t longest, Lengths lengths);
// is_apart: nothing that comes lies where something is sent from; else that is put aside first.
void alltoall(Schedule& schedule, const Blocks& outgoing, const Blocks& incoming, Lengths lengths, bool is_apart);
void neighbours(Schedule& schedule, const Neighbours& of, const Blocks& outgoing, const Blocks& incoming);

// Of the schedule's operation and type. contribution may be result. A scan is for intracommunicators alone.
void reduce(Schedule& schedule, const void* contribution, void* result, std::int64_t count, int root);
void allreduce(Schedule& schedule, const void* contribution, void* result, std::int64_t count);
void reduce_scatter(
    Schedule& schedule, const void* contribution, void* result, std::span<const std::int64_t> counts, Lengths lengths);
void scan(Schedule& schedule, const void* contribution, void* result, std::int64_t count, bool inclusive);

}  // namespace fmpl::mpi::coll
