// Preloaded by fmplrun --rdma heap: malloc and its relatives from jemalloc, with the heap in the rank's remote-DMA
// memory.
//
// A process is a rank, and gets its heap into the arena, when FMPL_RDMA=heap is set, its program needs libfmpl or a
// BLACS from the start, and libfmpl gives it the range. In every other process (a shell around the rank, what the rank
// starts) this library is jemalloc and nothing more.
#include "extent_hooks.hpp"
#include "heap_range.hpp"
#include "needed_libraries.hpp"

#include "fmpl/heap.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <malloc.h>
#include <unistd.h>

#pragma weak fmpl_heap_range

// Read by jemalloc when it is first used.
//   retain:false          extents come one by one, of the size wanted; the hooks keep those of the range all the same
//   narenas               enough to keep threads apart; each costs its records when the hooks are set
//   oversize_threshold:0  large blocks come from the same arenas: another one would have other hooks
const char* malloc_conf = "retain:false,narenas:8,oversize_threshold:0";

namespace fmpl::rdma_heap {
namespace {

template <class Value>
Value setting(const char* name, Value otherwise)
{
    std::size_t size = sizeof otherwise;
    mallctl(name, &otherwise, &size, nullptr, 0);
    return otherwise;
}

// Arenas that do not exist yet are made by this.
void set_hooks(unsigned arenas)
{
    extent_hooks_t* hooks = &extent_hooks;
    for (unsigned i = 0; i < arenas; ++i) {
        char name[64];
        std::snprintf(name, sizeof name, "arena.%u.extent_hooks", i);
        mallctl(name, nullptr, nullptr, &hooks, sizeof hooks);
    }
}

// The first arena has slabs from before, in ordinary memory. Their free regions are taken and kept, so that what the
// program allocates lies in the range.
void use_up_earlier_slabs()
{
    const unsigned bins = setting<unsigned>("arenas.nbins", 0);
    const int first_arena = MALLOCX_ARENA(0) | MALLOCX_TCACHE_NONE;
    for (unsigned bin = 0; bin < bins; ++bin) {
        char name[64];
        std::snprintf(name, sizeof name, "arenas.bin.%u.size", bin);
        const std::size_t size = setting<std::size_t>(name, 0);
        if (size == 0) continue;
        void* region = mallocx(size, first_arena);
        while (region != nullptr && !heap.contains(region)) region = mallocx(size, first_arena);
        if (region != nullptr) dallocx(region, MALLOCX_TCACHE_NONE);
    }
}

[[gnu::constructor]] void start()
{
    const char* mode = std::getenv("FMPL_RDMA");
    if (mode == nullptr || std::strcmp(mode, "heap") != 0 || fmpl_heap_range == nullptr) return;
    if (!program_needs_fmpl()) return;
    void* begin = nullptr;
    std::size_t bytes = 0;
    if (fmpl_heap_range(&begin, &bytes) != FMPL_SUCCESS) return;
    // What the first thread and arena hold in reserve goes back, while the hooks are still those that it came by.
    mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
    mallctl("arena.0.purge", nullptr, nullptr, nullptr, 0);
    if (!heap.start(static_cast<std::byte*>(begin), bytes)) return;
    set_hooks(setting<unsigned>("opt.narenas", 1));
    use_up_earlier_slabs();
}

}  // namespace
}  // namespace fmpl::rdma_heap

// The one name of the family that jemalloc leaves to the C library, whose block it could not free.
extern "C" [[gnu::visibility("default")]] void* pvalloc(std::size_t bytes)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (bytes > SIZE_MAX - page) return nullptr;
    return memalign(page, bytes == 0 ? page : (bytes + page - 1) / page * page);
}
