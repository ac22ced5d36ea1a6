#include "c/collective_arguments.hpp"

#include <span>

namespace fmpl::mpi {

CallSide CallSide::equal(Process& process, const void* buffer, int count, MPI_Datatype type, const ArgumentNames& names)
{
    CallSide side(process, buffer);
    check_count(count, names.count);
    side.count_ = count;
    side.set_type(type, names);
    check_buffer(buffer, side.message().bytes, *side.type_, names.buffer);
    return side;
}

CallSide CallSide::varying(Process& process, const void* buffer, const int* counts, const int* displacements,
    MPI_Datatype type, int peers, const ArgumentNames& names)
{
    CallSide side(process, buffer);
    side.set_counts(counts, peers, names);
    side.displacements_ = array_of(displacements, peers, names.displacements).data();
    side.set_type(type, names);
    side.check_blocks(peers, names);
    return side;
}

CallSide CallSide::varying_types(Process& process, const void* buffer, const int* counts, const int* displacements,
    const MPI_Datatype* types, int peers, const ArgumentNames& names)
{
    CallSide side(process, buffer);
    side.set_counts(counts, peers, names);
    side.displacements_ = array_of(displacements, peers, names.displacements).data();
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

void CallSide::set_type(MPI_Datatype type, const ArgumentNames& names)
{
    type_ = &process_->committed_type(type, names.type);
    dense_bytes_ = type_->dense_bytes;
}

void CallSide::set_counts(const int* counts, int peers, const ArgumentNames& names)
{
    for (const int count : array_of(counts, peers, names.count)) check_count(count, names.count);
    counts_ = counts;
}

void CallSide::set_types(const MPI_Datatype* types, int peers, const ArgumentNames& names)
{
    types_ = array_of(types, peers, names.type).data();
    for (const MPI_Datatype type : std::span(types_, static_cast<std::size_t>(peers))) {
        process_->committed_type(type, names.type);
    }
    check_blocks(peers, names);
}

void CallSide::check_blocks(int peers, const ArgumentNames& names) const
{
    if (!may_be_missing(buffer_)) [[likely]]
        return;
    // From MPI_BOTTOM, which is null, displacements are addresses.
    for (int i = 0; i < peers; ++i) {
        const TypeObject& type = type_at(i);
        const void* const block = buffer_ == MPI_IN_PLACE ? buffer_ : begin_of(i);
        check_buffer(block, type.layout->bytes(counts_[i]), type, names.buffer);
    }
}

const TypeObject& CallSide::type_at(int index) const
{
    return types_ == nullptr ? *type_ : process_->committed_type(types_[index]);
}

const void* CallSide::begin_of(int index) const
{
    const TypeObject& type = type_at(index);
    std::int64_t bytes = 0;
    if (far_displacements_ != nullptr) {
        bytes = far_displacements_[index];
    } else if (displacements_ != nullptr) {
        bytes = displacements_[index] * (types_ == nullptr ? type.type->extent() : 1);
    } else {
        bytes = std::int64_t{index} * count_ * type.type->extent();
    }
    return reinterpret_cast<const void*>(
        reinterpret_cast<std::uintptr_t>(buffer_) + static_cast<std::uintptr_t>(bytes));
}

MessageBuffer CallSide::of_its_own(int index) const
{
    return MessageBuffer::of(begin_of(index), counts_ == nullptr ? count_ : counts_[index], type_at(index));
}

void check_root(const Communicator& comm, int root)
{
    if (root >= 0 && root < comm.peers().size()) [[likely]]
        return;
    if (!comm.is_inter()) {
        fail(MPI_ERR_ROOT, "root = {} is not a rank of the communicator; it has {}", root, comm.size());
    }
    if (root != MPI_ROOT && root != MPI_PROC_NULL) {
        fail(MPI_ERR_ROOT,
            "root = {} is not a rank of the remote group, which has {}; give one, or in the group of the root MPI_ROOT "
            "or "
            "MPI_PROC_NULL",
            root, comm.peers().size());
    }
}

void check_aliasing(const void* sendbuf, const void* recvbuf, bool has_data)
{
    if (sendbuf == recvbuf && has_data && sendbuf != MPI_BOTTOM) [[unlikely]] {
        fail(MPI_ERR_BUFFER, "sendbuf and recvbuf are the same; give two buffers, or MPI_IN_PLACE where it is allowed");
    }
}

void check_aliasing(const MessageBuffer& sent, const MessageBuffer& received)
{
    // Whether blocks that are not in one piece overlap, their types alone do not say.
    const bool comparable = sent.in_one_piece() && received.in_one_piece() && sent.bytes > 0 && received.bytes > 0;
    if (!comparable) return;
    const auto from = reinterpret_cast<std::uintptr_t>(sent.data);
    const auto to = reinterpret_cast<std::uintptr_t>(received.data);
    if (from < to + received.bytes && to < from + sent.bytes) [[unlikely]] {
        fail(MPI_ERR_BUFFER,
            "the rank's own block of sendbuf overlaps the one of recvbuf; give two buffers, or MPI_IN_PLACE where it "
            "is "
            "allowed");
    }
}

void check_not_in_place(const void* buffer, const char* argument)
{
    if (buffer == MPI_IN_PLACE) [[unlikely]]
        fail_buffer(buffer, argument);
}

bool is_in_place(const Communicator& comm, const void* sendbuf)
{
    if (sendbuf != MPI_IN_PLACE) return false;
    if (comm.is_inter()) {
        fail(MPI_ERR_BUFFER, "sendbuf is MPI_IN_PLACE, which has no meaning on an intercommunicator; give a buffer");
    }
    return true;
}

void check_intracommunicator(const Communicator& comm)
{
    if (comm.is_inter()) {
        fail(MPI_ERR_COMM, "comm is an intercommunicator, on which the call is not defined; give an intracommunicator");
    }
}

}  // namespace fmpl::mpi
