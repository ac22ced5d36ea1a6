#include "coll/collectives.hpp"

#include "error.hpp"

#include <cstring>

namespace fmpl {

void Collectives::barrier(Meeting& m)
{
    if (m.size() == 1) return;
    if (hardware(m.hardware.barrier && m.colour >= 0)) {
        barrier_hardware(m, node_->crossbar.control().barriers[m.colour]);
    } else {
        barrier_tree(m);
    }
}

void Collectives::bcast(Meeting& m, void* buffer, std::size_t bytes, int root)
{
    if (m.size() == 1) return;
    if (hardware(m.hardware.broadcast && m.station != nullptr)) {
        bcast_hardware(m, buffer, nullptr, bytes, root);
    } else {
        bcast_tree(m, buffer, bytes, root);
    }
}

void Collectives::bcast(Communicator& comm, std::byte* base, const Columns& columns, int root)
{
    Meeting& m = *comm.meeting;
    if (m.size() == 1) return;
    if (columns.in_one_piece()) {
        bcast(m, base + columns.first(), columns.bytes(), root);
    } else if (hardware(m.hardware.broadcast && m.station != nullptr)) {
        bcast_hardware(m, base, &columns, columns.bytes(), root);
    } else {
        // A tree passes on what it has received, so the message is packed anyway.
        std::byte* const message = scratch(columns.bytes());
        if (m.rank() == root) columns.gather(base, 0, columns.bytes(), message);
        bcast_tree(m, message, columns.bytes(), root);
        if (m.rank() != root) columns.scatter(base, 0, columns.bytes(), message);
    }
}

void Collectives::reduce(Communicator& comm, const ReduceBuffers& buffers, const Reduction& whole, void* work)
{
    Meeting& m = *comm.meeting;
    const bool in_memory = hardware(m.hardware.reduce && m.station != nullptr) && m.size() > 1;
    if (!in_memory || !goes_in_hardware(whole)) [[unlikely]]
        return reduce_otherwise(m, buffers, whole, in_memory, static_cast<std::byte*>(work));
    reduce_hardware(m, buffers, whole);
}

void Collectives::reduce_otherwise(
    Meeting& m, const ReduceBuffers& buffers, const Reduction& whole, bool in_memory, std::byte* work)
{
    if (m.size() == 1) {
        if (buffers.result != buffers.operand && whole.bytes() > 0) {
            std::memcpy(buffers.result, buffers.operand, whole.bytes());
        }
    } else if (!in_memory || !reduce_hardware(m, buffers, whole)) {
        reduce_tree(m, buffers, whole, work);
    }
}

void Collectives::tree_send(Meeting& m, int to, const void* data, std::size_t bytes)
{
    sender_->send(m.comm(), to, m.comm().internal(InternalIndex::collective), data, bytes, false);
}

void Collectives::tree_recv(Meeting& m, int from, void* data, std::size_t bytes)
{
    const Matched before = receiver_->matched;  // fmpl_received speaks of the user's receives only
    try {
        receiver_->recv(m.comm(), from, m.comm().internal(InternalIndex::collective), data, bytes);
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
