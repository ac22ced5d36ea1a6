#include "c/collective_arguments.hpp"

#include <span>

namespace fmpl::mpi {

CallSide CallSide::varying(Process& process, const void* buffer, const int* counts, const int* displacements,
    MPI_Datatype type, int peers, const ArgumentNames& names)
{
    CallSide side(process, buffer);
    side.set_counts(counts, peers, names);
    side.dense_.displacements = array_of(displacements, peers, names.displacements).data();
    side.set_type(type, names);
    side.check_blocks(peers, names);
    return side;
}

CallSide CallSide::varying_types(Process& process, const void* buffer, const int* counts, const int* displacements,
    const MPI_Datatype* types, int peers, const ArgumentNames& names)
{
    CallSide side(process, buffer);
    side.set_counts(counts, peers, names);
    side.dense_.displacements = array_of(displacements, peers, names.displacements).data();
    side.set_types(types, peers, names);
    return side;
}

CallSide CallSide::varying_types(Process& process, const void* buffer, const int* counts, const MPI_Aint* displacements,
    const MPI_Datatype* types, int peers, const ArgumentNames& names)
{
    CallSide side(process, buffer);
    side.set_counts(counts, peers, names);
    side.far_displacements_ = array_of(displacements, peers, names.displacements).data();
    side.set_types(types, peers, names);
    return side;
}

void CallSide::check_first(const ArgumentNames& names) const
{
    check_buffer(buffer(), message().bytes, *type_, names.buffer);
}

void CallSide::set_counts(const int* counts, int peers, const ArgumentNames& names)
{
    for (const int count : array_of(counts, peers, names.count)) check_count(count, names.count);
    dense_.counts = counts;
}

void CallSide::set_types(const MPI_Datatype* types, int peers, const ArgumentNames& names)
{
    types_ = array_of(types, peers, names.type).data();
    for (const MPI_Datatype type : std::span(types_, static_cast<std::size_t>(peers))) {
        process_->committed_type(number_of(type), names.type);
    }
    check_blocks(peers, names);
}

void CallSide::check_blocks(int peers, const ArgumentNames& names) const
{
    if (!may_be_missing(buffer())) [[likely]]
        return;
    // From MPI_BOTTOM, which is null, displacements are addresses.
    for (int i = 0; i < peers; ++i) {
        const TypeObject& type = type_at(i);
        const void* const block = buffer() == MPI_IN_PLACE ? buffer() : begin_of(i);
        check_buffer(block, type.layout->bytes(dense_.counts[i]), type, names.buffer);
    }
}

const TypeObject& CallSide::type_at(int index) const
{
    return types_ == nullptr ? *type_ : process_->committed_type(number_of(types_[index]));
}

const void* CallSide::begin_of(int index) const
{
    const TypeObject& type = type_at(index);
    std::int64_t bytes = 0;
    if (far_displacements_ != nullptr) {
        bytes = far_displacements_[index];
    } else if (dense_.displacements != nullptr) {
        bytes = dense_.displacements[index] * (types_ == nullptr ? type.type->extent() : 1);
    } else {
        bytes = std::int64_t{index} * dense_.count * type.type->extent();
    }
    return reinterpret_cast<const void*>(
        reinterpret_cast<std::uintptr_t>(buffer()) + static_cast<std::uintptr_t>(bytes));
}

MessageBuffer CallSide::of_its_own(int index) const
{
    return MessageBuffer::of(
        begin_of(index), dense_.counts == nullptr ? dense_.count : dense_.counts[index], type_at(index));
}

void check_rare_root(const Communicator& comm, int root)
{
    if (!comm.is_inter()) {
        fail(ErrorClass::root, "root = {} is not a rank of the communicator; it has {}", rank_out(root), comm.size());
    }
    if (root != kRoot && root != kProcNull) {
        fail(ErrorClass::root,
            "root = {} is not a rank of the remote group, which has {}; give one, or in the group of the root MPI_ROOT "
            "or "
            "MPI_PROC_NULL",
            rank_out(root), comm.peers().size());
    }
}

void fail_same_buffers()
{
    fail(ErrorClass::buffer, "sendbuf and recvbuf are the same; give two buffers, or MPI_IN_PLACE where it is allowed");
}

void fail_overlapping_blocks()
{
    fail(ErrorClass::buffer,
        "the rank's own block of sendbuf overlaps the one of recvbuf; give two buffers, or MPI_IN_PLACE where it is "
        "allowed");
}

bool is_in_place(const Communicator& comm, const void* sendbuf)
{
    if (sendbuf != MPI_IN_PLACE) return false;
    if (comm.is_inter()) {
        fail(
            ErrorClass::buffer, "sendbuf is MPI_IN_PLACE, which has no meaning on an intercommunicator; give a buffer");
    }
    return true;
}

void check_intracommunicator(const Communicator& comm)
{
    if (comm.is_inter()) {
        fail(ErrorClass::comm,
            "comm is an intercommunicator, on which the call is not defined; give an intracommunicator");
    }
}

}  // namespace fmpl::mpi
