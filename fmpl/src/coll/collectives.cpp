#include "coll/collectives.hpp"

#include "error.hpp"

#include <cstring>

namespace fmpl {

void Collectives::barrier(Communicator& comm)
{
    if (comm.size() == 1) return;
    if (hardware(comm.hardware.barrier && comm.colour >= 0)) {
        barrier_hardware(comm, node_->crossbar.control().barriers[comm.colour]);
    } else {
        barrier_tree(comm);
    }
}

void Collectives::bcast(Communicator& comm, void* buffer, std::size_t bytes, int root)
{
    if (comm.size() == 1) return;
    if (hardware(comm.hardware.broadcast && comm.station != nullptr)) {
        bcast_hardware(comm, buffer, nullptr, bytes, root);
    } else {
        bcast_tree(comm, buffer, bytes, root);
    }
}

void Collectives::bcast(Communicator& comm, std::byte* base, const Columns& columns, int root)
{
    if (comm.size() == 1) return;
    if (columns.in_one_piece()) {
        bcast(comm, base + columns.first(), columns.bytes(), root);
    } else if (hardware(comm.hardware.broadcast && comm.station != nullptr)) {
        bcast_hardware(comm, base, &columns, columns.bytes(), root);
    } else {
        // A tree passes on what it has received, so the message is packed anyway.
        std::byte* const message = scratch(columns.bytes());
        if (comm.rank() == root) columns.gather(base, 0, columns.bytes(), message);
        bcast_tree(comm, message, columns.bytes(), root);
        if (comm.rank() != root) columns.scatter(base, 0, columns.bytes(), message);
    }
}

void Collectives::reduce(Communicator& comm, const ReduceBuffers& buffers, const Reduction& whole, void* work)
{
    if (comm.size() == 1) {
        if (buffers.result != buffers.operand && whole.bytes() > 0) {
            std::memcpy(buffers.result, buffers.operand, whole.bytes());
        }
        return;
    }
    if (hardware(comm.hardware.reduce && comm.station != nullptr)) {
        reduce_hardware(comm, buffers, whole, static_cast<std::byte*>(work));
    } else {
        reduce_tree(comm, buffers, whole, static_cast<std::byte*>(work));
    }
}

void Collectives::release(Communicator& comm)
{
    for (Offset* block : {&comm.broadcasts.buffers, &comm.deposits}) {
        if (*block != kNoOffset) node_->arena.free(*block);
        *block = kNoOffset;
    }
}

void Collectives::tree_send(Communicator& comm, int to, const void* data, std::size_t bytes)
{
    sender_->send(comm, to, comm.internal(InternalIndex::collective), data, bytes, false);
}

void Collectives::tree_recv(Communicator& comm, int from, void* data, std::size_t bytes)
{
    const Matched before = receiver_->matched;  // fmpl_received speaks of the user's receives only
    try {
        receiver_->recv(comm, from, comm.internal(InternalIndex::collective), data, bytes);
    } catch (const Error& error) {
        if (error.code() != FMPL_ERR_TRUNCATED) throw;  // else: the sizes differ, which is reported below
    }
    const std::size_t came = receiver_->matched.bytes;
    receiver_->matched = before;
    if (came != bytes) {
        fail(FMPL_ERR_MISMATCH, "rank {} gave {} bytes, this rank {}; give the same size on all ranks", from, came,
            bytes);
    }
}

std::byte* Collectives::scratch(std::size_t bytes)
{
    if (bytes > scratch_bytes_) {
        const Offset larger = node_->arena.allocate(bytes);
        if (scratch_ != kNoOffset) node_->arena.free(scratch_);
        scratch_ = larger;
        scratch_bytes_ = bytes;
    }
    return node_->crossbar.local(scratch_);
}

}  // namespace fmpl
