// What the C names of chapter 5 make of their arguments. Everything throws Error; the words name the argument.
#pragma once

#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "coll/algorithms.hpp"
#include "coll/immediate_schedule.hpp"
#include "coll/listed_schedule.hpp"
#include "process/process.hpp"

#include <mpi.h>

#include <cstdint>
#include <utility>

namespace fmpl::mpi {

// What the arguments of one side of a call are called.
struct ArgumentNames {
    const char* buffer;
    const char* count;
    const char* displacements;
    const char* type;
};
inline constexpr ArgumentNames kSendNames = {"sendbuf", "sendcount", "sdispls", "sendtype"};
inline constexpr ArgumentNames kReceiveNames = {"recvbuf", "recvcount", "rdispls", "recvtype"};
// Of blocks with counts of their own: with one set of displacements, and with two.
inline constexpr ArgumentNames kSendPartNames = {"sendbuf", "sendcounts", "displs", "sendtype"};
inline constexpr ArgumentNames kReceivePartNames = {"recvbuf", "recvcounts", "displs", "recvtype"};
inline constexpr ArgumentNames kSendsNames = {"sendbuf", "sendcounts", "sdispls", "sendtypes"};
inline constexpr ArgumentNames kReceivesNames = {"recvbuf", "recvcounts", "rdispls", "recvtypes"};

// One side of a call: a block for the call itself (single) or one for each peer (the others).
class CallSide {
public:
    // One block, or equal ones one after the other: at(i) is the i-th of them. Inlined, as the whole way of a short
    // call.
    [[gnu::always_inline]] static CallSide equal(
        Process& process, const void* buffer, int count, MPI_Datatype type, const ArgumentNames& names)
    {
        check_count(count, names.count);
        CallSide side(process, buffer);
        side.dense_.count = count;
        side.set_type(type, names);
        if (may_be_missing(buffer)) [[unlikely]]
            side.check_first(names);
        return side;
    }
    // Blocks of their own count, at displacements counted in extents of the type. `peers`: how many there are.
    static CallSide varying(Process& process, const void* buffer, const int* counts, const int* displacements,
        MPI_Datatype type, int peers, const ArgumentNames& names);
    // Blocks of their own type too, at displacements in bytes. Displacement: int or MPI_Aint.
    static CallSide varying_types(Process& process, const void* buffer, const int* counts, const int* displacements,
        const MPI_Datatype* types, int peers, const ArgumentNames& names);
    static CallSide varying_types(Process& process, const void* buffer, const int* counts,
        const MPI_Aint* displacements, const MPI_Datatype* types, int peers, const ArgumentNames& names);

    // Of peer `index`.
    [[gnu::always_inline]] MessageBuffer at(int index) const
    {
        return dense_.element != 0 ? dense_.at(index) : of_its_own(index);
    }
    // Of equal blocks: the first.
    MessageBuffer message() const { return at(0); }
    // So that it can be given as Blocks.
    MessageBuffer operator()(int index) const { return at(index); }
    const DenseBlocks& dense() const { return dense_; }

    const void* buffer() const { return dense_.buffer; }

private:
    CallSide(Process& process, const void* buffer) : process_(&process)
    {
        dense_.buffer = static_cast<std::byte*>(const_cast<void*>(buffer));
    }
    [[gnu::always_inline]] void set_type(MPI_Datatype type, const ArgumentNames& names)
    {
        type_ = &process_->committed_type(number_of(type), names.type);
        dense_.element = type_->dense_bytes;
        dense_.basic_bytes = type_->element_bytes;
    }
    void check_first(const ArgumentNames& names) const;
    void set_counts(const int* counts, int peers, const ArgumentNames& names);
    void set_types(const MPI_Datatype* types, int peers, const ArgumentNames& names);
    void check_blocks(int peers, const ArgumentNames& names) const;
    MessageBuffer of_its_own(int index) const;
    const TypeObject& type_at(int index) const;
    const void* begin_of(int index) const;

    Process* process_;
    DenseBlocks dense_;  // also of what is not dense: buffer, counts and displacements
    const MPI_Aint* far_displacements_ = nullptr;
    const TypeObject* type_ = nullptr;
    const MPI_Datatype* types_ = nullptr;
};

// The errors, out of line; what is no rank of the group, which on an intercommunicator may be right.
void check_rare_root(const Communicator& comm, int root);
[[noreturn]] void fail_same_buffers();
[[noreturn]] void fail_overlapping_blocks();

// Class MPI_ERR_ROOT. On an intercommunicator: a rank of the remote group, MPI_ROOT or MPI_PROC_NULL.
inline void check_root(const Communicator& comm, int root)
{
    if (static_cast<unsigned>(root) >= static_cast<unsigned>(comm.peers().size())) [[unlikely]]
        check_rare_root(comm, root);
}
// Class MPI_ERR_BUFFER, where both are one, and there are bytes in them.
inline void check_aliasing(const void* sendbuf, const void* recvbuf, bool has_data)
{
    if (sendbuf == recvbuf && has_data && sendbuf != MPI_BOTTOM) [[unlikely]]
        fail_same_buffers();
}
// Class MPI_ERR_BUFFER, where a rank's own block is received where it is sent from.
inline void check_aliasing(const MessageBuffer& sent, const MessageBuffer& received)
{
    // Whether blocks that are not in one piece overlap, their types alone do not say.
    const bool comparable = sent.in_one_piece() && received.in_one_piece() && sent.bytes > 0 && received.bytes > 0;
    const auto from = reinterpret_cast<std::uintptr_t>(sent.data);
    const auto to = reinterpret_cast<std::uintptr_t>(received.data);
    if (comparable && from < to + received.bytes && to < from + sent.bytes) [[unlikely]]
        fail_overlapping_blocks();
}
// Class MPI_ERR_BUFFER: MPI_IN_PLACE where it has no meaning.
inline void check_not_in_place(const void* buffer, const char* argument)
{
    if (buffer == MPI_IN_PLACE) [[unlikely]]
        fail_buffer(buffer, argument);
}
// Whether a call on comm is in place. Class MPI_ERR_BUFFER on an intercommunicator.
bool is_in_place(const Communicator& comm, const void* sendbuf);
// Class MPI_ERR_COMM.
void check_intracommunicator(const Communicator& comm);

// The call as a whole: build(process, comm, schedule) checks the other arguments and fills the schedule.
// facts: see abi/call_facts.hpp.
// at_once(process, comm): FMPL's own call for it, on an intracommunicator, which checks the arguments, too. Where it
// returns true, no rank makes a schedule.
template <class Facts, class AtOnce, class Build>
int blocking_collective(const char* name, MPI_Comm handle, const Facts& facts, AtOnce&& at_once, Build&& build)
{
    return call_on(name, handle, facts, [&](Process& process) {
        Communicator& comm = *process.communicator(number_of(handle));
        process.messenger.progress_in_passing();
        if (!comm.is_inter() && at_once(process, comm)) return;
        const ImmediateCall call(process.collective, process.messenger, comm);
        build(process, comm, call.schedule());
        call.schedule().conclude();
    });
}
template <class Facts, class Build>
int blocking_collective(const char* name, MPI_Comm handle, const Facts& facts, Build&& build)
{
    const auto never = [](Process&, Communicator&) { return false; };
    return blocking_collective(name, handle, facts, never, std::forward<Build>(build));
}

template <class Facts, class Build>
int nonblocking_collective(const char* name, MPI_Comm handle, MPI_Request* request, const Facts& facts, Build&& build)
{
    return call_on(name, handle, facts, [&](Process& process) {
        const Ref<ListedSchedule> schedule =
            ListedSchedule::on(process.collective, process.messenger, process.communicator(number_of(handle)));
        check_pointer(request, "request");
        build(process, *schedule->members().comm, *schedule);
        schedule->comm_handle = number_of(handle);
        process.messenger.activate(schedule);
        *request = handle_for<MPI_Request>(process.add(schedule));
    });
}

}  // namespace fmpl::mpi
