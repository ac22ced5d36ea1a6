// Remote-DMA memory, other ranks' memory, and the heap. Each call is one of the calling thread's
// rank.
#include "api/binding.hpp"
#include "api/boundary.hpp"
#include "api/calls/checks.hpp"

#include <fmpl.h>
#include <fmpl/heap.h>
#include <fmpl/remote.h>

using namespace fmpl;

namespace {

bool is_remote_dma(const Rank& own, const void* p, std::size_t bytes)
{
    return own.node.crossbar.contains(p, bytes);
}

bool is_addressable(const Rank& own, int world_rank)
{
    return world_rank >= 0 && world_rank < own.job_size() && own.node.crossbar.maps(world_rank);
}

}  // namespace

extern "C" {

void* fmpl_malloc(size_t size)
{
    Binding& b = binding();
    try {
        if (b.own && b.own->finalized()) fail(FMPL_ERR_NOT_INITIALIZED, "called after fmpl_finalize");
        return b.attach().allocate(size);
    } catch (...) {
        b.report_current_exception("fmpl_malloc");
        return nullptr;
    }
}

void* fmpl_try_malloc(size_t size)
{
    Binding& b = binding();
    if (b.own && b.own->finalized()) return nullptr;
    try {
        return b.attach().allocate(size);
    } catch (const Error& error) {
        if (error.code() != FMPL_ERR_MEMORY) b.report_current_exception("fmpl_try_malloc");
    } catch (...) {
        b.report_current_exception("fmpl_try_malloc");
    }
    return nullptr;
}

void fmpl_free(void* p)
{
    Binding& b = binding();
    try {
        if (p == nullptr || (b.own && b.own->finalized())) return;  // finalizing freed everything
        if (b.forked_from != 0) return;  // a destructor in a forked child: the block is the rank's
        b.attach().free(p);
    } catch (...) {
        b.report_current_exception("fmpl_free");
    }
}

int fmpl_is_remote_dma(const void* p, size_t size)
{
    const Binding& b = binding();
    return b.own && is_remote_dma(*b.own, p, size) ? 1 : 0;
}

int fmpl_is_addressable(int world_rank)
{
    const Binding& b = binding();
    return b.own && b.own->initialized() && is_addressable(*b.own, world_rank) ? 1 : 0;
}

int fmpl_remote_place(const void* p, size_t size, uint64_t* place)
{
    return query("fmpl_remote_place", [&](Rank& own) {
        if (place == nullptr) fail(FMPL_ERR_ARGUMENT, "place is NULL; give the address of a uint64_t");
        if (!is_remote_dma(own, p, size)) {
            fail(FMPL_ERR_ARGUMENT,
                "{} bytes at {} are not in this rank's remote-DMA memory; take them from fmpl_malloc, or start the job "
                "with fmplrun --rdma heap",
                size, p);
        }
        *place = own.node.crossbar.offset_of(p);
    });
}

const void* fmpl_remote_view(int world_rank, uint64_t place, size_t size)
{
    const Binding& b = binding();
    if (!b.own || !b.own->initialized() || !is_addressable(*b.own, world_rank)) return nullptr;
    return b.own->node.crossbar.room(world_rank, place, size);
}

void* fmpl_remote_room(int world_rank, uint64_t place, size_t size)
{
    return const_cast<void*>(fmpl_remote_view(world_rank, place, size));
}

int fmpl_private_read(int world_rank, uint64_t address, void* to, size_t size, int* copied)
{
    return copying_query("fmpl_private_read", [&](Rank& own) {
        if (copied == nullptr || (to == nullptr && size > 0)) {
            fail(FMPL_ERR_ARGUMENT, "{} is a null pointer; give {}", copied == nullptr ? "copied" : "to",
                copied == nullptr ? "the address of an int" : "room for the bytes");
        }
        check_buffer(to, size);
        *copied = 0;
        if (world_rank < 0 || world_rank >= own.job_size()) {
            fail(FMPL_ERR_RANK, "world_rank = {}: the job has the ranks 0 to {}", world_rank, own.job_size() - 1);
        }
        const PrivateMemory& memory = own.node.private_memory;
        if (!memory.reaches(world_rank)) return;
        if (size > 0) memory.read(world_rank, PrivateMemory::address(address), static_cast<std::byte*>(to), size);
        *copied = 1;
    });
}

int fmpl_is_private_read_preferred(void)
{
    const Binding& b = binding();
    return b.own && b.own->initialized() && b.own->node.private_memory.is_preferred() ? 1 : 0;
}

int fmpl_heap_range(void** begin, size_t* size)
{
    if (begin == nullptr || size == nullptr) return FMPL_ERR_ARGUMENT;
    try {
        const std::span<std::byte> range = process_binding().claim_heap().range();
        *begin = range.data();
        *size = range.size();
        return FMPL_SUCCESS;
    } catch (const Error& error) {
        return error.code();
    } catch (const std::bad_alloc&) {
        return FMPL_ERR_MEMORY;
    }
}

int fmpl_heap_commit(void* at, size_t size)
{
    const Binding& b = process_binding();
    return b.heap && b.heap->commit(static_cast<std::byte*>(at), size) ? FMPL_SUCCESS : FMPL_ERR_MEMORY;
}

int fmpl_heap_release(void* at, size_t size)
{
    const Binding& b = process_binding();
    return b.heap && b.heap->release(static_cast<std::byte*>(at), size) ? FMPL_SUCCESS : FMPL_ERR_SYSTEM;
}

}  // extern "C"
