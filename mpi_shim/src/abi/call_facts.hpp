// What statistics and traces say of an MPI call beside its name (fmplrun --stats, --trace). A call gives a function
// that finds it out, which is called only when somebody wants to know, before the call looks at its arguments, and
// throws nothing.
//
// Bytes are those that the arguments name: of a message or the room for one, of a collective call what this rank
// gives, or gets where it gives nothing.
#pragma once

#include "interface/handles.hpp"
#include "interface/numbers.hpp"
#include "process/process.hpp"

#include <fmpl/observe.h>

#include <mpi.h>

#include <cstdint>

namespace fmpl::mpi {

struct CallFacts {
    int peer = -1;  // rank in FMPL_COMM_WORLD; -1: none, or any
    int tag = -1;   // -1: none, or any
    std::uint64_t bytes = 0;
    bool sends = false;  // a message to `peer`
};

// For calls of which nothing is said.
struct NoFacts {
    CallFacts operator()(Process&) const { return {}; }
};

// 0 where the arguments are wrong, which the call itself will say.
[[gnu::cold]] std::uint64_t bytes_of(Process& process, int count, MPI_Datatype type) noexcept;
// Blocks of their own length. types: one for each, or nullptr: all of `type`.
[[gnu::cold]] std::uint64_t bytes_of_parts(
    Process& process, int parts, const int* counts, MPI_Datatype type, const MPI_Datatype* types) noexcept;
[[gnu::cold]] std::uint64_t bytes_of_own_part(
    Process& process, MPI_Comm comm, const int* counts, MPI_Datatype type) noexcept;
// -1 where there is none.
[[gnu::cold]] int world_rank_of(Process& process, MPI_Comm comm, int rank) noexcept;
// Ranks of the communicator (of the remote group); those that this one sends to in its topology. 0 where there are
// none.
[[gnu::cold]] int peers_of(Process& process, MPI_Comm comm) noexcept;
[[gnu::cold]] int neighbours_of(Process& process, MPI_Comm comm) noexcept;

inline auto send_facts(int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    return [=](Process & process) __attribute__((always_inline))->CallFacts
    {
        const int peer = world_rank_of(process, comm, dest);
        return {.peer = peer, .tag = tag, .bytes = bytes_of(process, count, type), .sends = peer >= 0};
    };
}
inline auto receive_facts(int count, MPI_Datatype type, int source, int tag, MPI_Comm comm)
{
    return [=](Process & process) __attribute__((always_inline))->CallFacts
    {
        return {.peer = world_rank_of(process, comm, source),
            .tag = tag < 0 ? -1 : tag,
            .bytes = bytes_of(process, count, type)};
    };
}

// Of one side of a collective call.
struct Block {
    int count;
    MPI_Datatype type;
};
// The rank's operand: the first, or the second where the first one is in place.
inline Block operand(const void* buffer, Block block, Block in_place)
{
    return buffer == MPI_IN_PLACE ? in_place : block;
}
inline const Block kNothing = {0, MPI_DATATYPE_NULL};

// `peer`: the root, if there is one. blocks: of which each peer gets one, or 1.
inline auto block_facts(MPI_Comm comm, Block block, int peer = -1)
{
    return [=](Process & process) __attribute__((always_inline))->CallFacts
    {
        return {.peer = world_rank_of(process, comm, peer), .bytes = bytes_of(process, block.count, block.type)};
    };
}
// Whom a collective call gives a block of its own.
enum class To { all, neighbours };
[[gnu::always_inline]] inline int number_of(Process& process, MPI_Comm comm, To to)
{
    return to == To::all ? peers_of(process, comm) : neighbours_of(process, comm);
}
inline auto blocks_facts(MPI_Comm comm, Block block, To to = To::all)
{
    return [=](Process & process) __attribute__((always_inline))->CallFacts
    {
        const auto blocks = static_cast<std::uint64_t>(number_of(process, comm, to));
        return {.bytes = blocks * bytes_of(process, block.count, block.type)};
    };
}
inline auto parts_facts(MPI_Comm comm, const int* counts, MPI_Datatype type, To to = To::all)
{
    return [=](Process & process) __attribute__((always_inline))->CallFacts
    {
        return {.bytes = bytes_of_parts(process, number_of(process, comm, to), counts, type, nullptr)};
    };
}
inline auto parts_facts(MPI_Comm comm, const int* counts, const MPI_Datatype* types, To to = To::all)
{
    return [=](Process & process) __attribute__((always_inline))->CallFacts
    {
        return {.bytes = bytes_of_parts(process, number_of(process, comm, to), counts, MPI_DATATYPE_NULL, types)};
    };
}

// The rank's block in an allgatherv.
inline auto own_part_facts(
    MPI_Comm comm, const void* sendbuf, Block block, const int* recvcounts, MPI_Datatype recvtype)
{
    return [=](Process & process) __attribute__((always_inline))->CallFacts
    {
        return {.bytes = sendbuf == MPI_IN_PLACE ? bytes_of_own_part(process, comm, recvcounts, recvtype)
                                                 : bytes_of(process, block.count, block.type)};
    };
}

// The beginning of a call, of a rank that is observed; fmpl_layer_call_end is its end. facts takes no memory in the
// caller while nobody asks: all that it calls, it calls with values.
template <class Facts>
[[gnu::always_inline]] inline void begin_observed(Process& process, const char* name, const Facts& facts)
{
    if (fmpl_layer_call_begin(name) == 0) return;
    const CallFacts known = facts(process);
    fmpl_layer_call_about(known.peer, known.tag, known.bytes, known.sends ? 1 : 0);
}

}  // namespace fmpl::mpi
