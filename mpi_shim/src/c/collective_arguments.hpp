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
    // One block, or equal ones one after the other: at(i) is the i-th of them.
    static CallSide equal(
        Process& process, const void* buffer, int count, MPI_Datatype type, const ArgumentNames& names);
    // Blocks of their own count, at displacements counted in extents of the type. `peers`: how many there are.
    static CallSide varying(Process& process, const void* buffer, const int* counts, const int* displacements,
        MPI_Datatype type, int peers, const ArgumentNames& names);
    // Blocks of their own type too, at displacements in bytes. Displacement: int or MPI_Aint.
    static CallSide varying_types(Process& process, const void* buffer, const int* counts, const int* displacements,
        const MPI_Datatype* types, int peers, const ArgumentNames& names);
    static CallSide varying_types(Process& process, const void* buffer, const int* counts,
        const MPI_Aint* displacements, const MPI_Datatype* types, int peers, const ArgumentNames& names);

    // Of peer `index`.
    MessageBuffer at(int index) const
    {
        if (dense_bytes_ == 0) [[unlikely]]
            return of_its_own(index);
        const std::int64_t before = displacements_ != nullptr ? displacements_[index] : std::int64_t{index} * count_;
        const std::int64_t count = counts_ != nullptr ? counts_[index] : count_;
        const std::uintptr_t begin =
            reinterpret_cast<std::uintptr_t>(buffer_) + static_cast<std::uintptr_t>(before * dense_bytes_);
        return MessageBuffer::piece(reinterpret_cast<const void*>(begin),
            static_cast<std::uint64_t>(count * dense_bytes_), type_->element_bytes);
    }
    // Of equal blocks: the first.
    MessageBuffer message() const { return at(0); }
    // So that it can be given as Blocks.
    MessageBuffer operator()(int index) const { return at(index); }

    const void* buffer() const { return buffer_; }

private:
    CallSide(Process& process, const void* buffer) : process_(&process), buffer_(buffer) {}
    void set_type(MPI_Datatype type, const ArgumentNames& names);
    void set_counts(const int* counts, int peers, const ArgumentNames& names);
    void set_types(const MPI_Datatype* types, int peers, const ArgumentNames& names);
    void check_blocks(int peers, const ArgumentNames& names) const;
    MessageBuffer of_its_own(int index) const;
    const TypeObject& type_at(int index) const;
    const void* begin_of(int index) const;

    Process* process_;
    const void* buffer_;
    std::int64_t dense_bytes_ = 0;  // of an element, if all blocks are of one type that is one piece for any count
    int count_ = 0;
    const int* counts_ = nullptr;
    const int* displacements_ = nullptr;
    const MPI_Aint* far_displacements_ = nullptr;
    const TypeObject* type_ = nullptr;
    const MPI_Datatype* types_ = nullptr;
};

// Class MPI_ERR_ROOT. On an intercommunicator: a rank of the remote group, MPI_ROOT or MPI_PROC_NULL.
void check_root(const Communicator& comm, int root);
// Class MPI_ERR_BUFFER, where both are one, and there are bytes in them.
void check_aliasing(const void* sendbuf, const void* recvbuf, bool has_data);
// Class MPI_ERR_BUFFER, where a rank's own block is received where it is sent from.
void check_aliasing(const MessageBuffer& sent, const MessageBuffer& received);
// Class MPI_ERR_BUFFER: MPI_IN_PLACE where it has no meaning.
void check_not_in_place(const void* buffer, const char* argument);
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
        Communicator& comm = *process.communicator(handle);
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
            ListedSchedule::on(process.collective, process.messenger, process.communicator(handle));
        check_pointer(request, "request");
        build(process, *schedule->members().comm, *schedule);
        schedule->comm_handle = handle;
        process.messenger.activate(schedule);
        *request = process.add(schedule);
    });
}

}  // namespace fmpl::mpi
