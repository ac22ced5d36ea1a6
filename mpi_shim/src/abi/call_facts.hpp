// What statistics and traces say of an MPI call beside its name (fmplrun --stats, --trace). A call gives a function that
// finds it out, which is called only when somebody wants to know, before the call looks at its arguments: what it throws
// is left to the call.
//
// Bytes are those that the arguments name: of a message or the room for one, of a collective call what this rank gives, or
// gets where it gives nothing.
#pragma once

#include "process.hpp"

#include <fmpl/layers.h>

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

inline std::uint64_t bytes_of(Process& process, int count, MPI_Datatype type)
{
    return count <= 0 ? 0 : MessageBuffer::of(nullptr, count, process.committed_type(type)).bytes;
}
inline int world_rank_of(Process& process, MPI_Comm comm, int rank)
{
    const auto& peers = process.communicator(comm)->peers();
    return rank >= 0 && rank < peers.size() ? peers.world_rank(rank) : -1;
}

inline auto send_facts(int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    return [=](Process& process) -> CallFacts {
        const int peer = world_rank_of(process, comm, dest);
        return {.peer = peer, .tag = tag, .bytes = bytes_of(process, count, type), .sends = peer >= 0};
    };
}
inline auto receive_facts(int count, MPI_Datatype type, int source, int tag, MPI_Comm comm)
{
    return [=](Process& process) -> CallFacts {
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
inline constexpr Block kNothing = {0, MPI_DATATYPE_NULL};

// `peer`: the root, if there is one. blocks: of which each peer gets one, or 1.
inline auto block_facts(MPI_Comm comm, Block block, int peer = -1)
{
    return [=](Process& process) -> CallFacts {
        return {.peer = world_rank_of(process, comm, peer), .bytes = bytes_of(process, block.count, block.type)};
    };
}
// A block for each rank.
inline auto blocks_facts(MPI_Comm comm, Block block)
{
    return [=](Process& process) -> CallFacts {
        const auto peers = static_cast<std::uint64_t>(process.communicator(comm)->peers().size());
        return {.bytes = peers * bytes_of(process, block.count, block.type)};
    };
}
// A block of its own length for each rank. type: a data type, or one for each.
inline MPI_Datatype type_at(MPI_Datatype type, int)
{
    return type;
}
inline MPI_Datatype type_at(const MPI_Datatype* types, int i)
{
    return types[i];
}
template <class Type>
auto parts_facts(MPI_Comm comm, const int* counts, Type type)
{
    return [=](Process& process) -> CallFacts {
        CallFacts facts;
        const int peers = process.communicator(comm)->peers().size();
        for (int i = 0; i < peers && counts != nullptr; ++i) {
            facts.bytes += bytes_of(process, counts[i], type_at(type, i));
        }
        return facts;
    };
}

// Tells FMPL of a call while it lives; begins only while the rank is observed.
class ObservedCall {
public:
    explicit ObservedCall(const char* name) : counts_(fmpl_layer_call_begin(name) != 0) {}
    ~ObservedCall() { fmpl_layer_call_end(); }
    ObservedCall(const ObservedCall&) = delete;
    ObservedCall& operator=(const ObservedCall&) = delete;

    // Whether it is not made within another call.
    bool counts() const { return counts_; }

private:
    bool counts_;
};

// Runs body(), of a rank that is observed. Does not look at `process` afterwards: the call may end it.
template <class Facts, class Body>
[[gnu::noinline]] void run_observed(Process& process, const char* name, const Facts& facts, Body&& body)
{
    const ObservedCall observed(name);
    CallFacts known;
    if (observed.counts()) {
        try {
            known = facts(process);
        } catch (...) {  // the call itself says what is wrong with it
        }
        fmpl_layer_call_about(known.peer, known.tag, known.bytes);
    }
    body();
    if (known.sends) fmpl_layer_call_sent(known.peer, known.bytes);
}

}  // namespace fmpl::mpi
